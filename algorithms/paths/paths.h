// Shortest paths: between two nodes, and the distances from one to all others.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::paths {

// --- Shortest paths between two nodes: by hops, by product of weights, by a cost.
//
// The first path is searched from both ends (Pohl, "Bi-directional search", Machine Intelligence 6,
// 1971): by hops breadth-first, the smaller frontier first; by cost Dijkstra from both sides.
// Further paths are the next best simple ones (Yen, "Finding the k shortest loopless paths in a
// network", 1971, with Lawler's rule, 1972), by A* along a reverse shortest-path tree that grows on
// demand.

enum class PathCost : std::uint8_t {
  kHops,       // 1 per edge.
  kLogWeight,  // -ln(weight): the best product. Weight 0 is never followed.
  kWeight,     // The weight as a length.
  // The f64 node column `column` of the node stepped into. Nodes without a value are not entered.
  kColumn,
};

struct ShortestPathOptions {
  PathCost cost = PathCost::kHops;
  ColumnId column{};  // With kColumn.
  int count = 1;      // 1..1000 paths, cheapest first.
  std::uint32_t max_hops = UINT32_MAX;  // No path has more edges. Only with kHops.
  Direction direction = Direction::kOut;
  GraphFilter filter = {};  // subset: the two ends need not be in it.
  // budget: edges count over all searches together, nodes in each one (the tree of the next paths
  // counts with the search that uses it). Listed paths are final: a truncated list is the beginning
  // of the whole one. executor: not used.
  RunOptions run = {};
};

struct FoundPath {
  double cost = 0;
  std::vector<NodeId> nodes = {};    // from ... to. One node when from == to.
  std::vector<PathEdge> edges = {};  // nodes.size() - 1
};

struct ShortestPathResult {
  std::vector<FoundPath> paths;  // Empty: no path, or truncated.
  bool truncated = false;
  std::uint64_t edges = 0;  // Arcs read.
};

// Computes: the `count` cheapest paths, ordered by (cost, hops). Costs are summed from the start in
//   f64; two that differ only by rounding may be in either order. Ties go to the path found first,
//   smaller ids first. The first path is the same for every `count`. Paths differ in their nodes:
//   of parallel edges only the cheapest is used.
// Complexity: with R arcs of the reached nodes, the first path O(R) by hops, O(R log R) by cost.
//   Further paths take the tree once, O(R log R), then one pass over the rows of its nodes and
//   O(length) for each path. The worst case is Yen's, O(count * length * R log R).
// Memory: about 60 bytes a reached node. A step of a listed path takes 24 bytes of reply and 32 of
//   open sets.
// Errors: kInvalidArgument: a kind, node, column or count out of range, max_hops with another cost
//   than hops (the best ways of so many edges are Traverse's), or, named in the message,
//   an edge of weight above 1 with kLogWeight or a node of negative column value. kNotFound: an end
//   that was removed. kResourceExhausted: no memory.
// Threads: thread-safe and deterministic, on the caller's thread.
Result<ShortestPathResult> ShortestPath(const Snapshot& snapshot, NodeId from, NodeId to,
                                        const ShortestPathOptions& options = {});

// --- Distances: the cost of the cheapest path from one node to every other.
//
// Delta-stepping (Meyer, Sanders, "Delta-stepping: a parallelizable shortest path algorithm",
// Journal of Algorithms 49, 2003) in f64. For a path, or for one target, ShortestPath
// touches only what it needs; this fills an array over all nodes.

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
//   of a view, 8 an arc and direction (DenseView).
// Errors: kInvalidArgument: a kind, column or source out of range, a delta that is negative or not
//   finite, or, named in the message, an edge of weight above 1 with kLogWeight or a node of
//   negative column value. kNotFound: a source that was removed. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count and for any delta.
Result<DistancesResult> Distances(const Snapshot& snapshot, NodeId source,
                                  const DistancesOptions& options = {});

}  // namespace plexus::paths
