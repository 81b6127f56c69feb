// Edges as nodes of a graph in RAM, so that whatever selects, sorts and shows nodes does it with
// edges: a node an edge, in order of their sources. Its kind is the edge's; its columns are source,
// target and label (texts), weight, created_at, created_by, valid_from and valid_until; its
// properties are the edge's.
#pragma once

#include <functional>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::tools {

struct EdgeTable {
  Snapshot snapshot;
  struct Ends {
    NodeId source, target;
  };
  std::vector<Ends> ends;  // by node of `snapshot`, ids of the graph
  bool truncated = false;  // the budget ran out before the last edge
};

// Of a table the nodes that are wanted.
using SelectEdges = std::function<Result<NodeSubset>(const Snapshot& table)>;
inline constexpr std::size_t kMaxListedEdges = 4'000'000;  // some 250 bytes each

// The edges that `filter` takes, both ends in `subset` (null: any), and that `select` does (none:
// all). A symmetric one comes once. O(edges); in memory those that are selected, and a part of the
// others at a time.
// Errors: kResourceExhausted: more than kMaxListedEdges are selected, or no memory. kCorruption:
// from the payload store. Those of `select`.
Result<EdgeTable> TableOfEdges(const Snapshot& snapshot, const ArcFilter& filter,
                               const NodeSubset* subset, const SelectEdges& select,
                               const Budget& budget, Executor& executor);

}  // namespace plexus::tools
