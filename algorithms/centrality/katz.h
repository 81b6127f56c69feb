// Katz and eigenvector centrality: who is pointed at by those who are pointed at.
//
// Katz (1953), as networkx has it:  x(v) = alpha * sum over arcs u->v of w(u,v) * x(u) + 1,
// that is, walks that end at v, each worth alpha to the power of its length. It exists
// when alpha < 1 / r, r the spectral radius of the weights. How that is known, and when it
// stops: the terms s(0) = 1, s(i+1) = alpha * A's(i) add up to x(t); once every node's next
// term is at most q < 1, (I - alpha A')x(t) >= 1 - q > 0, so alpha * r < 1 (Collatz,
// Wielandt) and no score can still grow by more than q / (1 - q) times itself. That holds
// for every node, so for the L1 norm too. Parallel edges each count; symmetric edges and, under
// kBoth, self-loops once (networkx's A of an undirected graph).
//
// Which alpha, when none is given? Katz advises 1 / alpha between r and 2r; networkx takes 0.1
// and igraph 1, whatever the graph. A graph without cycles has r = 0: every alpha converges, and
// with few cycles r says little about its walks. So the default is the largest alpha with
//   alpha <= 0.5 / r', r' what r is proved to be at most
//   alpha <= 0.5 / the largest weight: an arc leaves at most half of a walk
//   all walks of 1 to 8 arcs together add no more to scores than there are nodes they lead to.
// Where all edges are symmetric the first is the least (the largest weight is at most r, and walks
// of k arcs are at most nodes * r^k). Chains and trees away from their root get 0.5 / weight at any
// length. It follows the unit of the weights, and nodes without edges do not change it; an append
// changes it as little as it changes the three bounds. To compare scores across appends give the
// same alpha.
//
// Eigenvector centrality (Bonacich, 1972): x proportional to A'x, by power iteration on
// A' + s * I, s half of the last ||A'x||: bipartite graphs do not make it oscillate, and it
// takes the same steps in whatever unit the weights are (networkx's s is 1). Where
// several components have the largest eigenvalue, the answer depends on the start, which
// is uniform.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct KatzOptions {
  double alpha = 0;  // above 0; 0 = by the rule above
  // Stop when no score can be off by more than this share of itself.
  double tolerance = 1e-9;  // 2^-50 or more
  int max_iterations = 1000;
  bool weighted = true;
  // Along the edges (a node counts who points at it), against them, or either way.
  Direction direction = Direction::kOut;
  GraphFilter filter = {};
  // budget: edges are arcs x iterations. Looked at once an iteration.
  RunOptions run = {};
};

struct KatzResult {
  std::vector<double> scores;  // by NodeId, at least 1; 0 for nodes that are not selected
  double norm = 0;             // Euclidean; networkx's scores are scores / norm
  double alpha = 0;            // used; 0, all scores 1, when the budget ran out before it was found
  // r is proved to be at most this; infinity when nothing is. No estimate: on a graph without
  // cycles r is 0, and this is what the terms that were added up happen to prove.
  double radius = 0;
  double error = 0;        // no score is off by more than this share; infinity: unknown
  int iterations = 0;      // those that found alpha included
  bool converged = false;  // error <= tolerance
  bool truncated = false;  // by the budget or max_iterations
};

// O(iterations * (arcs + nodes)); memory: 40 bytes a node, 8 an arc more when rows have to
// be packed. Thread-safe, the same bits at any thread count. kInvalidArgument: alpha,
// tolerance, max_iterations or a kind out of range; an alpha that is proved not to
// converge (the message has the bound), or whose walks leave f64.
Result<KatzResult> Katz(const Snapshot& snapshot, const KatzOptions& options = {});

struct EigenvectorOptions {
  double tolerance = 1e-9;  // L1 norm of the last change, scores having Euclidean norm 1
  int max_iterations = 1000;
  bool weighted = true;
  Direction direction = Direction::kOut;  // as KatzOptions
  GraphFilter filter = {};
  RunOptions run = {};
};

struct EigenvectorResult {
  std::vector<double> scores;  // by NodeId; Euclidean norm 1, or all 0 without edges
  double eigenvalue = 0;       // Rayleigh quotient x'A'x
  double step = 0;             // L1 norm of the last change; no bound of the error
  int iterations = 0;
  bool converged = false;
  bool truncated = false;  // by the budget or max_iterations
  // No arcs of weight above 0 form a cycle: the only eigenvalue is 0 and no node has a
  // score (as igraph answers), where the iteration would creep to the ends of the longest walks.
  // Looked for once, in the 16th iteration or at the end; false when the budget ran out before.
  bool acyclic = false;
};

// As Katz.
Result<EigenvectorResult> Eigenvector(const Snapshot& snapshot,
                                      const EigenvectorOptions& options = {});

}  // namespace plexus
