// Personalised PageRank near its seeds, by forward push (Andersen, Chung and Lang,
// "Local graph partitioning using PageRank vectors", 2006).
//
// The same vector x as PageRank() with seeds, in pagerank.h. Push keeps a lower bound
// p and a residual r with
//
//   x = p + (1 - d) (I - d M)^-1 r,      M column-stochastic,
//
// and moves residual into p node by node: p(v) += (1 - d) r(v), and d r(v) goes to v's
// out neighbours by weight, or back to the seeds where v has none. So |x - p|_1 is
// exactly the residual left, and every x(v) lies in [p(v), p(v) + residual].
//
// It touches only nodes that matter to the seeds: the answer for one seed in a large
// graph comes in microseconds where the whole vector takes seconds. For errors below
// about 1e-4, or many seeds, PageRank() is faster.
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
  double damping = 0.85;    // in [0, 0.9999]: the work grows with 1 / (1 - d)
  double max_error = 1e-3;  // stop when |x - p|_1 is at most this; in [1e-9, 1]
  std::size_t top = 20;     // 0 = every node touched
  // Stop as soon as nobody outside the top can belong into it (ties aside).
  bool stop_at_certain_top = false;
  bool weighted = true;
  GraphFilter filter = {};
  std::vector<EdgeKindId> reversed;  // of these kinds: rank flows from target to source
  EdgeWeighting arc_weights;         // factors by kind, half-lives by age; as in PageRankOptions
  // budget: nodes touched and arcs followed, kept to the node and arc. executor: not used.
  RunOptions run = {};
};

struct PageRankPushResult {
  std::vector<ScoredNode> top;  // p, best first, ties by smaller id
  double error = 0;             // |x - p|_1
  bool converged = false;       // error <= max_error
  bool certain_top = false;     // no other node's x can exceed that of a listed one
  bool truncated = false;       // the budget ran out
  std::uint64_t pushes = 0, edges = 0, nodes = 0;  // nodes: touched
  // Moved, modelled: 65 an arc followed (id, weight, kind, the node's slot, its entry read and
  // written) and 56 a push (the row's ends, the node's entry).
  std::uint64_t bytes = 0;
};

// Serial and deterministic. O(arcs followed + nodes touched for each fourfold fall of the
// residual). Memory: 70 to 100 bytes a node touched, and the longest row. Thread-safe.
// kInvalidArgument: no seeds, or as PageRank().
Result<PageRankPushResult> PageRankPush(const Snapshot& snapshot, std::span<const NodeWeight> seeds,
                                        const PageRankPushOptions& options = {});

}  // namespace plexus
