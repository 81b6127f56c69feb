// Strong components of a small directed graph given as bare rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/common/common.h"

namespace plexus::connectivity::internal {

// Component number of each node; a component is numbered before those that reach it. Row of v =
// targets[offsets[v], offsets[v + 1]). Tarjan 1972 with an explicit stack: a chain of any length is
// fine. O(nodes + arcs), one thread. Deadline and cancel flag of `budget` are looked at every
// 65,536 arcs and nodes; nullopt when one of them says to stop.
std::optional<std::vector<std::uint32_t>> StrongComponents(std::span<const std::uint32_t> offsets,
                                                           std::span<const std::uint32_t> targets,
                                                           const Budget& budget);

}  // namespace plexus::connectivity::internal
