// Triangles, transitivity and local clustering coefficients.
//
// Over the simple undirected graph of the selected nodes: directions, kinds and parallel
// edges collapse into one edge between two nodes, self-loops do not count. Edges are
// pointed at their busier end (Chiba, Nishizeki, 1985; Schank, Wagner, 2005), rows are
// looked up in a bitmap, and rows of hubs compared as bits, with the best instructions
// that the machine has.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct TrianglesOptions {
  GraphFilter filter = {};
  // budget: edges are those of the simple graph whose triangles are looked for; nodes do not count.
  // Making the simple graph is not cut short.
  RunOptions run = {};
};

struct TrianglesResult {
  std::uint64_t nodes = 0, edges = 0;  // of the simple graph
  std::uint64_t triangles = 0;
  std::uint64_t wedges = 0;  // paths of two edges: sum of d (d - 1) / 2
  // 3 triangles / wedges, 0 without wedges (Newman, Watts, Strogatz, 2002).
  double transitivity = 0;
  bool truncated = false;  // then triangles and transitivity are lower bounds
};

// At most O(edges^1.5). Thread-safe, same bits at any thread count. Needs 24 to 36 bytes
// an arc while it runs. kInvalidArgument: a kind out of range. kResourceExhausted: more arcs
// than a csr holds.
Result<TrianglesResult> Triangles(const Snapshot& snapshot, const TrianglesOptions& options = {});

struct ClusteringOptions {
  // LDBC Graphalytics' definition for directed graphs (specification 1.0, LCC): neighbours
  // are those of either direction, arcs between them count per direction, over d (d - 1).
  // Without: 2 triangles / (d (d - 1)). Equal when every edge is symmetric.
  bool directed = false;
  GraphFilter filter = {};
  // As in TrianglesOptions.
  RunOptions run = {};
};

struct ClusteringResult {
  // By NodeId; 0 for nodes of degree below 2 and for those not selected.
  std::vector<double> coefficients;
  std::vector<std::uint64_t> triangles;  // that the node is part of
  std::vector<NodeId> degrees;           // neighbours in the simple graph; kNoNode: not selected
  std::uint64_t total = 0;               // triangles
  double average = 0;                    // coefficient, over the selected nodes; 0 without any
  bool truncated = false;                // then all but the degrees are lower bounds
};

// As Triangles; needs 24 bytes a node more, of which 8 again for every thread (16 where edges have
// different numbers of directions), and 8 MiB for hubs.
Result<ClusteringResult> Clustering(const Snapshot& snapshot,
                                    const ClusteringOptions& options = {});

}  // namespace plexus
