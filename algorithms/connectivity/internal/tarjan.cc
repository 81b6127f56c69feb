// Tarjan's algorithm without recursion: the walk is a stack of nodes, each with the
// place in its row where it continues.
#include "algorithms/connectivity/internal/tarjan.h"

#include <algorithm>

namespace plexus::connectivity::internal {

std::vector<std::uint32_t> StrongComponents(std::span<const std::uint32_t> offsets,
                                            std::span<const std::uint32_t> targets) {
  return *StrongComponents(offsets, targets, Budget{});
}

std::optional<std::vector<std::uint32_t>> StrongComponents(std::span<const std::uint32_t> offsets,
                                                           std::span<const std::uint32_t> targets,
                                                           const Budget& budget) {
  constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  constexpr std::uint64_t kLookEvery = 65536;
  const auto n = static_cast<std::uint32_t>(offsets.empty() ? 0 : offsets.size() - 1);
  std::vector<std::uint32_t> index(n, kNone), low(n), component(n, kNone), next(n);
  std::vector<std::uint32_t> walk, open;  // open: nodes without a component yet
  std::uint32_t counter = 0, components = 0;
  std::uint64_t steps = 0, next_look = 0;
  for (std::uint32_t root = 0; root < n; ++root) {
    if (index[root] != kNone) continue;
    walk.push_back(root);
    while (!walk.empty()) {
      const std::uint32_t v = walk.back();
      if (++steps >= next_look) {
        if (budget.Interrupted()) return std::nullopt;
        next_look = steps + kLookEvery;
      }
      if (index[v] == kNone) {
        index[v] = low[v] = counter++;
        next[v] = offsets[v];
        open.push_back(v);
      }
      bool descended = false;
      const std::uint32_t from = next[v];
      while (!descended && next[v] < offsets[v + 1]) {
        const std::uint32_t w = targets[next[v]++];
        if (index[w] == kNone) {
          walk.push_back(w);
          descended = true;
        } else if (component[w] == kNone) {
          low[v] = std::min(low[v], index[w]);
        }
      }
      steps += next[v] - from;
      if (descended) continue;
      walk.pop_back();
      if (!walk.empty()) low[walk.back()] = std::min(low[walk.back()], low[v]);
      if (low[v] != index[v]) continue;
      for (std::uint32_t w = kNone; w != v;) {
        w = open.back();
        open.pop_back();
        component[w] = components;
      }
      ++components;
    }
  }
  return component;
}

}  // namespace plexus::connectivity::internal
