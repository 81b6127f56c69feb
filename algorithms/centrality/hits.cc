// Two pulls an iteration: authorities over arriving arcs, hubs over leaving ones.
#include "algorithms/centrality/centrality.h"

#include <algorithm>
#include <cmath>

#include "algorithms/centrality/internal/adjacency_spmv.h"
#include "algorithms/common/common.h"
#include "algorithms/common/internal/dense_view_options.h"
#include "algorithms/common/internal/selection.h"
#include "engine/out_of_memory.h"

namespace plexus::centrality {

namespace {

// Fills `next` with row sums of `x` scaled to the sum 1; returns the sum before.
double PullScaled(const CsrView& rows, const std::vector<double>& x, std::vector<double>& next,
                  Executor& executor) {
  const double sum = internal::MultiplyRows(
      rows, x.data(), executor, 0.0,
      [&](NodeId v, double value, double& partial) {
        next[v] = value;
        partial += value;
      },
      [](double a, double b) { return a + b; });
  const double scale = sum > 0 ? 1 / sum : 0;
  ParallelForEach(executor, next.size(), internal::kRowGrain,
                  [&](std::size_t v) { next[v] *= scale; });
  return sum;
}

double Distance(const std::vector<double>& a, const std::vector<double>& b, Executor& executor) {
  return ParallelSum(executor, a.size(), internal::kRowGrain,
                     [&](std::size_t begin, std::size_t end) {
                       double sum = 0;
                       for (std::size_t v = begin; v < end; ++v) sum += std::abs(a[v] - b[v]);
                       return sum;
                     });
}

}  // namespace

Result<HitsResult> Hits(const Snapshot& snapshot, const HitsOptions& options) try {
  if (!(options.tolerance >= 0x1p-50) || !std::isfinite(options.tolerance))
    return Invalid("tolerance ", options.tolerance, " is not a number of 2^-50 or more");
  if (options.max_iterations < 1)
    return Invalid("max_iterations ", options.max_iterations, " is below 1");
  Executor& executor = common_internal::Pick(options.run.executor);
  DenseViewOptions wanted = common_internal::ViewOptions(options);
  wanted.weights = options.weighted;
  PLEXUS_ASSIGN(const auto made, common_internal::ViewInTime(snapshot, wanted, options.run));
  HitsResult result;
  result.hubs.assign(snapshot.node_count(), 0);
  result.authorities.assign(snapshot.node_count(), 0);
  result.truncated = !made;
  if (!made) return result;
  const DenseView& view = *made;
  const NodeId n = view.node_count();
  const std::uint64_t arcs = view.out().arc_count();
  if (n == 0 || arcs == 0) {
    result.converged = true;
    return result;
  }
  std::vector<double> hubs(n, 1.0 / n), authorities(n, 0), next(n);
  std::uint64_t spent = 0;
  while (!result.converged) {
    if (result.iterations == options.max_iterations || options.run.budget.Interrupted() ||
        2 * arcs > options.run.budget.edges || spent > options.run.budget.edges - 2 * arcs) {
      result.truncated = true;
      break;
    }
    spent += 2 * arcs;
    ++result.iterations;
    double sum = PullScaled(view.in(), hubs, next, executor);
    result.step = Distance(authorities, next, executor);
    authorities.swap(next);
    if (std::isfinite(sum)) sum = PullScaled(view.out(), authorities, next, executor);
    if (!std::isfinite(sum)) return Invalid("edge weights are too large for HITS in f64");
    result.step = std::max(result.step, Distance(hubs, next, executor));
    hubs.swap(next);
    result.converged = result.step <= options.tolerance;
  }
  for (NodeId v = 0; v < n; ++v) {
    result.hubs[view.node(v)] = hubs[v];
    result.authorities[view.node(v)] = authorities[v];
  }
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::centrality
