// Centrality of nodes: betweenness, closeness and harmonic, HITS, Katz and eigenvector.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::centrality {

// --- Betweenness centrality: the share of shortest paths that pass a node.
//
//   b(v) = sum over s != v != t of sigma(s, t, v) / sigma(s, t)
//
// sigma(s, t) counts the shortest paths from s to t by hops, sigma(s, t, v) those through v
// (Freeman, 1977). The method is Brandes' accumulation (2001). Large graphs use a sample of the
// sources (Brandes, Pich, 2007), scaled up, with an error bound. The graph is simple: kinds and
// parallel edges collapse, and self-loops do not count.

struct BetweennessOptions {
  // Sources, drawn without replacement. 0: all up to kAllUpTo selected nodes, kSampled above. As
  // many as there are nodes, or more: all of them, and the result is exact.
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
  static constexpr std::uint64_t kAllUpTo = 100000, kSampled = 1024;

  std::uint32_t max_hops = 0xFFFFFFFFu;  // Longer paths do not count.
  bool undirected = true;                // False: paths follow the direction of the edges.
  GraphFilter filter = {};
  // budget: edges count each arc once a source; nodes are not counted. The deadline and the cancel
  // flag are checked at each source, and of 16 that go together at each level.
  RunOptions run = {};
};

struct BetweennessResult {
  // By NodeId. 0 for unselected nodes. Undirected: a pair counts once.
  std::vector<double> scores;
  // scores / pairs of other nodes, in [0, 1].
  std::vector<double> shares;
  std::uint64_t nodes = 0;    // Selected nodes.
  std::uint64_t sources = 0;  // Sources searched.
  bool exact = false;         // True when every selected node was a source.
  // With probability 0.9 no share of any node is off by more (Hoeffding over the sources, union
  // over the nodes). 0 when exact, 1 when nothing was searched.
  double bound = 0;
  // The budget ran out. The result is then a sample of the searched sources.
  bool truncated = false;
};

// Computes: the betweenness of every selected node.
// Complexity: O(sources * (nodes + arcs)).
// Memory: 4 to 8 bytes an arc, and 16 more an arc at the start. A pass of 16 sources takes 272
//   bytes a node, 2 more a level (up to 64 levels) and 8 a node of a frontier. Single sources take
//   72 bytes a node and 13 a node and thread. Paths of more than 254 hops, or more paths than f64
//   holds, take 16 more a node and thread.
// Errors: kInvalidArgument: a kind out of range. kResourceExhausted: more arcs than a csr holds, or
//   no memory.
// Threads: thread-safe. The bits are the same at any thread count. Only the graph decides whether
//   16 sources share a pass.
Result<BetweennessResult> Betweenness(const Snapshot& snapshot,
                                      const BetweennessOptions& options = {});

// --- Closeness and harmonic centrality: how near a node is to all others.
//
// v reaches R other nodes at distances d (hops) with the sum D. n nodes are selected.
//   closeness  R / D (Bavelas, 1950). `scaled` multiplies by R / (n - 1), so that a node of a
//              small component does not score high (Wasserman, Faust, 1994; networkx's default).
//   harmonic   the sum of 1 / d (Marchiori, Latora, 2000; Rochat, 2009). Unreached nodes add 0.
// Large graphs take the distances to a sample of the nodes (Eppstein, Wang, "Fast approximation of
// centrality", 2004), scaled up, with an error bound. Sums are integers (1 / d in units of 2^-64),
// so they do not depend on an order.

struct ClosenessOptions {
  // kOut: distances from v to the others (igraph's "out"). kIn: from the others to v (networkx on
  // directed graphs). kBoth: edges are followed either way.
  Direction direction = Direction::kBoth;
  bool scaled = true;                    // closeness is multiplied by R / (n - 1).
  std::uint32_t max_hops = 0xFFFFFFFFu;  // Nodes farther away count as unreached.
  // Only these nodes are measured, each once and exactly. The others get 0, and `samples` is not
  // read.
  std::vector<NodeId> of = {};
  // Nodes to measure distances to, drawn without replacement. 0: all up to kAllUpTo selected nodes,
  // kSampled above. As many as there are nodes, or more: all of them, and the result is exact.
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
  static constexpr std::uint64_t kAllUpTo = 20000, kSampled = 1024;

