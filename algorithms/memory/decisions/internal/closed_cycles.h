// Cycles: the strong components of two and more nodes among numbered components, and which edges
// are on a cycle whose edges are all valid at one time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::memory::internal {

// Each ascending, in order of their smallest node. `component` as StrongComponents() numbers them.
// O(nodes).
inline std::vector<std::vector<NodeId>> Cycles(std::span<const std::uint32_t> component) {
  std::vector<std::uint32_t> size;
  for (const std::uint32_t c : component) {
    if (c >= size.size()) size.resize(c + std::size_t{1});
    ++size[c];
  }
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> place(size.size(), kNone);
  std::vector<std::vector<NodeId>> cycles;
  for (std::size_t v = 0; v < component.size(); ++v) {
    const std::uint32_t c = component[v];
    if (size[c] < 2) continue;
    if (place[c] == kNone) {
      place[c] = static_cast<std::uint32_t>(cycles.size());
      cycles.emplace_back().reserve(size[c]);
    }
    cycles[place[c]].push_back(static_cast<NodeId>(v));
  }
  return cycles;
}

// By edge of `edges`. Cycles are of these kinds, those of `backward` from target to source.
// O(arcs that the edges lead to), and of each strong component with edges that are not always valid
// again for each time at which one begins. All false once `stop` is true.
std::vector<bool> OnCycles(const Snapshot& snapshot, std::span<const Edge> edges,
                           std::span<const EdgeKindId> kinds, std::span<const EdgeKindId> backward,
                           const std::function<bool()>& stop);

}  // namespace plexus::memory::internal
