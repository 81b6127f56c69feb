// ArcAsEdge: an arc that a search kept by reference, as the edge a path shows.
//
// Spelled out here and not by Snapshot::edge, which would also fetch what a path does
// not show.
#pragma once

#include <utility>

#include "algorithms/common/common.h"
#include "engine/snapshot.h"

namespace plexus::common_internal {

// `ref` lies in the row of `row` and leads to `neighbor`.
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

}  // namespace plexus::common_internal