  GraphFilter filter = {};
  // budget: edges count each arc once for 64 searches, which go together; nodes are not counted.
  // The deadline and the cancel flag are checked within a search; the 64 under way when they say to
  // stop do not count.
  RunOptions run = {};
};

struct ClosenessResult {
  // By NodeId. 0 for nodes that are unselected or reach nothing.
  std::vector<double> closeness, harmonic;
  std::vector<double> reached;  // R by NodeId, a whole number when exact.
  std::uint64_t nodes = 0;      // n.
  std::uint64_t sources = 0;    // Sources searched.
  bool exact = false;
  // 0 when exact. With probability 0.9, for all nodes at once: harmonic / (n - 1) and reached / (n
  // - 1) are off by at most `bound`, the mean distance D / (n - 1) by at most bound * longest, and
  // closeness by at most `closeness_bound` (Hoeffding over the sample, union over the nodes and the
  // three sums). 1 when nothing is guaranteed.
  double bound = 0, closeness_bound = 0;
  // No distance is longer. It is max_hops, or twice the depth of the deepest search (either way,
  // when one search reached every node), or n - 1.
  std::uint64_t longest = 0;
  // The budget ran out. With `of`, only the first `sources` of them are measured and the later ones
  // are 0. With a sample, the sample is smaller. With all nodes, the result is an estimate without
  // a bound.
  bool truncated = false;
};

// Computes: closeness and harmonic centrality of all selected nodes, or of the nodes in `of`.
// Complexity: O(n / 64 * (n + arcs)) on graphs of few levels. Deep graphs (chains, grids) take up
//   to 64 times that, because searches share little.
// Memory: 88 bytes a node and thread. With kBoth also 8 bytes an arc, and 28 while they are made.
//   Nothing has the size n * n.
// Errors: kInvalidArgument: a kind out of range, or a node of `of` that is not selected. kNotFound:
//   a node of `of` that was removed. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<ClosenessResult> Closeness(const Snapshot& snapshot, const ClosenessOptions& options = {});

// --- HITS: hubs point at good authorities, good hubs point at authorities (Kleinberg,
// "Authoritative sources in a hyperlinked environment", 1999).
//
//   authority(v) = sum over arcs u->v of w(u,v) * hub(u)
//   hub(u)       = sum over arcs u->v of w(u,v) * authority(v)
//
// Each vector is scaled to the sum 1 in turn, as networkx does; igraph divides by the largest. The
// method is power iteration from equal hubs. Where the largest singular value belongs to several
// components, the start decides between them, as in networkx. igraph's solver may find another
// mixture.

struct HitsOptions {
  // The iteration stops when hubs and authorities both changed by at most this (L1). The remaining
  // error is larger where the second singular value is near the first. 2^-50 or more.
  double tolerance = 1e-9;
  int max_iterations = 1000;
  bool weighted = true;  // False: every arc counts 1.
  GraphFilter filter = {};
  // budget: edges are 2 * arcs * iterations. It is checked once an iteration.
  RunOptions run = {};
};

struct HitsResult {
  std::vector<double> hubs, authorities;  // By NodeId. Each sums to 1, or to 0 without edges.
  double step = 0;                        // L1 norm of the last change, the larger of the two.
  int iterations = 0;
  bool converged = false;  // step <= tolerance.
  bool truncated = false;  // The budget or max_iterations ended the iteration.
};

// Computes: hub and authority scores. A symmetric edge is an arc in both directions.
// Complexity: O(iterations * (nodes + arcs)).
// Memory: 40 bytes a node, and 16 an arc when rows have to be packed.
// Errors: kInvalidArgument: tolerance, max_iterations or a kind out of range, or weights whose sums
//   leave f64. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<HitsResult> Hits(const Snapshot& snapshot, const HitsOptions& options = {});

