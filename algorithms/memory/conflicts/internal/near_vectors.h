// Nodes whose vectors are near that of a node: what may be a conflict, a duplicate or a relation.
#pragma once

#include <cstddef>
#include <string_view>

#include "algorithms/common/common.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::memory::internal {

// The `top` nearest by cosine, those of `least` and more, of `allowed` without the node itself. The
// node need have no vector, the graph no such space; `least` above 1: none.
Result<retrieval::NearestResult> NearVectors(const Snapshot& snapshot, NodeId node,
                                             std::string_view space, double least,
                                             const NodeSubset& allowed, std::size_t top,
                                             const RunOptions& run);

}  // namespace plexus::memory::internal
