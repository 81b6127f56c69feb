// Shortest paths between two nodes: by hops, by product of weights, by a cost.
//
// The first is searched from both ends: by hops breadth-first, the smaller frontier
// first, by cost Dijkstra's algorithm from both sides, until the two radii together
// cannot beat the best meeting (I. Pohl, "Bi-directional search", Machine Intelligence 6,
// 1971). It touches only what it reaches.
//
// `count` above 1 gives the next best simple paths: J. Y. Yen, "Finding the k shortest
// loopless paths in a network", 1971, with E. L. Lawler's rule, 1972, that a path is left
// only behind the node where it left its own parent; searches are A* along a tree
// of cheapest ways to the end that grows as it is needed (paths/internal/k_shortest_paths.h).
//
// Time, with R arcs of the nodes reached: the first path O(R log R) by cost, O(R) by hops.
// The next ones: the tree once, O(R log R) of what is nearer to the end than searches
// had to go; then for every path listed one look along the rows of its nodes, and
// O(length) to spell it. In the worst case, where each of the length * count
// sets of paths needs a search of its own, Yen's O(count * length * R log R).
// Memory: some 60 bytes a node reached, and for every step of every path listed 24 bytes
// of reply and 32 of what is still open.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/edge_step.h"
#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

enum class PathCost : std::uint8_t {
  kHops,       // 1 per edge
  kLogWeight,  // -ln(weight): the best product; weight 0 is never followed
  kWeight,     // the weight itself as a length
  kColumn,     // the f64 node column `column` of the node stepped into; nodes
               // without a value are not entered
};

struct ShortestPathOptions {
  PathCost cost = PathCost::kHops;
  ColumnId column{};  // with kColumn
  int count = 1;      // 1..1000 paths, cheapest first
  Direction direction = Direction::kOut;
  // subset: the two ends need not be in it.
  GraphFilter filter = {};
  // budget: edges count over all searches together, nodes in each one (the tree of the next paths
  // counts with the search that uses it). A path that is listed is final, so a truncated list is
  // the beginning of the whole one. executor: not used.
  RunOptions run = {};
};

struct FoundPath {
  double cost = 0;
  std::vector<NodeId> nodes;    // from ... to; one node when from == to
  std::vector<PathEdge> edges;  // nodes.size() - 1
};

struct ShortestPathResult {
  std::vector<FoundPath> paths;  // empty: there is none (or truncated)
  bool truncated = false;
  std::uint64_t edges = 0;  // arcs looked at
};

// Thread-safe, deterministic, on the caller's thread. Listed by (cost, hops); costs are
// summed from the start in f64, and two that differ by rounding alone may stand either way
// round. Among paths equal in both the ones seen first, smaller ids first, are listed; the first
// path is the same whatever `count`. Paths differ in their nodes: of parallel edges only the
// cheapest is used. kInvalidArgument: a kind, node, column or count out of range, a weight
// above 1 met with kLogWeight or a negative column value (names the edge or node);
// kNotFound: an end that was removed.
Result<ShortestPathResult> ShortestPath(const Snapshot& snapshot, NodeId from, NodeId to,
                                        const ShortestPathOptions& options = {});

}  // namespace plexus
