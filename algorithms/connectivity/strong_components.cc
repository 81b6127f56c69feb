// Strong components of a snapshot: Tarjan over the dense view, labels by smallest id. Without
// recursion: the walk is a stack of nodes, each with the place in its row where it continues.
#include <algorithm>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/connectivity/internal/tarjan.h"
#include "engine/out_of_memory.h"

namespace plexus::connectivity {

namespace internal {

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

}  // namespace internal

Result<ComponentsResult> StrongComponents(const Snapshot& snapshot,
                                          const ComponentsOptions& options) try {
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  wanted.in = wanted.weights = false;
  PLEXUS_ASSIGN(const auto made, common_internal::ViewInTime(snapshot, wanted, options.run));
  ComponentsResult result;
  result.labels.assign(snapshot.node_count(), kNoNode);
  result.truncated = !made;
  if (!made) return result;
  const DenseView& view = *made;
  const auto found =
      internal::StrongComponents(view.out().offsets, view.out().neighbors, options.run.budget);
  result.truncated = !found;
  if (!found) return result;
  const std::vector<std::uint32_t>& component = *found;
  std::uint32_t count = 0;
  for (std::uint32_t c : component) count = std::max(count, c + 1);
  std::vector<NodeId> first(count, kNoNode);
  std::vector<std::uint64_t> sizes(count);
  result.count = count;
  for (NodeId dense = 0; dense < component.size();
       ++dense) {  // ascending, so the first is the smallest
    NodeId& label = first[component[dense]];
    if (label == kNoNode) label = view.node(dense);
    result.labels[view.node(dense)] = label;
    ++sizes[component[dense]];
  }
  for (std::uint32_t c = 0; c < count; ++c)
    if (sizes[c] > result.largest ||
        (sizes[c] == result.largest && first[c] < result.largest_label)) {
      result.largest = sizes[c];
      result.largest_label = first[c];
    }
  return result;
}
PLEXUS_CATCH_NO_MEMORY

std::vector<std::uint32_t> StrongComponents(std::span<const std::uint32_t> offsets,
                                            std::span<const std::uint32_t> targets) {
  return *internal::StrongComponents(offsets, targets, Budget{});
}

}  // namespace plexus::connectivity
