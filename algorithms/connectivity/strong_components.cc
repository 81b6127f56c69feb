// Strong components of a snapshot: Tarjan over the dense view, labels by smallest id.
#include <algorithm>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/connectivity/internal/tarjan.h"
#include "engine/out_of_memory.h"

namespace plexus::connectivity {

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
  return internal::StrongComponents(offsets, targets);
}

}  // namespace plexus::connectivity
