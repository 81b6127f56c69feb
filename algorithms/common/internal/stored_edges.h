// ArcEdges: positions among a view's out arcs, spelled out as edges.
//
// Kernels over a DenseView choose arcs by position; results show edges with kind and label, which
// packed rows do not carry. Chosen rows are walked once more in the snapshot.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/selection.h"
#include "engine/parallel.h"

namespace plexus::common_internal {

// The edge in its own direction.
PathEdge EdgeOf(const Snapshot& snapshot, const Arc& arc, NodeId row);

// One edge a position, in their order. REQUIRES ascending positions of view.out(), where
// `view` was made of what `selection` selects. O(positions + the rows they are in).
std::vector<PathEdge> EdgesAt(const Selection& selection, const DenseView& view,
                              std::span<const std::uint32_t> positions, Executor& executor);

}  // namespace plexus::common_internal
