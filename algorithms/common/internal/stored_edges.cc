// A row of the view is the row of the snapshot without what was not selected.
#include "algorithms/common/internal/stored_edges.h"

#include <algorithm>

#include "engine/adjacency/csr.h"

namespace plexus::common_internal {

PathEdge EdgeOf(const Snapshot& snapshot, const Arc& arc, NodeId row) {
  const Edge e = snapshot.edge(arc, row);
  return {e.source, e.target, e.kind, e.label, e.weight};
}

std::vector<PathEdge> EdgesAt(const Selection& selection, const DenseView& view,
                              std::span<const std::uint32_t> positions, Executor& executor) {
  const Snapshot& snapshot = *selection.snapshot;
  const CsrView rows = view.out();
  std::vector<PathEdge> edges(positions.size());
  // Few blocks: each may have to walk a hub's row from its beginning.
  const std::size_t grain = std::max<std::size_t>(4096, positions.size() / 16 + 1);
  ParallelFor(executor, positions.size(), grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end;) {
      const auto after = std::upper_bound(rows.offsets.begin(), rows.offsets.end(), positions[i]);
      const auto row = static_cast<NodeId>(after - rows.offsets.begin() - 1);
      const NodeId node = view.node(row);
      if (!view.packed()) {
        for (; i < end && positions[i] < *after; ++i) {
          const std::uint32_t at = positions[i];
          const Arc arc{rows.neighbors[at],
                        rows.kind(at),
                        snapshot.base().out_weights[at],
                        {0, at, Direction::kOut}};
          edges[i] = EdgeOf(snapshot, arc, node);
        }
        continue;
      }
      std::uint32_t at = rows.offsets[row];
      snapshot.ForEachArc(Direction::kOut, node, selection.filter, [&](const Arc& arc) {
        if (view.dense(arc.neighbor) == kNoNode) return true;
        if (at++ == positions[i]) edges[i++] = EdgeOf(snapshot, arc, node);
        return i < end && positions[i] < *after;
      });
    }
  });
  return edges;
}

}  // namespace plexus::common_internal
