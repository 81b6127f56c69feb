// PageRank: of the whole graph, of many restarts at once, and by local push.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/arrays/aligned_array.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::pagerank {

// --- PageRank of a Snapshot (Page, Brin, Motwani, Winograd, 1999).
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
  // Factors by kind and half-lives by age (common.h). Rows are then packed, once a call
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
//   16), of which half is kept; or a layout takes 2 to 6 an arc (weighted 6 to 10). Weights that a
//   graph holds as codes take 8 an arc more as floats, kept with its base. A state keeps
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

// --- PageRankBatch: many personalised PageRanks, up to 16 seed sets in every sweep over the arcs.
//
// The formula is that of PageRank(), in f32. A sweep for 16 sets costs 2 to 3 single
// sweeps, because one cache line of a source holds its contribution to all 16. While the seeds have
// reached few nodes it costs a quarter of that.

struct PageRankBatchResult {
  std::size_t sets = 0;
  // The score of node v for set s is scores[v * sets + s]. 0 for unselected nodes.
  AlignedArray<float> scores;
  std::vector<double> errors;  // By set: bound on the L1 distance to its fixed point.
  int iterations = 0;          // The most of any set.
  bool converged = false;      // Every error <= tolerance.
  bool truncated = false;      // The budget or max_iterations ended the iteration.
  std::uint64_t edges = 0;     // Arcs that took part.
  // bytes_per_iteration: of one sweep for sixteen sets, row sums read and written once a segment. A
  // sweep moves less while few nodes are reached.
  RunStats stats;

  float score(NodeId node, std::size_t set) const { return scores[node * sets + set]; }
};

// Computes: the PageRank of every seed set; an empty set is the uniform teleport. Sets of one
//   sixteen stop together, when the last is within tolerance. A deadline or cancel flag ends the
//   current sweep. Sets not begun then have their seeds as scores and an error of 2. Sets cut short
//   of fixed iterations have the error 2 d^k after k.
// Complexity: O(iterations * (nodes + arcs)) for every sixteen sets, and O(nodes + arcs) for the
//   layout, once a snapshot.
// Memory: scores, and 136 bytes a node (8 without arcs; 72 for sixteen sets over all nodes),
//   and a layout of 4 to 8 bytes an arc (weighted 8 to 12), kept as those of PageRank() are.
// Errors: those of PageRank(). kInvalidArgument: no set or more than 4,096, options.seeds given, a
//   precision other than kF32, or a tolerance below 2^-20 / (1 - d) without iterations.
// Threads: thread-safe. The bits are the same at any thread count and instruction level. With
//   options.iterations they do not depend on the other sets.
Result<PageRankBatchResult> PageRankBatch(const Snapshot& snapshot,
                                          std::span<const std::vector<NodeWeight>> sets,
                                          const PageRankOptions& options);

// The least options.tolerance that PageRankBatch() takes. REQUIRES damping in [0, 1).
double LeastBatchTolerance(double damping);

// --- Personalised PageRank near its seeds, by forward push (Andersen, Chung, Lang, "Local graph
// partitioning using PageRank vectors", 2006).
//
// The vector x is that of PageRank() with seeds (pagerank.h). Push keeps a lower bound p and a
// residual r with
//
//   x = p + (1 - d) (I - d M)^-1 r,      M column-stochastic,
//
// and moves residual into p: p(v) += (1 - d) r(v), and d r(v) goes to v's out-neighbours by weight,
// or to the seeds where v has none. So |x - p|_1 is exactly the residual left, and x(v) lies in
// [p(v), p(v) + residual].
//
// Only nodes that matter to the seeds are touched. When that has cost as much as PageRank() of the
// same error (small errors, many seeds, hubs nearby), PageRank() runs instead: after
//
//   2^14 + arcs * min(128, log(max_error) / log(d)) / 32
//
// arcs, where `arcs` are those that the filter's kinds have. An arc of push moves eight times the
// bytes of an arc of an iteration, and PageRank() needs about a quarter of those iterations.

struct PageRankPushOptions {
  double damping = 0.85;               // In [0, 0.9999]. The work grows with 1 / (1 - d).
  double max_error = 1e-3;             // Stops when |x - p|_1 is at most this. In [1e-9, 1].
  std::size_t top = 20;                // 0: every touched node.
  const NodeSubset* listed = nullptr;  // `top` holds only these. Null: all.
  // Push follows at most so many arcs. A whole run that would be due by then still runs; else p is
  // what was placed by then, a lower bound with its error, neither converged nor truncated.
  std::uint64_t most_arcs = Budget::kUnlimited;
  // Stops when no node outside the top can belong into it, ties aside.
  bool stop_at_certain_top = false;
  bool weighted = true;
  GraphFilter filter = {};
  std::vector<EdgeKindId> reversed = {};  // Kinds whose rank flows from target to source.
  EdgeWeighting arc_weights = {};         // As in PageRankOptions.
  // budget: touched nodes and followed arcs, kept exactly. executor: only of a whole run.
  RunOptions run = {};
};

