// Katz and eigenvector centrality: a node scores by the scores of the nodes that point at it.
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
#pragma once

#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

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

}  // namespace plexus
