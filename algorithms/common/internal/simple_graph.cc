// Rows become pairs, pairs become a topology, which sorts and deduplicates.
#include "algorithms/common/internal/simple_graph.h"

#include "algorithms/common/internal/selection.h"
#include "engine/arrays/aligned_array.h"

namespace plexus::internal {

Result<SimpleGraph> MakeSimpleGraph(const Snapshot& snapshot, DenseViewOptions options) {
  options.out = true;
  options.in = false;
  options.weights = false;
  SimpleGraph graph;
  PLEXUS_ASSIGN(graph.view, DenseView::Make(snapshot, options));
  const CsrView out = graph.view.out();
  AlignedArray<NodePair> pairs(out.arc_count());
  ParallelFor(Pick(options.executor), out.node_count(), 2048,
              [&](std::size_t begin, std::size_t end) {
                for (auto v = static_cast<NodeId>(begin); v < end; ++v)
                  for (std::uint32_t a = out.offsets[v]; a < out.offsets[v + 1]; ++a)
                    pairs[a] = {v, out.neighbors[a]};
              });
  TopologyOptions wanted;
  wanted.symmetrize = true;
  wanted.executor = options.executor;
  PLEXUS_ASSIGN(graph.edges, BuildTopology(graph.view.node_count(), pairs.span(), wanted));
  return graph;
}

}  // namespace plexus::internal
