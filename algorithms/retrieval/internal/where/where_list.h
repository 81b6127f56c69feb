// The shortest list of nodes that holds every node of which a Where expression can be true.
//
// A test bounds a list when an order, a posting list or the key table answers it: the list may hold
// more, never less. `and` takes the shortest of its parts, `or` all of them if each has one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/retrieval/internal/where/where_tree.h"
#include "engine/snapshot.h"

namespace plexus::retrieval::internal {

// Ascending, each once; nullopt: each list has more than `most` nodes. `make_orders`: as
// WhereOptions has it. O(list * log list).
std::optional<std::vector<NodeId>> ShortestList(const Snapshot& snapshot, const WhereTest& root,
                                                bool make_orders, std::uint64_t most);

}  // namespace plexus::retrieval::internal
