// Communities and cohesion: triangles, core numbers, label propagation, Leiden, a layout of them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::community {

// --- Triangles, transitivity and local clustering coefficients.
//
// The graph is the simple undirected graph of the selected nodes: directions, kinds and parallel
// edges collapse into one edge, and self-loops do not count. Edges point to the end of higher
// degree (Chiba, Nishizeki, 1985; Schank, Wagner, 2005).

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

// --- Core numbers: how deep a node lies in the dense part of the graph.
//
// The k-core is what remains when nodes with fewer than k neighbours are removed until none is left
// (Seidman, 1983). The core number of a node is the largest k whose core contains it. The graph is
// the simple undirected one of triangles. The method is peeling by levels of k, nodes of the
// lowest remaining degree first (after Batagelj, Zaversnik, 2003).

struct KCoreOptions {
  GraphFilter filter = {};
  // budget: nodes are removed nodes, edges the arcs followed from them in either direction.
  // executor: counts neighbours.
  RunOptions run = {};
};

struct KCoreResult {
  static constexpr std::uint32_t kNotSelected = 0xFFFFFFFFu;
  std::vector<std::uint32_t> cores;  // By NodeId, or kNotSelected.
  std::uint32_t degeneracy = 0;      // The largest core number.
  std::vector<std::uint64_t> sizes;  // sizes[k]: nodes of core number k. degeneracy + 1 entries.
  // The budget ran out. Core numbers below `degeneracy` are right. The remaining nodes get
  // `degeneracy`, a lower bound of theirs.
  bool truncated = false;
};

// Computes: the core number of every selected node.
// Complexity: O(nodes + arcs).
// Memory: 16 bytes a node, and 4 a node and thread.
// Errors: kInvalidArgument: a kind out of range. kResourceExhausted: no memory.
// Threads: thread-safe. Peeling runs on one thread. Core numbers are unique, so the result is
//   deterministic.
Result<KCoreResult> KCore(const Snapshot& snapshot, const KCoreOptions& options = {});

// --- Label propagation: every node takes the label that most of its neighbours have.
//
// CDLP of LDBC Graphalytics (specification 1.0.1, "Community Detection using Label Propagation",
// after Raghavan, Albert, Kumara, 2007). The first label of a node is its id. In every iteration
// all nodes at once take the most frequent label among the other ends of their in-arcs and
// out-arcs, the smallest of several. A node without arcs keeps its label. Synchronous iteration may
// oscillate on nearly bipartite graphs, so the number of iterations is fixed.
//
// Where Graphalytics leaves it open: parallel edges, kinds and labels each count. A self-loop
// counts twice for its node. A symmetric edge is an edge in both directions and counts twice at
// both ends. Leiden costs more and finds better communities.

struct LabelPropagationOptions {
  int iterations = 10;  // At least 0.
  GraphFilter filter = {};
  // budget: only the deadline and the cancel flag. They are checked between iterations.
  RunOptions run = {};
};

struct LabelPropagationResult {
  std::vector<NodeId> labels;  // By NodeId: a NodeId. kNoNode: not selected.
  std::uint32_t count = 0;     // Different labels.
  int iterations = 0;          // Iterations done. Fewer when nothing changes any more.
  bool converged = false;      // Another iteration would change nothing.
  bool truncated = false;      // The budget ran out. Labels are those after `iterations`.
};

// Computes: the label of every selected node after the iterations.
// Complexity: O(iterations * arcs).
// Memory: 8 bytes a node and thread, and 8 a node, without the rows.
// Errors: kInvalidArgument: negative iterations or a kind out of range. kResourceExhausted: no
//   memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<LabelPropagationResult> LabelPropagation(const Snapshot& snapshot,
                                                const LabelPropagationOptions& options = {});

// --- Leiden: communities of high modularity, every one of them connected (Traag, Waltman, van Eck,
// "From Louvain to Leiden: guaranteeing well-connected communities", 2019).
//
// The graph is undirected. A_uv, u != v, is the sum of the weights of all selected edges between u
// and v, of either direction, every kind and label. A symmetric edge counts once. A_vv is twice the
// weight of v's self-loops. With k_u = sum over v of A_uv and 2m = sum over u of k_u, the quality
// is
//   Q = 1/2m * sum over pairs (u, v) of one community of (A_uv - resolution k_u k_v / 2m)
// (Newman, Girvan, 2004; resolution: Reichardt, Bornholdt, 2006). Nodes move to the neighbouring
// community that gains most, communities are refined into well-connected parts, and parts become
// the nodes of a smaller graph. A part joins the best part, not a drawn one (GVE-Leiden: Sahu,
// 2023).

