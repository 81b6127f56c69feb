// PageRank from earlier scores: chooses what is read, runs the refresh (internal/refresh.h), or
// iterates from the scores where a refresh cannot reach the tolerance.
#include "algorithms/pagerank/pagerank.h"

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/common/internal/base_weights.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/pagerank/internal/base_tile_spmv.h"
#include "algorithms/pagerank/internal/power_iteration.h"
#include "algorithms/pagerank/internal/preparation.h"
#include "algorithms/pagerank/internal/refresh.h"
#include "engine/out_of_memory.h"
#include "engine/state.h"

namespace plexus::pagerank {

namespace {

// What a refresh reads: the rows as they are, where the arrays of the base and the delta are the
// selection; else packed.
struct RefreshRows {
  DenseView view;
  ArcFilter filter = ArcFilter::All();
  internal::LiveCsr rows;  // points into the above
  bool over_base = false;
  std::shared_ptr<const void> weights[2];  // of `rows`, where they are those of the base
};

Status ViewRows(const Snapshot& snapshot, const PageRankOptions& options, Executor& executor,
                RefreshRows& to) {
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, options.filter));
  const bool as_stored = options.arc_weights.as_stored() && options.reversed.empty();
  const bool live = !selection.whole_base && selection.all_nodes && selection.filter.all_kinds() &&
                    !selection.filter.checks_time() && as_stored;
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  wanted.executor = &executor;
  wanted.out = wanted.in = !live;
  wanted.weights = options.weighted;
  PLEXUS_ASSIGN(to.view, DenseView::Make(snapshot, wanted));
  to.filter = selection.filter;
  to.rows.node_count = to.view.node_count();
  to.rows.live = live ? &snapshot : nullptr;
  const auto rows_of = [&](Direction direction, std::shared_ptr<const void>& weights) {
    return common_internal::BaseRowsOf(snapshot.base(), direction, options.weighted, executor,
                                       weights);
  };
  to.rows.out = live ? rows_of(Direction::kOut, to.weights[0]) : to.view.out();
  to.rows.in = live ? rows_of(Direction::kIn, to.weights[1]) : to.view.in();
  if (!live && as_stored && !options.filter.subset) {
    to.rows.packed_from = &snapshot;
    to.rows.numbering = to.view.packed() ? &to.view : nullptr;
    to.rows.filter = &to.filter;
  }
  to.over_base = live || (selection.whole_base && !to.view.packed());
  return {};
}

// From earlier scores to a tolerance. May throw std::bad_alloc.
Result<PageRankResult> Refresh(const Snapshot& snapshot, const PageRankState& earlier,
                               const PageRankOptions& options, bool keep_layout) {
  PLEXUS_TRY(internal::CheckPageRankOptions(options, internal::PageRankUse::kOne));
  if (earlier.scores.empty() || options.iterations > 0 ||
      !internal::RefreshReaches(options.tolerance, options.damping))
    return internal::IteratePageRank(snapshot, options, earlier.scores);
  Executor& executor = common_internal::Pick(options.run.executor);
  const auto began = std::chrono::steady_clock::now();
  RefreshRows read;  // holds pointers into itself
  PLEXUS_ASSIGN(const auto made,
                common_internal::InTime(options.run, [&](Executor& stopping) -> Result<bool> {
                  PLEXUS_TRY(ViewRows(snapshot, options, stopping, read));
                  return true;
                }));
  PageRankResult result;
  if (!made) {
    result.scores.assign(snapshot.node_count(), 0.0);
    result.truncated = true;
    return result;
  }
  const DenseView& view = read.view;
  std::shared_ptr<const internal::PageRankTiles> tiles;
  if (keep_layout && read.over_base && !options.run.budget.Interrupted())
    tiles = internal::TilesOfBase(snapshot.state().base, options.weighted, executor);
  const std::uint64_t layout_bytes = tiles ? tiles->size_bytes() : 0;
  result.nodes = view.nodes();
  result.stats.preparation_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
  if (view.node_count() == 0) {
    result.scores.assign(snapshot.node_count(), 0.0);
    result.converged = true;
    return result;
  }
  std::vector<internal::SeedShare> seeds;
  if (!options.seeds.empty())
    PLEXUS_SET(seeds, internal::SeedShares(snapshot, view, options.seeds, options.filter.kinds));
  PLEXUS_ASSIGN(std::vector<double> start, internal::StartScores(view, earlier.scores, executor));
  internal::PageRankRefreshed refreshed =
      internal::RefreshPageRank(read.rows, std::move(start), seeds,
                                {.damping = options.damping,
                                 .tolerance = options.tolerance,
                                 .max_iterations = options.max_iterations,
                                 .weighted = options.weighted,
                                 .earlier = earlier.snapshot,
                                 .tiles = std::move(tiles),
                                 .budget = options.run.budget},
                                executor);
  if (view.node_count() == snapshot.node_count()) {
    result.scores = std::move(refreshed.scores);
  } else {
    result.scores.assign(snapshot.node_count(), 0.0);
    for (NodeId i = 0; i < view.node_count(); ++i)
      result.scores[view.node(i)] = refreshed.scores[i];
  }
  result.iterations = refreshed.iterations;
  result.error = refreshed.error;
  result.converged = refreshed.error <= options.tolerance;
  result.truncated = refreshed.truncated;
  if (refreshed.tiled) result.stats.layout_bytes = layout_bytes;
  result.edges = refreshed.arcs;
  result.stats.bytes_per_iteration =
      refreshed.arcs * (options.weighted ? 8 : 4) + std::uint64_t{view.node_count()} * 44;
  return result;
}

}  // namespace

Result<PageRankResult> RefreshPageRank(const Snapshot& now, const PageRankState& earlier,
                                       const PageRankOptions& options) try {
  return Refresh(now, earlier, options, /*keep_layout=*/false);
}
PLEXUS_CATCH_NO_MEMORY

Result<const PageRankResult*> PageRankRefresher::Refresh(const Snapshot& now) try {
  PageRankState earlier;
  if (snapshot_) earlier = {last_.scores, &*snapshot_};
  PLEXUS_ASSIGN(PageRankResult next,
                pagerank::Refresh(now, earlier, options_, /*keep_layout=*/true));
  last_ = std::move(next);
  snapshot_ = now;
  return &last_;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::pagerank
