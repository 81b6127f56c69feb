// PageRank of a Snapshot: check the options, view the selection as dense arrays,
// run the pull kernel, spread the scores back over the node ids.
#include "algorithms/pagerank.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "algorithms/dense_view.h"
#include "algorithms/internal/selection.h"
#include "algorithms/pagerank_csr.h"

namespace plexus {

namespace {

constexpr std::size_t kGrain = 4096;

Status CheckOptions(const PageRankOptions& o) {
  auto bad = [](const std::string& what) { return Fail(ErrorCode::kInvalidArgument, what); };
  if (!(o.damping >= 0 && o.damping < 1))
    return bad("damping " + std::to_string(o.damping) + " is not in [0, 1)");
  if (o.iterations < 0) return bad("iterations " + std::to_string(o.iterations) + " is below 0");
  if (o.iterations > 0) return {};
  if (o.max_iterations < 1)
    return bad("max_iterations " + std::to_string(o.max_iterations) + " is below 1");
  const bool f32 = o.precision == Precision::kF32;
  const double floor = std::ldexp(1.0, f32 ? -22 : -50) / (1.0 - o.damping);
  if (!(o.tolerance >= floor)) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "tolerance %g cannot be reached in %s; at damping %g it must be at least %.3g",
                  o.tolerance, f32 ? "f32" : "f64", o.damping, floor);
    return bad(text);
  }
  return {};
}

// Teleport distribution over dense ids; empty = uniform.
Result<std::vector<double>> Teleport(const Snapshot& snapshot, const DenseView& view,
                                     const std::vector<PageRankSeed>& seeds) {
  std::vector<double> teleport;
  if (seeds.empty()) return teleport;
  teleport.assign(view.node_count(), 0.0);
  double total = 0;
  for (const PageRankSeed& seed : seeds) {
    const NodeId dense = seed.node < snapshot.node_count() ? view.dense(seed.node) : kNoNode;
    if (dense == kNoNode)
      return Fail(ErrorCode::kInvalidArgument,
                  "seed node " + std::to_string(seed.node) + " is not among the selected nodes");
    if (!(seed.weight >= 0) || !std::isfinite(seed.weight))
      return Fail(ErrorCode::kInvalidArgument, "weight " + std::to_string(seed.weight) +
                                                   " of seed node " + std::to_string(seed.node) +
                                                   " is not a finite number >= 0");
    teleport[dense] += seed.weight;
    total += seed.weight;
  }
  if (!(total > 0) || !std::isfinite(total))
    return Fail(ErrorCode::kInvalidArgument, "the seeds' weights do not have a finite sum above 0");
  for (double& t : teleport) t /= total;
  return teleport;
}

// Multiplying by 1 changes no bit, so a graph whose weights are all 1 takes the
// unweighted kernel, which reads half as many bytes.
bool AllOnes(std::span<const float> weights, Executor& executor) {
  return ParallelReduce(
             executor, weights.size(), std::size_t{1} << 16, 1,
             [&](std::size_t begin, std::size_t end) -> int {
               return std::all_of(weights.begin() + static_cast<std::ptrdiff_t>(begin),
                                  weights.begin() + static_cast<std::ptrdiff_t>(end),
                                  [](float w) { return w == 1.0f; });
             },
             [](int a, int b) { return a & b; }) != 0;
}

// f32 has 8 exponent bits: out-strengths far from 1 would flush scores to zero.
template <class Real>
Status CheckRange(const std::vector<Real>& reciprocals) {
  if constexpr (sizeof(Real) == sizeof(double)) return {};
  for (std::size_t i = 0; i < reciprocals.size(); ++i)
    if (reciprocals[i] != 0 && !(reciprocals[i] > 1e-25f && reciprocals[i] < 1e25f))
      return Fail(ErrorCode::kInvalidArgument,
                  "edge weights sum up to less than 1e-25 or more than 1e25 at a node, which "
                  "f32 cannot divide by; use f64");
  return {};
}

