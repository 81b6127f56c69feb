// Strong components of a small directed graph given as bare rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plexus::internal {

// Component number of each node; a component is numbered before those that reach it. Row of v =
// targets[offsets[v], offsets[v + 1]). Tarjan 1972 with an explicit stack: a chain of any length is
// fine. O(nodes + arcs).
std::vector<std::uint32_t> StrongComponents(std::span<const std::uint32_t> offsets,
                                            std::span<const std::uint32_t> targets);

}  // namespace plexus::internal
