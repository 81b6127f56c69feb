// Which payloads a state names.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/state.h"

namespace plexus::storage_internal {

// PayloadRef::bits of nodes, vectors and edge properties, ascending. O(nodes + edges).
std::vector<std::uint64_t> ReferencedBy(const GraphState& state);

}  // namespace plexus::storage_internal