// 1 / out-strength over the selected arcs, by dense id. Only sums are wanted of the
// out rows, so a packed view does without them.
template <class Real>
std::vector<Real> Reciprocals(const internal::Selection& selection, const DenseView& view,
                              bool weighted, Executor& executor) {
  const Snapshot& snapshot = *selection.snapshot;
  if (!view.packed()) {
    CsrView out = snapshot.base().out();
    if (!weighted) out.weights = {};
    return OutReciprocals<Real>(out, executor);
  }
  const NodeSubset nodes = view.nodes();
  std::vector<double> strengths(view.node_count());
  ParallelFor(executor, strengths.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double sum = 0;
      snapshot.ForEachArc(Direction::kOut, view.node(static_cast<NodeId>(i)), selection.filter,
                          [&](const Arc& arc) {
                            if (selection.all_nodes || nodes.contains(arc.neighbor))
                              sum += weighted ? static_cast<double>(arc.weight) : 1.0;
                          });
      strengths[i] = sum;
    }
  });
  return StrengthReciprocals<Real>(strengths, executor);
}

template <class Real>
Status RankDense(const internal::Selection& selection, const DenseView& view,
                 const std::vector<double>& teleport, const PageRankOptions& options,
                 Executor& executor, PageRankResult& result) {
  CsrView in = view.in();
  const bool weighted = options.weighted && !AllOnes(in.weights, executor);
  if (!weighted) in.weights = {};
  const std::vector<Real> reciprocals = Reciprocals<Real>(selection, view, weighted, executor);
  PLEXUS_TRY(CheckRange(reciprocals));
  const std::vector<Real> home(teleport.begin(), teleport.end());
  PageRankCsrOptions kernel;
  kernel.damping = options.damping;
  kernel.iterations = options.iterations > 0 ? options.iterations : options.max_iterations;
  kernel.tolerance = options.iterations > 0 ? 0 : options.tolerance;
  kernel.budget = options.budget;
  kernel.executor = &executor;
  const auto ranked = PageRankCsr<Real>({in, reciprocals, home}, kernel);

  ParallelFor(executor, view.node_count(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      result.scores[view.node(static_cast<NodeId>(i))] = static_cast<double>(ranked.scores[i]);
  });
  result.iterations = ranked.iterations;
  result.truncated = ranked.truncated;
  // Before the first step nothing is known but that both vectors sum to 1.
  result.error =
      ranked.iterations == 0 ? 2.0 : options.damping / (1.0 - options.damping) * ranked.step;
  return {};
}

}  // namespace

Result<PageRankResult> PageRank(const Snapshot& snapshot, const PageRankOptions& options) {
  PLEXUS_TRY(CheckOptions(options));
  Executor& executor = internal::Pick(options.executor);
  PLEXUS_ASSIGN(const DenseView view, DenseView::Make(snapshot, {.out = true,
                                                                 .in = true,
                                                                 .weights = options.weighted,
                                                                 .kinds = options.kinds,
                                                                 .valid_at = options.valid_at,
                                                                 .subset = options.subset,
                                                                 .executor = &executor}));
  PLEXUS_ASSIGN(const internal::Selection selection,
                internal::Select(snapshot, options.kinds, options.valid_at, options.subset));
  PLEXUS_ASSIGN(const std::vector<double> teleport, Teleport(snapshot, view, options.seeds));
  PageRankResult result;
  result.scores.assign(snapshot.node_count(), 0.0);
  result.nodes = view.nodes();
  result.edges = view.in().arc_count();
  if (view.node_count() == 0) {
    result.converged = true;
    return result;
  }
  if (options.precision == Precision::kF32)
    PLEXUS_TRY(RankDense<float>(selection, view, teleport, options, executor, result));
  else
    PLEXUS_TRY(RankDense<double>(selection, view, teleport, options, executor, result));
  result.converged = result.error <= options.tolerance;
  if (options.iterations == 0 && !result.converged) result.truncated = true;
  return result;
}

}  // namespace plexus