struct PageRankPushResult {
  std::vector<ScoredNode> top;  // p, best first, ties by smaller id.
  double error = 0;             // |x - p|_1; of a whole run a bound of it.
  // PageRank() ran: p is no lower bound. Not under a budget of nodes, which it would not keep.
  bool whole = false;
  bool converged = false;    // error <= max_error.
  bool certain_top = false;  // No other node's x can exceed that of a listed one.
  bool truncated = false;    // The budget ran out.
  std::uint64_t pushes = 0, edges = 0, nodes = 0;  // Pushes, arcs followed, nodes touched.
  // Bytes moved, modelled: 65 an arc followed (id, weight, kind, the node's slot, its entry read
  // and written) and 56 a push (the row's ends, the node's entry).
  std::uint64_t bytes = 0;
};

// Computes: a lower bound of the personalised PageRank, with its exact error.
// Complexity: O(arcs followed + nodes touched for each fourfold fall of the residual).
//   At most about twice that of PageRank() with max_error as its tolerance.
// Memory: 70 to 100 bytes a touched node, and the longest row; of a whole run that of PageRank().
// Errors: those of PageRank(). kInvalidArgument: no seeds.
// Threads: thread-safe, serial but for a whole run, and deterministic: arcs are counted, not time.
Result<PageRankPushResult> PageRankPush(const Snapshot& snapshot, std::span<const NodeWeight> seeds,
                                        const PageRankPushOptions& options = {});

// --- PageRank after changes, from the scores of an earlier state of the graph.
//
// Computes what PageRank() computes (pagerank.h), to the same error bound, from any start. Changes
// of few nodes are pushed (residual propagation: Berkhin, 2006; Lofgren, 2015). Widespread changes
// are swept in parts (block Gauss-Seidel: Gleich, Zhukov, Berkhin, 2004). A sweep over the current
// graph bounds the error, so no error is carried from one refresh to the next.

struct PageRankState {
  // By NodeId. They are scaled to sum to 1 over the selected nodes; ids beyond the list start at 0.
  // Empty: the teleport.
  std::span<const double> scores = {};
  // The state that `scores` rank, with the same options, or null. Rows changed since are read
  // first, which saves sweeps. It is used when both snapshots share a base, nothing was compacted
  // since, and there is no subset, no arc_weights and no reversed kind. A wrong one costs time
  // only.
  const Snapshot* snapshot = nullptr;
};

// Computes: the PageRank of `now`. With a tolerance of 1e-12 / (1 - d)^2 or more it runs over plain
//   rows in f64, whatever `precision` says, without a layout. With a smaller tolerance, or with
//   iterations, it is PageRank() started at the scores.
// Complexity: O(nodes), and the rows of the nodes whose scores change, up to sweeps of O(nodes +
//   arcs).
// Memory: as PageRank() without a layout.
// Errors: those of PageRank(). kInvalidArgument: a score that is negative or not finite, or scores
//   that are 0 on all selected nodes.
// Threads: thread-safe. The bits are the same at any thread count.
Result<PageRankResult> RefreshPageRank(const Snapshot& now, const PageRankState& earlier,
                                       const PageRankOptions& options = {});

// Keeps a ranking up to date, for hosts that rank after every few batches. It holds the scores and
// the snapshot of the last ranking. Where the shape of the base suits it, it sweeps over a layout
// of the base, made once (5 to 10 iterations' time) and kept as long as the base lives. The last
// bits of an answer then depend on where the base ends.
// Memory: the layout takes 2 to 6 bytes an arc (weighted 6 to 10).
// Threads: one thread at a time.
class PageRankRefresher {
 public:
  // REQUIRES that what `options` points to (filter.subset, run.executor) outlives the refresher.
  explicit PageRankRefresher(PageRankOptions options) : options_(std::move(options)) {}

  // Computes: the ranking of `now`, from nothing in the first call, from the last ranking later. A
  //   success replaces the last ranking, an error keeps it.
  // Errors: those of RefreshPageRank().
  Result<const PageRankResult*> Refresh(const Snapshot& now);
  // The last ranking. nullptr before the first.
  const PageRankResult* last() const { return snapshot_ ? &last_ : nullptr; }
  void set_budget(const Budget& budget) { options_.run.budget = budget; }

 private:
  PageRankOptions options_;
  PageRankResult last_;
  std::optional<Snapshot> snapshot_;  // of last_
};

}  // namespace plexus::pagerank
