// Distances: the cost of the cheapest path from one node to every other.
//
// Delta-stepping (Meyer, Sanders, "Delta-stepping: a parallelizable shortest path algorithm",
// Journal of Algorithms 49, 2003) in f64. For a path, or for one target, shortest_path.h touches
// only what it needs; this fills an array over all nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/options.h"
#include "algorithms/paths/shortest_path.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct DistancesOptions {
  PathCost cost = PathCost::kHops;  // As in ShortestPathOptions.
  ColumnId column{};                // With kColumn.
  double delta = 0;                 // Bucket width. 0: chosen from the costs.
  Direction direction = Direction::kOut;
  GraphFilter filter = {};
  RunOptions run = {};  // budget: only the deadline and the cancel flag.
};

struct DistancesResult {
  std::vector<double> distances;  // By NodeId. Infinity: unreached or unselected.
  std::uint64_t reached = 0;      // Nodes, the source included.
  bool truncated = false;         // Then only distances that are certain are filled.
};

// Computes: all distances from `source`, which need not be in the subset. A source of the index
//   plane reaches nothing while only fact kinds are followed. Sums are taken along the path, in its
//   order.
// Complexity: O(nodes + arcs) for the costs. Then a node's arcs are relaxed each time it leaves a
//   bucket with a lower cost: once with a delta below the least cost, a few times with the chosen
//   delta, often with one far too wide. A delta far too narrow adds passes over waiting entries.
// Memory: 16 bytes a node, and 16 for each waiting improvement (mostly one a node). kLogWeight and
//   kColumn add 8 an arc and direction. A delta, a hidden kind or an unselected node adds the rows
//   of a view, 8 an arc and direction (dense_view.h).
// Errors: kInvalidArgument: a kind, column or source out of range, a delta that is negative or not
//   finite, or, named in the message, an edge of weight above 1 with kLogWeight or a node of
//   negative column value. kNotFound: a source that was removed. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count and for any delta.
Result<DistancesResult> Distances(const Snapshot& snapshot, NodeId source,
                                  const DistancesOptions& options = {});

}  // namespace plexus
