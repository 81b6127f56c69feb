// Personalised PageRank near its seeds, by forward push (Andersen, Chung, Lang, "Local graph
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
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "algorithms/common/score_ranking.h"
#include "algorithms/pagerank/pagerank.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

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

}  // namespace plexus
