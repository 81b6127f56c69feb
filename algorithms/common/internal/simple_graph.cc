// Rows become pairs, pairs become a topology, which sorts and deduplicates.
#include "algorithms/common/internal/simple_graph.h"

#include "algorithms/common/internal/selection.h"

namespace plexus::common_internal {

AlignedArray<NodePair> PairsOf(const CsrView& rows, Executor& executor) {
  AlignedArray<NodePair> pairs(rows.arc_count());
  ParallelForEach(executor, rows.node_count(), 2048, [&](NodeId v) {
    for (std::uint32_t a = rows.offsets[v]; a < rows.offsets[v + 1]; ++a)
      pairs[a] = {v, rows.neighbors[a]};
  });
  return pairs;
}

Result<SimpleGraph> MakeSimpleGraph(const Snapshot& snapshot, DenseViewOptions options,
                                    Direction direction, bool inverse) {
  options.out = direction != Direction::kIn;
  options.in = direction == Direction::kIn;
  options.weights = false;
  SimpleGraph graph;
  PLEXUS_ASSIGN(graph.view, DenseView::Make(snapshot, options));
  const AlignedArray<NodePair> pairs =
      PairsOf(options.in ? graph.view.in() : graph.view.out(), Pick(options.executor));
  TopologyOptions wanted;
  wanted.symmetrize = direction == Direction::kBoth;
  wanted.inverse = inverse;
  wanted.executor = options.executor;
  PLEXUS_ASSIGN(graph.edges, BuildTopology(graph.view.node_count(), pairs.span(), wanted));
  return graph;
}

}  // namespace plexus::common_internal
