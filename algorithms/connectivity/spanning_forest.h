// Minimum spanning forest: the cheapest edges that keep every component connected.
//
// Edges are undirected, and every component gets a tree. Of the forests of least weight it is the
// one of Kruskal (1956) when edges of equal weight are in row order: by source, kind, target,
// label. The method is Filter-Kruskal (Osipov, Sanders, Singler, 2009): the lightest edges are
// sorted and joined first, and edges that then lie inside a tree are dropped before they are
// sorted.
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
  bool maximum = false;  // The heaviest edges, not the lightest.
  bool weighted = true;  // False: every edge weighs 1.
  GraphFilter filter = {};
  RunOptions run = {};  // budget: only the deadline and the cancel flag.
};

struct SpanningForestResult {
  std::vector<PathEdge> edges;  // nodes - trees of them, by source, kind, target, label.
  double weight = 0;            // The sum of their weights, added in that order.
  std::uint64_t nodes = 0;      // Selected nodes.
  std::uint64_t trees = 0;      // A node without edges is one.
  bool truncated = false;       // The budget ran out. Then only the cheapest edges of the forest.
};

// Computes: the spanning forest of the selected nodes.
// Complexity: O(nodes + arcs + light * log(light)), where light is a few times the number of nodes.
//   At worst O(arcs * log(arcs)).
// Memory: 20 to 40 bytes a light arc and a bit an arc, without the view.
// Errors: kInvalidArgument: a kind out of range. kResourceExhausted: no memory.
// Threads: thread-safe. The result is the same at any thread count. One thread joins trees, the
//   rest is parallel.
Result<SpanningForestResult> SpanningForest(const Snapshot& snapshot,
                                            const SpanningForestOptions& options = {});

}  // namespace plexus