// --- Katz and eigenvector centrality: a node scores by the scores of the nodes that point at it.
//
// Katz (1953), in networkx's form, counts walks that end at v, each worth alpha^length:
//   x(v) = alpha * sum over arcs u->v of w(u,v) * x(u) + 1
// x exists when alpha < 1 / r, where r is the spectral radius of the weights. Terms s(i+1) = alpha
// * A' s(i), s(0) = 1, are added up. Once every node's next term is at most q < 1, alpha * r < 1
// and no score can grow by more than q / (1 - q) of itself (Collatz, Wielandt). Parallel edges each
// count. Symmetric edges and, under kBoth, self-loops count once.
//
// Eigenvector centrality (Bonacich, 1972): x proportional to A' x, by power iteration on A' + s I.
// s is half of the last ||A' x||, so bipartite graphs do not oscillate and the steps do not depend
// on the unit of the weights. Where several components have the largest eigenvalue, the answer
// depends on the start, which is uniform.

struct KatzOptions {
  // Above 0, or 0: the largest alpha with three bounds. alpha <= 0.5 / (the proved bound of r).
  // alpha <= 0.5 / (the largest weight). All walks of 1 to 8 arcs add at most as much to scores
  // as there are nodes they lead to. Appends move it a little. Scores compared across appends
  // need one given alpha.
  double alpha = 0;
  // No score is off by more than this share of itself. 2^-50 or more.
  double tolerance = 1e-9;
  int max_iterations = 1000;
  bool weighted = true;  // False: every arc counts 1.
  // kOut: along the edges, a node scores by its in-arcs. kIn: against them. kBoth: either way.
  Direction direction = Direction::kOut;
  GraphFilter filter = {};
  // budget: edges are arcs * iterations. It is checked once an iteration.
  RunOptions run = {};
};

struct KatzResult {
  std::vector<double> scores;  // By NodeId, at least 1. 0 for unselected nodes.
  double norm = 0;             // Euclidean norm. networkx's scores are scores / norm.
  // The alpha used. 0, with all scores 1, when the budget ran out before it was found.
  double alpha = 0;
  // A proved upper bound of r, not an estimate. Infinity when nothing is proved.
  double radius = 0;
  double error = 0;        // No score is off by more than this share. Infinity: unknown.
  int iterations = 0;      // Those that found alpha included.
  bool converged = false;  // error <= tolerance.
  bool truncated = false;  // The budget or max_iterations ended the iteration.
};

// Computes: the Katz centrality of every selected node.
// Complexity: O(iterations * (nodes + arcs)).
// Memory: 40 bytes a node, and 8 an arc when rows have to be packed.
// Errors: kInvalidArgument: alpha, tolerance, max_iterations or a kind out of range, an alpha with
//   walks beyond f64, or an alpha that is proved to diverge (the message has the bound).
//   kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<KatzResult> Katz(const Snapshot& snapshot, const KatzOptions& options = {});

struct EigenvectorOptions {
  double tolerance = 1e-9;  // L1 norm of the last change, at Euclidean norm 1.
  int max_iterations = 1000;
  bool weighted = true;
  Direction direction = Direction::kOut;  // As in KatzOptions.
  GraphFilter filter = {};
  RunOptions run = {};  // As in KatzOptions.
};

struct EigenvectorResult {
  std::vector<double> scores;  // By NodeId. Euclidean norm 1, or all 0 without edges.
  double eigenvalue = 0;       // The Rayleigh quotient x'A'x.
  double step = 0;             // L1 norm of the last change. It does not bound the error.
  int iterations = 0;
  bool converged = false;
  bool truncated = false;  // The budget or max_iterations ended the iteration.
  // No arcs of weight above 0 form a cycle. Then 0 is the only eigenvalue and all scores are 0, as
  // in igraph. Checked once, in the 16th iteration or at the end; false when the budget ran out
  // before.
  bool acyclic = false;
};

// Computes: the eigenvector centrality of every selected node.
// Complexity, memory, errors and threads: as Katz, without alpha.
Result<EigenvectorResult> Eigenvector(const Snapshot& snapshot,
                                      const EigenvectorOptions& options = {});

}  // namespace plexus::centrality
