// PageRank of a Snapshot: check the options, view the selection as dense arrays,
// prepare what does not depend on the seeds (or find it prepared), run the kernel,
// spread the scores back over the node ids.
#include "algorithms/pagerank/pagerank.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/pagerank/internal/pagerank_csr.h"
#include "algorithms/pagerank/internal/power_iteration.h"
#include "algorithms/pagerank/internal/preparation.h"
#include "engine/out_of_memory.h"

namespace plexus::pagerank {

namespace {

constexpr std::size_t kGrain = 4096;

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

}  // namespace

double LeastTolerance(Precision precision, double damping) {
  return (precision == Precision::kF32 ? 0x1p-22 : 0x1p-50) / (1.0 - damping);
}

namespace internal {

// The scores to begin with, by dense id; empty = the teleport.
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
  result.stats.preparation_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
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

}  // namespace internal

Result<PageRankResult> PageRank(const Snapshot& snapshot, const PageRankOptions& options) try {
  return internal::IteratePageRank(snapshot, options, {});
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::pagerank
