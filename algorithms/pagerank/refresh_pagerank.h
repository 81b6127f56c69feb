// PageRank after changes, from the scores of an earlier state of the graph.
//
// Computes what PageRank() computes (pagerank.h), to the same error bound, from any start. Changes
// of few nodes are pushed (residual propagation: Berkhin, 2006; Lofgren, 2015). Widespread changes
// are swept in parts (block Gauss-Seidel: Gleich, Zhukov, Berkhin, 2004). A sweep over the current
// graph bounds the error, so no error is carried from one refresh to the next.
#pragma once

#include <optional>
#include <span>

#include "algorithms/pagerank/pagerank.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus {

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

}  // namespace plexus
