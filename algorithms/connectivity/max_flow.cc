// The network is made of what both ends reach; the cut is what the source reaches over
// what is left of it.
#include "algorithms/connectivity/connectivity.h"

#include <algorithm>

#include "algorithms/common/internal/selection.h"
#include "algorithms/connectivity/internal/flow_network.h"
#include "algorithms/connectivity/internal/flow_network_builder.h"
#include "engine/out_of_memory.h"

namespace plexus::connectivity {

Result<MaxFlowResult> MaxFlow(const Snapshot& snapshot, NodeId source, NodeId sink,
                              const MaxFlowOptions& options) try {
  if (source == sink) return Invalid("source and sink are the same node");
  const NodeId ends[] = {source, sink};
  PLEXUS_ASSIGN(const NodeSubset with,
                common_internal::WithSources(snapshot, options.filter.subset, ends));
  PLEXUS_ASSIGN(
      const common_internal::Selection selection,
      common_internal::Select(snapshot, GraphFilter{options.filter.kinds, options.filter.valid_at,
                                                    options.filter.subset ? &with : nullptr}));
  MaxFlowResult result;
  for (const NodeId end : ends)
    if (!selection.contains(end)) return result;  // an index node, and only facts are followed
  internal::NetworkBuilder builder(selection, options, common_internal::Pick(options.run.executor));
  result.truncated = !builder.FindNodes(source, sink);
  if (builder.nodes().empty()) return result;
  PLEXUS_ASSIGN(const bool made, builder.MakeArcs());
  result.truncated = !made;
  if (!made) return result;
  result.nodes = builder.nodes().size();
  result.pairs = builder.pairs();
  std::int64_t flow = 0;
  if (!internal::AugmentPaths(builder.network(), options.run.budget, flow)) {
    result.truncated = true;
    return result;
  }
  result.flow = builder.InWeights(flow);
  result.error = builder.error();
  const std::vector<bool> source_side = builder.SourceSide();
  result.source_side =
      static_cast<std::uint64_t>(std::count(source_side.begin(), source_side.end(), true));
  result.cut = builder.CutEdges(source_side);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::connectivity
