// PageRank after changes, from the scores of an earlier state of the graph.
//
// Computes what PageRank() computes (pagerank.h), to the same bound on the error, from wherever it
// begins. Where few nodes changed few rows are read: their changes are pushed (residual
// propagation: Berkhin, 2006; Lofgren, 2015). Widespread changes are swept in parts (block
// Gauss-Seidel: Gleich, Zhukov, Berkhin, 2004). The error is bounded by a sweep over the graph as
// it is now, so that no error is carried from one refresh to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "algorithms/pagerank/pagerank.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus {

struct PageRankState {
  // By NodeId. They are scaled to sum to 1 over the selected nodes; ids beyond the list begin at 0.
  // Empty: the teleport.
  std::span<const double> scores = {};
  // The state that `scores` is the PageRank of, with the same options, if the caller has kept it:
  // rows that have changed since are read first, which saves sweeps. A hint: used when the two
  // share a base, nothing was compacted since, and there is no subset, no arc_weights and nothing
  // reversed. A wrong one costs time only.
  const Snapshot* snapshot = nullptr;
};

// With a tolerance of 1e-12 / (1 - d)^2 or more this runs over the rows as they are, in f64
// whatever `precision` says, and makes no layout; with a smaller one, or a number of iterations, it
// is PageRank() begun at the scores. Time: O(nodes), and the rows of the nodes whose scores change,
// up to sweeps of O(nodes + arcs). Memory: as PageRank() without a layout. Thread-safe; the same
// bits at any thread count. Errors: those of PageRank(). kInvalidArgument: a score that is negative
// or not finite, or nothing on the selected nodes.
Result<PageRankResult> RefreshPageRank(const Snapshot& now, const PageRankState& earlier,
                                       const PageRankOptions& options = {});

// Keeps a ranking up to date: for hosts that rank after every few batches.
//
// Holds the scores and the snapshot of the last ranking. Where that suits the shape of the base, it
// sweeps over a private layout of the base, which is made once (5 to 10 iterations' time) and kept
// as long as the base lives, whatever is appended: 2 to 6 bytes an arc (weighted 6 to 10). So the
// last bits of an answer depend on where the base ends and the delta begins.
// One thread at a time.
class PageRankRefresher {
 public:
  // What `options` points to (filter.subset, run.executor) outlives the refresher.
  explicit PageRankRefresher(PageRankOptions options) : options_(std::move(options)) {}

  // The ranking of `now`: of the first call from nothing, of each later one from the one before,
  // which it replaces once it succeeds. Errors as RefreshPageRank(); the ranking before stays then.
  Result<const PageRankResult*> Refresh(const Snapshot& now);
  // The last ranking; nullptr before the first.
  const PageRankResult* last() const { return snapshot_ ? &last_ : nullptr; }
  void set_budget(const Budget& budget) { options_.run.budget = budget; }

 private:
  PageRankOptions options_;
  PageRankResult last_;
  std::optional<Snapshot> snapshot_;  // of last_
};

}  // namespace plexus
