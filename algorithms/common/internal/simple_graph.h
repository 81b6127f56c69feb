// SimpleGraph: the selected nodes as a simple undirected graph.
//
// Directions, kinds and parallel edges collapse into one edge between two nodes, loops
// are gone; every edge is in the rows of both its ends, rows ascend. What triangles and
// cores are defined on.
#pragma once

#include "algorithms/common/common.h"
#include "engine/arrays/aligned_array.h"
#include "engine/bulk/topology.h"

namespace plexus::common_internal {

struct SimpleGraph {
  DenseView view;  // dense ids <-> nodes; keeps the snapshot
  Topology edges;  // over dense ids

  std::uint64_t edge_count() const { return edges.arc_count() / 2; }
};

// O(nodes + arcs); needs 16 to 28 bytes an arc plus the result. The errors of DenseView::Make and
// BuildTopology. `options.out`, `in` and `weights` do not count. `direction`: kBoth is symmetric,
// else rows have the neighbours that way. `inverse`: rows the other way, too.
Result<SimpleGraph> MakeSimpleGraph(const Snapshot& snapshot, DenseViewOptions options,
                                    Direction direction = Direction::kBoth, bool inverse = true);

// The arcs of all rows, in their order.
AlignedArray<NodePair> PairsOf(const CsrView& rows, Executor& executor);

}  // namespace plexus::common_internal
