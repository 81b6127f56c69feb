// PageRank of a Snapshot (Page, Brin, Motwani, Winograd, 1999).
//
//   x(v) = ((1 - d) + d * D) * t(v) + d * sum over arcs u->v of x(u) * w(u,v) / W(u)
//
// n nodes are selected. W(u) is the sum of the weights of u's arcs to selected nodes. D is the mass
// on nodes with W = 0 (dangling). t is 1/n, or the seeds' weights divided by their sum. Dangling
// mass goes where the teleport goes, so scores sum to 1. Unweighted: every arc counts 1. Parallel
// edges and kinds each count. Symmetric edges are arcs both ways.
//
// Nodes are the alive ones of the selected plane (the fact plane, or both when an index kind is
// named), inside `subset` when there is one. Bits are the same on clean, dirty, compacted and
// reopened graphs. Index nodes and their edges do not change the bits of facts' scores (README,
// "Same facts, same PageRank").
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/edge_weighting.h"
#include "algorithms/common/graph_filter.h"
#include "algorithms/common/node_subset.h"
#include "algorithms/common/node_weight.h"
#include "algorithms/common/run_options.h"
#include "algorithms/common/run_stats.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

enum class Precision : std::uint8_t { kF64, kF32 };

struct PageRankOptions {
  double damping = 0.85;  // d, in [0, 1).
  // The iteration stops when the true L1 distance to the fixed point is at most this, by the bound
  // d / (1 - d) * |step|.
  double tolerance = 1e-9;
  int iterations = 0;         // Above 0: exactly so many, and tolerance is not read.
  int max_iterations = 1000;  // With a tolerance.
  bool weighted = true;       // False: every arc counts 1.
  Precision precision = Precision::kF64;
  std::vector<NodeWeight> seeds = {};  // None: a uniform teleport. A node given twice adds up.
  GraphFilter filter = {};
  std::vector<EdgeKindId> reversed = {};  // Kinds whose rank flows from target to source.
  // Factors by kind and half-lives by age (edge_weighting.h). Rows are then packed, once a call
  // where edges age.
  EdgeWeighting arc_weights = {};
  bool use_cache = true;  // Keeps and reuses preparations. Not with a subset or ages.
  // budget: edges are arcs * iterations. It is checked once an iteration.
  RunOptions run = {};
};

struct PageRankResult {
  std::vector<double> scores;  // By NodeId. 0 for unselected nodes.
  NodeSubset nodes;            // The selected nodes.
  int iterations = 0;  // Of a refresh: sweeps (the last may be a part) and rounds of pushes.
  // Bound on the L1 distance to the fixed point. A refresh includes rounding. Otherwise rounding is
  // left out: about 1e-7 in f32, 1e-13 in f64, 1e-10 where a row has millions of arcs.
  double error = 0;
  bool converged = false;   // error <= tolerance.
  bool truncated = false;   // The budget or max_iterations ended the iteration.
  std::uint64_t edges = 0;  // Arcs that took part.
  RunStats stats;           // A refresh over the rows counts the bytes that it swept.
};

// Computes: the PageRank of every selected node; without a selected node an empty, converged
//   result. In f32 scores below about 1e-12 of the largest are noise and may be 0, and nodes with
//   equal rows may differ in the last bit.
// Complexity: O(nodes + arcs) an iteration.
// Memory: 40 to 70 bytes a node. A delta, hidden kinds or unselected nodes add 8 an arc (weighted
//   16), of which half is kept; or a layout takes 2 to 6 an arc (weighted 6 to 10). A state keeps
//   the preparations of the last four option sets, and they end with it.
// Errors: kInvalidArgument: damping, tolerance, iterations, a kind or arc_weights out of range;
//   arc_weights without `weighted`; a reversed kind that is not followed; a tolerance below 2^-22 /
//   (1 - d) in f32 or 2^-50 / (1 - d) in f64; a seed that is not selected, or a weight of seeds
//   that is negative, not finite or sums to 0; in f32 out-strengths outside 1e-25..1e25. kNotFound:
//   a seed that was removed. kResourceExhausted: no memory.
// Threads: thread-safe. The bits depend on graph and options, not on threads or kept preparations.
Result<PageRankResult> PageRank(const Snapshot& snapshot, const PageRankOptions& options = {});

// The least tolerance that PageRank() takes. REQUIRES damping in [0, 1).
double LeastTolerance(Precision precision, double damping);

}  // namespace plexus
