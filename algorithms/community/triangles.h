// Triangles, transitivity and local clustering coefficients.
//
// The graph is the simple undirected graph of the selected nodes: directions, kinds and parallel
// edges collapse into one edge, and self-loops do not count. Edges point to the end of higher
// degree (Chiba, Nishizeki, 1985; Schank, Wagner, 2005).
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct TrianglesOptions {
  GraphFilter filter = {};
  // budget: edges are simple edges whose triangles are counted. Nodes do not count. Making the
  // simple graph is not interrupted.
  RunOptions run = {};
};

struct TrianglesResult {
  std::uint64_t nodes = 0, edges = 0;  // Of the simple graph.
  std::uint64_t triangles = 0;
  std::uint64_t wedges = 0;  // Paths of two edges: sum of d (d - 1) / 2.
  // 3 triangles / wedges, 0 without wedges (Newman, Watts, Strogatz, 2002).
  double transitivity = 0;
  bool truncated = false;  // Then triangles and transitivity are lower bounds.
};

// Computes: the number of triangles and the transitivity.
// Complexity: at most O(edges^1.5).
// Memory: 24 to 36 bytes an arc.
// Errors: kInvalidArgument: a kind out of range. kResourceExhausted: more arcs than a csr holds, or
//   no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<TrianglesResult> Triangles(const Snapshot& snapshot, const TrianglesOptions& options = {});

struct ClusteringOptions {
  // LCC of LDBC Graphalytics (specification 1.0): neighbours of either direction, arcs between them
  // by direction, over d (d - 1). False: 2 triangles / (d (d - 1)). Both are equal when every edge
  // is symmetric.
  bool directed = false;
  GraphFilter filter = {};
  RunOptions run = {};  // As in TrianglesOptions.
};

struct ClusteringResult {
  // By NodeId. 0 for nodes of degree below 2 and for unselected nodes.
  std::vector<double> coefficients;
  std::vector<std::uint64_t> triangles;  // By NodeId: triangles with the node.
  std::vector<NodeId> degrees;           // Neighbours in the simple graph. kNoNode: not selected.
  std::uint64_t total = 0;               // Triangles of the graph.
  double average = 0;                    // Mean coefficient of the selected nodes, 0 without any.
  bool truncated = false;                // Then all but the degrees are lower bounds.
};

// Computes: triangles and the clustering coefficient of every selected node.
// Complexity: as Triangles.
// Memory: as Triangles, and 24 bytes a node, of which 8 again a thread (16 where edges have
//   different numbers of directions), and 8 MiB for rows of high degree.
// Errors and threads: as Triangles.
Result<ClusteringResult> Clustering(const Snapshot& snapshot,
                                    const ClusteringOptions& options = {});

}  // namespace plexus
