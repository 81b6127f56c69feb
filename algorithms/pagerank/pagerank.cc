// PageRank of a Snapshot: check the options, view the selection as dense arrays,
// prepare what does not depend on the seeds (or find it prepared), run the kernel,
// spread the scores back over the node ids.
//
// From earlier scores: chooses what is read, runs the refresh (internal/refresh.h), or iterates
// from the scores where a refresh cannot reach the tolerance.
#include "algorithms/pagerank/pagerank.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/common/internal/base_weights.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/pagerank/internal/base_tile_spmv.h"
#include "algorithms/pagerank/internal/pagerank_csr.h"
#include "algorithms/pagerank/internal/preparation.h"
#include "algorithms/pagerank/internal/refresh.h"
#include "engine/out_of_memory.h"
#include "engine/state.h"

namespace plexus::pagerank {

namespace {

constexpr std::size_t kGrain = 4096;

double Milliseconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since)
      .count();
}

template <class Real>
Status RankDense(const internal::PageRankReady& ready, const std::vector<double>& teleport,
                 const std::vector<double>& start, const PageRankOptions& options,
                 Executor& executor, PageRankResult& result) {
  CsrView in = ready.view.in();
  if (!ready.prepared->weighted) in.weights = {};
  PLEXUS_ASSIGN(const std::vector<Real> reciprocals,
                StrengthReciprocals<Real>(ready.prepared->strengths, executor));
  if constexpr (sizeof(Real) == sizeof(float)) PLEXUS_TRY(internal::CheckF32Range(reciprocals));
  const std::vector<Real> home(teleport.begin(), teleport.end()), first(start.begin(), start.end());
  PageRankCsrOptions kernel;
  kernel.damping = options.damping;
  kernel.iterations = options.iterations > 0 ? options.iterations : options.max_iterations;
  kernel.tolerance = options.iterations > 0 ? 0 : options.tolerance;
  kernel.budget = options.run.budget;
  kernel.executor = &executor;
  PLEXUS_ASSIGN(const auto ranked,
                PageRankCsr<Real>({in, reciprocals, home, ready.layout, first}, kernel));

  ParallelForEach(executor, ready.view.node_count(), kGrain, [&](std::size_t i) {
    result.scores[ready.view.node(static_cast<NodeId>(i))] = static_cast<double>(ranked.scores[i]);
  });
  result.iterations = ranked.iterations;
  result.truncated = ranked.truncated;
  result.stats.bytes_per_iteration = ranked.bytes_per_iteration;
  // Before the first step nothing is known but that both vectors sum to 1, so are 2 apart at most.
  result.error = ranked.iterations == 0
                     ? 2.0
                     : std::min(2.0, options.damping / (1.0 - options.damping) * ranked.step);
  return {};
}

// The scores to begin with, by dense id, with a sum of 1; empty when `start` is. kInvalidArgument:
// a score that is negative or not finite, or no sum above 0. May throw std::bad_alloc.
Result<std::vector<double>> StartScores(const DenseView& view, std::span<const double> start,
                                        Executor& executor) {
  std::vector<double> dense;
  if (start.empty()) return dense;
  const std::size_t n = view.node_count();
  const bool in_place =
      n == 0 || view.node(static_cast<NodeId>(n - 1)) == n - 1;  // no id is left out
  if (in_place)
    dense.assign(start.begin(),
                 start.begin() + static_cast<std::ptrdiff_t>(std::min(n, start.size())));
  dense.resize(n);
  for (NodeId i = 0; !in_place && i < n; ++i)
    if (view.node(i) < start.size()) dense[i] = start[view.node(i)];
  const double sum = ParallelSum(executor, n, kGrain, [&](std::size_t begin, std::size_t end) {
    double part = 0;
    for (std::size_t i = begin; i < end; ++i) part += dense[i] >= 0 ? dense[i] : std::nan("");
    return part;
  });
  if (!std::isfinite(sum))
    for (NodeId i = 0; i < n; ++i)
      if (!(dense[i] >= 0) || !std::isfinite(dense[i]))
        return Invalid("the first score of node ", view.node(i), " is not a finite number >= 0");
  if (!(sum > 0) || !std::isfinite(sum))
    return Invalid("the first scores of the selected nodes do not have a finite sum above 0");
  ParallelForEach(executor, n, kGrain, [&](std::size_t i) { dense[i] /= sum; });
  return dense;
}

// PageRank() begun at `first`, by NodeId. May throw std::bad_alloc.
Result<PageRankResult> IteratePageRank(const Snapshot& snapshot, const PageRankOptions& options,
                                       std::span<const double> first) {
  PLEXUS_TRY(internal::CheckPageRankOptions(options, internal::PageRankUse::kOne));
  Executor& executor = common_internal::Pick(options.run.executor);
  const auto began = std::chrono::steady_clock::now();
  PLEXUS_ASSIGN(const auto prepared, common_internal::InTime(options.run, [&](Executor& stopping) {
                  return internal::PreparePageRank(snapshot, options, internal::PageRankUse::kOne,
                                                   stopping);
                }));
  PageRankResult result;
  result.scores.assign(snapshot.node_count(), 0.0);
  result.truncated = !prepared;
  if (!prepared) return result;
  const internal::PageRankReady& ready = *prepared;
  const DenseView& view = ready.view;
  std::vector<double> teleport;  // empty = uniform
  if (!options.seeds.empty()) {
    PLEXUS_ASSIGN(const auto shares,
                  internal::SeedShares(snapshot, view, options.seeds, options.filter.kinds));
    teleport.assign(view.node_count(), 0.0);
    for (const internal::SeedShare& s : shares) teleport[s.dense] = s.share;
  }
  result.nodes = view.nodes();
  result.edges = ready.prepared->arcs;
  result.stats.preparation_ms = Milliseconds(began);
  result.stats.break_even_iterations = ready.prepared->break_even_iterations;
  result.stats.layout_bytes = ready.layout ? ready.layout->size_bytes() : 0;
  if (view.node_count() == 0) {
    result.converged = true;
    return result;
  }
  PLEXUS_ASSIGN(const std::vector<double> start, StartScores(view, first, executor));
  if (options.precision == Precision::kF32)
    PLEXUS_TRY(RankDense<float>(ready, teleport, start, options, executor, result));
  else
    PLEXUS_TRY(RankDense<double>(ready, teleport, start, options, executor, result));
  result.converged = result.error <= options.tolerance;
  if (options.iterations == 0 && !result.converged) result.truncated = true;
  return result;
}

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
    return IteratePageRank(snapshot, options, earlier.scores);
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
  result.stats.preparation_ms = Milliseconds(began);
  if (view.node_count() == 0) {
    result.scores.assign(snapshot.node_count(), 0.0);
    result.converged = true;
    return result;
  }
  std::vector<internal::SeedShare> seeds;
  if (!options.seeds.empty())
    PLEXUS_SET(seeds, internal::SeedShares(snapshot, view, options.seeds, options.filter.kinds));
  PLEXUS_ASSIGN(std::vector<double> start, StartScores(view, earlier.scores, executor));
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

double LeastTolerance(Precision precision, double damping) {
  return (precision == Precision::kF32 ? 0x1p-22 : 0x1p-50) / (1.0 - damping);
}

Result<PageRankResult> PageRank(const Snapshot& snapshot, const PageRankOptions& options) try {
  return IteratePageRank(snapshot, options, {});
}
PLEXUS_CATCH_NO_MEMORY

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
