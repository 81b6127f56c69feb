// Minimum spanning forest: the cheapest edges that keep together what hangs together.
//
// Edges are read without their direction; a tree for every connected component. Of the
// forests of least weight it is the one that Kruskal (1956) finds when edges of equal
// weight come in the order of the rows: by source, kind, target, label. Filter-Kruskal
// (Osipov, Sanders, Singler, 2009): the lightest edges are sorted and joined first, and
// what then runs inside a tree is thrown away before it is ever sorted.
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

struct SpanningForestOptions {
  bool maximum = false;  // the heaviest edges instead of the lightest
  bool weighted = true;  // false: every edge weighs 1
  GraphFilter filter = {};
  // budget: deadline and cancel flag alone.
  RunOptions run = {};
};

struct SpanningForestResult {
  std::vector<PathEdge> edges;  // by source, kind, target, label; nodes - trees of them
  double weight = 0;            // their sum, added in that order
  std::uint64_t nodes = 0;      // selected
  std::uint64_t trees = 0;      // a node without edges is one
  bool truncated = false;       // the budget ran out; then the forest's cheapest edges alone
};

// O(nodes + arcs + light * log(light)) where light is a few times the number of nodes; at
// worst arcs * log(arcs). 20 to 40 bytes a light arc and a bit an arc beside the view.
// Joining is one thread's work, everything else parallel. Thread-safe, same result at any
// thread count. kInvalidArgument: a kind out of range.
Result<SpanningForestResult> SpanningForest(const Snapshot& snapshot,
                                            const SpanningForestOptions& options = {});

}  // namespace plexus
