// Shortest paths between two nodes: by hops, by product of weights, by a cost.
//
// Hops: breadth-first from both ends, the smaller frontier first. Costs:
// Dijkstra from both ends. Both touch only what they reach. `count` above 1 gives
// the next best simple paths (Yen, 1971).
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/budget.h"
#include "algorithms/node_subset.h"
#include "algorithms/path.h"
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
  ColumnId column = 0;  // with kColumn
  int count = 1;        // 1..1000 paths, cheapest first
  Direction direction = Direction::kOut;
  std::vector<KindId> kinds;           // none = the fact plane
  std::int64_t valid_at = kNoTime;     // only edges valid then
  const NodeSubset* subset = nullptr;  // the two ends need not be in it
  // Edges count over all searches together, nodes in each one; a path that is listed is
  // final, so a truncated list is the beginning of the whole one.
  Budget budget;
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

// Thread-safe, deterministic. Among equally cheap paths: fewest hops, then the
// smaller ids seen first. kInvalidArgument: a kind, node, column or count out of
// range, a weight above 1 met with kLogWeight or a negative column value (names
// the edge or node); kNotFound: an end that was removed.
Result<ShortestPathResult> ShortestPath(const Snapshot& snapshot, NodeId from, NodeId to,
                                        const ShortestPathOptions& options = {});

}  // namespace plexus
