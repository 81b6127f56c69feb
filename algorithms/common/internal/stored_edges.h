// Arcs that a kernel kept, spelled out as the edges that its result shows.
//
// Kernels over a DenseView choose arcs by position; results show edges with kind and label, which
// packed rows do not carry. Chosen rows are walked once more in the snapshot.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/selection.h"
#include "engine/parallel.h"

namespace plexus::common_internal {

// The edge in its own direction.
PathEdge EdgeOf(const Snapshot& snapshot, const Arc& arc, NodeId row);

// Of an arc that a search kept by reference: spelled out here and not by Snapshot::edge, which
// would also fetch what a path does not show. `ref` lies in the row of `row` and leads to
// `neighbor`.
inline PathEdge ArcAsEdge(const Snapshot& snapshot, NodeId row, NodeId neighbor, ArcRef ref) {
  PathEdge step{row, neighbor, {}, 0, 0};
  if (ref.run != 0) {
    const engine_internal::DeltaArc& arc =
        snapshot.tables().run_rows(ref.run - 1, ref.direction).arcs[ref.position];
    step.kind = arc.kind;
    step.label = arc.label;
    step.weight = arc.weight;
  } else {
    const StoredCsrView& base = snapshot.base_rows(ref.direction);
    step.kind = base.kind(ref.position);
    step.label = engine_internal::BaseLabel(snapshot.base(), ref.direction, ref.position);
    step.weight = base.weight(ref.position);
  }
  if (ref.direction == Direction::kIn) std::swap(step.source, step.target);
  if (step.source > step.target && snapshot.schema().edge_kind(step.kind).symmetric)
    std::swap(step.source, step.target);
  return step;
}

// One edge a position, in their order. REQUIRES ascending positions of view.out(), where
// `view` was made of what `selection` selects. O(positions + the rows they are in).
std::vector<PathEdge> EdgesAt(const Selection& selection, const DenseView& view,
                              std::span<const std::uint32_t> positions, Executor& executor);

}  // namespace plexus::common_internal
