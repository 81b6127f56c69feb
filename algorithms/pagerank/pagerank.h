// PageRank of a Snapshot (Page, Brin, Motwani, Winograd, 1999).
//
//   x(v) = ((1 - d) + d * D) * t(v) + d * sum over arcs u->v of x(u) * w(u,v) / W(u)
//
// n selected nodes; W(u) = sum of the weights of u's arcs to selected nodes, D =
// mass on nodes with W = 0 (dangling); t = 1/n, or the seeds' weights divided by
// their sum. Dangling mass goes where the teleport goes, so scores sum to 1.
// Unweighted: every arc counts 1, parallel edges and kinds each. Symmetric edges
// are arcs both ways.
//
// Nodes: the alive ones of the selected plane (fact plane, or both when an index
// kind is named), inside `subset` when there is one.
//
// Same bits at any thread count, and on a clean, dirty, compacted or reopened
// graph: the kernel runs over the selected nodes renumbered in id order. For the
// same reason index nodes and their edges do not change the bits of the facts'
// scores, whatever ids they take in between (README, "Same facts, same PageRank").
//
// Large graphs without locality are ranked over a private layout of their arcs where enough
// iterations are to come (pagerank/internal/tile_layout.h). What is prepared once for a snapshot
// and options, the layout, the out-strengths and the packed rows of a dirty graph, is kept for the
// next calls: the last four of the state; those of snapshots that are gone go at the next call.
// Whether the layout is used depends on the graph's shape and on the options alone, so an answer's
// bits do not depend on what is kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/edge_weighting.h"
#include "algorithms/common/graph_filter.h"
#include "algorithms/common/node_subset.h"
#include "algorithms/common/node_weight.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

enum class Precision : std::uint8_t { kF64, kF32 };

struct PageRankOptions {
  double damping = 0.85;  // in [0, 1)
  // Stop when the true L1 distance to the fixed point is at most this, by the
  // bound d / (1 - d) * |step|.
  double tolerance = 1e-9;
  int iterations = 0;         // above 0: exactly that many, tolerance unused
  int max_iterations = 1000;  // with a tolerance
  bool weighted = true;
  Precision precision = Precision::kF64;
  std::vector<NodeWeight> seeds;  // none = uniform; the same node twice adds up
  GraphFilter filter = {};
  std::vector<EdgeKindId> reversed;  // of these kinds: rank flows from target to source
  // What a stored weight counts for: factors by kind, half-lives by age. Rows are packed once a
  // call (kept for the next ones while nothing ages).
  EdgeWeighting arc_weights;
  bool use_cache = true;  // not with a subset, nor where edges age
  // budget: edges are arcs x iterations. Looked at once an iteration.
  RunOptions run = {};
};

struct PageRankResult {
  std::vector<double> scores;  // by NodeId; 0 for nodes that are not selected
  NodeSubset nodes;            // the selected ones
  int iterations = 0;          // of a refresh: sweeps, the last maybe a part, and rounds of pushes
  // Bound on the L1 distance to the fixed point; of a refresh rounding included, else rounding
  // aside, which is about 1e-7 in f32, 1e-13 in f64, 1e-10 where a row has millions of arcs.
  double error = 0;
  bool converged = false;   // error <= tolerance
  bool truncated = false;   // the budget ran out, or max_iterations
  std::uint64_t edges = 0;  // arcs that took part
  bool tiled = false;       // a private layout was used
  // To make the layout, the strengths and packed rows; near 0 when they were at hand.
  double preparation_ms = 0;
  std::uint64_t layout_bytes = 0;
  // Break-even: iterations that repay making a layout of this graph's shape, as measured on
  // graphs of that shape (bench/notes/pagerank.md); 0 = rows as they lie are never slower.
  int layout_pays_after = 0;
  // Modelled: every array of the kernel once, each line fetched used to the end; of a refresh
  // over the rows, whatever it swept over.
  std::uint64_t bytes_per_iteration = 0;
};

// O(arcs + nodes) per iteration. Memory: 40 to 70 bytes a node, 8 (weighted 16) an arc
// more when the graph has a delta, hidden kinds or unselected nodes, of which half is kept;
// or, instead of these, 2 to 6 an arc (weighted 6 to 10) for the private layout. Thread-safe.
// f32 is exact in absolute terms: scores below some 1e-12 of the largest are noise, may be 0,
// and nodes with equal rows may differ in the last bit.
// kInvalidArgument: damping, tolerance, iterations, a kind or arc_weights out of range, these
// where weighted is false; a kind reversed and not followed; a
// tolerance that the precision cannot reach (f32: below 2^-22 / (1 - d), f64:
// below 2^-50 / (1 - d)); a seed that is not selected, or has a weight that is
// negative, not finite, or sums to 0; with f32 also out-strengths outside 1e-25..1e25.
// kNotFound: a seed that was removed. No node selected: an empty, converged result.
Result<PageRankResult> PageRank(const Snapshot& snapshot, const PageRankOptions& options = {});

// The least tolerance that PageRank() takes. REQUIRES damping in [0, 1).
double LeastTolerance(Precision precision, double damping);

}  // namespace plexus
