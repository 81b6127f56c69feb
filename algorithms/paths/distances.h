// Distances: what the cheapest path from one node to every other costs.
//
// Delta-stepping (Meyer, Sanders, "Delta-stepping: a parallelizable shortest path algorithm",
// Journal of Algorithms 49, 2003) in f64, as paths/internal/delta_stepping.h has it. For the path
// itself, or for one target, ask shortest_path.h, which touches only what it needs; this fills an
// array over all nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "algorithms/paths/shortest_path.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct DistancesOptions {
  PathCost cost = PathCost::kHops;  // as ShortestPath's
  ColumnId column{};                // with kColumn
  double delta = 0;                 // bucket width; 0 = chosen from the costs
  Direction direction = Direction::kOut;
  GraphFilter filter = {};
  // budget: deadline and cancel flag alone.
  RunOptions run = {};
};

struct DistancesResult {
  std::vector<double> distances;  // by NodeId; infinity: not reached, or not selected
  std::uint64_t reached = 0;      // nodes, the source included
  bool truncated = false;         // then only distances that are certain are there
};

// Thread-safe, same bits at any thread count and for any delta: sums are taken along the
// path, in its order.
// Time: O(nodes + arcs) to make the costs, then every arc of a node is looked at each time the
// node leaves a bucket with a lower cost than before: once each with a delta below the least
// cost of an arc, a few times with the delta that is chosen, again and again with one that is far
// too wide; one far too narrow adds passes over what waits. Memory: 16 bytes a node, and 16 for
// each improvement not yet worked off (mostly one a node); 8 an arc and direction
// for kLogWeight and kColumn; and the rows of the view, 8 an arc and direction, when there is a
// delta, a hidden kind or an unselected node (dense_view.h).
// A source of the index plane meets nothing while only kinds of facts are followed; it need not be
// in the subset. kInvalidArgument: a kind, column or source out of range, a delta that is not
// finite or negative, a weight above 1 with kLogWeight or a negative column value (names edge or
// node); kNotFound: a source that was removed.
Result<DistancesResult> Distances(const Snapshot& snapshot, NodeId source,
                                  const DistancesOptions& options = {});

}  // namespace plexus
