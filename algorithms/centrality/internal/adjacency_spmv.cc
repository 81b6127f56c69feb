// One direction is the dense view's; both are packed here, counted first, then filled.
#include "algorithms/centrality/internal/adjacency_spmv.h"

#include "algorithms/common/internal/selection.h"

namespace plexus::centrality::internal {

namespace {

// fn(neighbour's dense id, weight) for every arc of a row, either way.
template <class Fn>
void ForRow(const common_internal::Selection& selection, const DenseView& view, NodeId dense,
            Fn&& fn) {
  selection.snapshot->ForEachArc(Direction::kBoth, view.node(dense), selection.filter,
                                 [&](const Arc& arc) {
                                   const NodeId place = view.dense(arc.neighbor);
                                   if (place != kNoNode) fn(place, arc.weight);
                                 });
}

}  // namespace

Result<AdjacencyRows> MakeAdjacencyRows(const Snapshot& snapshot, Direction direction,
                                        DenseViewOptions options) {
  options.out = direction == Direction::kOut;
  options.in = direction == Direction::kIn;
  AdjacencyRows made;
  PLEXUS_ASSIGN(made.view, DenseView::Make(snapshot, options));
  if (direction != Direction::kBoth) {
    made.rows = options.out ? made.view.out() : made.view.in();
    return made;
  }
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, options.filter));
  Executor& executor = common_internal::Pick(options.executor);
  const NodeId n = made.view.node_count();
  made.offsets = AlignedArray<std::uint32_t>(std::size_t{n} + 1);
  made.offsets[0] = 0;
  ParallelForEach(executor, n, kRowGrain, [&](NodeId v) {
    std::uint32_t count = 0;
    ForRow(selection, made.view, v, [&](NodeId, float) { ++count; });
    made.offsets[v + 1] = count;
  });
  std::uint64_t total = 0;
  for (NodeId v = 0; v < n; ++v) {
    total += made.offsets[v + 1];
    if (total > Limits::kMaxArcs)
      return Exhausted("the selected rows hold more arcs than one csr may");
    made.offsets[v + 1] = static_cast<std::uint32_t>(total);
  }
  made.neighbors = AlignedArray<NodeId>(total);
  if (options.weights) made.weights = AlignedArray<float>(total);
  ParallelForEach(executor, n, kRowGrain, [&](NodeId v) {
    std::uint32_t at = made.offsets[v];
    ForRow(selection, made.view, v, [&](NodeId neighbor, float weight) {
      made.neighbors[at] = neighbor;
      if (options.weights) made.weights[at] = weight;
      ++at;
    });
  });
  made.rows = {made.offsets.span(), made.neighbors.span(), made.weights.span(), {}, {}};
  return made;
}

}  // namespace plexus::centrality::internal
