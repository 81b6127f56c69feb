// Edges as nodes of a graph in RAM, so that whatever selects, sorts and shows nodes does it with
// edges: a node an edge, in order of their sources. Its kind is the edge's; its columns are source,
// target and label (texts), weight, created_at, created_by, valid_from and valid_until; its
// properties are the edge's.
#pragma once

#include <vector>

#include "algorithms/common/budget.h"
#include "algorithms/common/node_subset.h"
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

// The edges that `filter` takes, both ends in `subset` (null: any). A symmetric one comes once.
// O(edges), in memory too. Errors: kUnsupported: an edge kind has the name of a kind of index
// nodes. kCorruption: from the payload store. kResourceExhausted: no memory.
Result<EdgeTable> TableOfEdges(const Snapshot& snapshot, const ArcFilter& filter,
                               const NodeSubset* subset, const Budget& budget, Executor& executor);

}  // namespace plexus::tools