struct LeidenOptions {
  double resolution = 1;  // >= 0. Larger values give more and smaller communities.
  // Rounds from single nodes up, each from the partition of the one before. It stops sooner when
  // nothing moves. At least 1.
  int iterations = 2;
  // A level ends when a sweep raised Q by less than this. An iteration ends at a level that raised
  // Q by less. 0: when no move gains.
  double tolerance = 1e-4;
  std::uint64_t seed = 0;  // Of the order in which nodes move.
  bool weighted = true;    // False: every edge counts 1.
  GraphFilter filter = {};
  // budget: edges are arcs read while nodes move. They stop at the same place at any thread count.
  // Nodes do not count. Deadline and cancel flag are checked before every block of rows and class
  // of moves, at times within a row, and during refinement and aggregation.
  RunOptions run = {};
};

struct LeidenResult {
  static constexpr std::uint32_t kNotSelected = 0xFFFFFFFFu;
  // By NodeId: 0, 1, ... in the order of each community's smallest member, or kNotSelected. Paths
  // of positive weights inside a community always join its nodes. A node without these edges is a
  // community of its own.
  std::vector<std::uint32_t> communities;
  std::vector<std::uint64_t> sizes;  // By community.
  std::uint32_t count = 0;           // Communities.
  // Q of `communities`. 0 without edges, and when the budget ended before the undirected rows were
  // made (then every node is its own community). Modularity() may differ in the last bits.
  double modularity = 0;
  int levels = 0;           // Graphs in which nodes moved, the most of one iteration.
  int iterations = 0;       // Iterations begun. 0 without edges or rows.
  std::uint64_t moves = 0;  // Moves of nodes with a choice, and of merged nodes.
  // The budget ran out. The partition is as good as it was then, and connected.
  bool truncated = false;
};

// Computes: a partition of the selected nodes of high Q.
// Complexity: about 10 to 20 passes over the arcs. No bound better than O(sweeps * arcs) is known,
//   so a level has at most 100 sweeps and an iteration at most 64 levels.
// Memory: 12 bytes an arc and 32 a node of the undirected graph and of at most two smaller ones,
//   about 100 more a node, and 12 a node for each thread and one more. With equal weights an arc
//   takes 8 once the rows are made, and a node of the smaller graphs 8.
// Errors: kInvalidArgument: a resolution or tolerance that is negative or not finite, iterations
//   below 1, or a kind out of range. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<LeidenResult> Leiden(const Snapshot& snapshot, const LeidenOptions& options = {});

// Computes: Q of any partition. `communities` is by NodeId and holds any numbers; those of
//   unselected nodes are not read. Of `options` it reads the filter, `weighted`, the resolution,
//   the executor, and the budget's deadline and cancel flag.
// Complexity: O(nodes + arcs).
// Errors: those of Leiden. kInvalidArgument: a length other than the node count of the snapshot.
//   kCancelled: the budget ended it.
// Threads: thread-safe.
Result<double> Modularity(const Snapshot& snapshot, std::span<const std::uint32_t> communities,
                          const LeidenOptions& options = {});

// --- CommunityLayout: places in the plane for a drawing, communities first, then their members.
//
// Each community of Leiden has a disc, whose area follows its number of nodes. The largest is in
// the middle, the others in rings around it, by size; in a ring each is turned towards those
// further in that it shares edges with. No two discs overlap. Inside a disc the node with most
// edges there is the centre, and a breadth-first tree from it spreads outwards: a subtree has a
// sector that follows its number of leaves (Eades, "Drawing Free Trees", 1992), a depth a ring of
// the disc whose area follows its number of nodes. Within its ring a node's radius goes by the
// golden ratio, so that neighbours in angle are not neighbours in radius (a Kronecker sequence).

struct CommunityLayoutOptions {
  double spacing = 10;     // A disc of n nodes has the radius spacing * sqrt(n). Finite, > 0.
  std::uint64_t seed = 0;  // LeidenOptions::seed
  GraphFilter filter = {};
  // budget: edges are those that Leiden reads. Deadline and cancel flag as for Leiden, and before
  // every community.
  RunOptions run = {};
};

struct CommunityLayoutResult {
  struct Place {
    float x = std::numeric_limits<float>::quiet_NaN(), y = x;
  };
  struct Disc {
    float x = 0, y = 0, radius = 0;
  };
  std::vector<Place> places;               // By NodeId; not numbers: not selected.
  std::vector<std::uint32_t> communities;  // LeidenResult::communities
  std::vector<Disc> discs;                 // By community.
  // The budget ran out. In Leiden: the communities are those that it had. Later: there are no
  // places, communities and discs.
  bool truncated = false;
};

// Computes: a place for each selected node. Edges count once between two nodes, whatever their
//   direction, kind and weight, but for Leiden, which reads weights.
// Complexity: Leiden's, and O(nodes log nodes + arcs).
// Memory: Leiden's, then 12 bytes an arc and about 60 a node.
// Errors: those of Leiden. kInvalidArgument: a spacing that is not finite or not above 0.
// Threads: thread-safe. The bits are the same at any thread count.
Result<CommunityLayoutResult> CommunityLayout(const Snapshot& snapshot,
                                              const CommunityLayoutOptions& options = {});

}  // namespace plexus::community
