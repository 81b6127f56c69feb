// Which edges are on a cycle whose edges are all valid at one time.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::memory::internal {

// By edge of `edges`. Cycles are of these kinds, those of `backward` from target to source.
// O(arcs that the edges lead to), and of each strong component with edges that are not always valid
// again for each time at which one begins. All false once `stop` is true.
std::vector<bool> OnCycles(const Snapshot& snapshot, std::span<const Edge> edges,
                           std::span<const EdgeKindId> kinds, std::span<const EdgeKindId> backward,
                           const std::function<bool()>& stop);

}  // namespace plexus::memory::internal
