// The pull kernel. One pass over the nodes per iteration does everything: row sum,
// new score, change, next contribution, dangling mass.
//
// Sums: a row uses four running sums taken in turn, which the processor overlaps
// and which lose less in f32 than one long chain; f32 rows are summed in f64, free
// beside the cache misses. Blocks are cut by node id and their partial sums added
// in order, so no bit depends on the threads.
#include "algorithms/pagerank_csr.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "engine/aligned_array.h"

namespace plexus {

namespace {

constexpr std::size_t kGrain = 4096;  // nodes a block; part of the result's definition

struct Partial {
  double step = 0;      // sum of |new - old|
  double dangling = 0;  // mass on nodes without arcs
};

template <bool kWeighted, class Real>
inline double RowSum(const NodeId* neighbors, const float* weights, std::uint32_t count,
                     const Real* contribution) {
  auto term = [&](std::uint32_t i) {
    double c = static_cast<double>(contribution[neighbors[i]]);
    if constexpr (kWeighted) c *= static_cast<double>(weights[i]);
    return c;
  };
  double a = 0, b = 0, c = 0, d = 0;
  std::uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    a += term(i);
    b += term(i + 1);
    c += term(i + 2);
    d += term(i + 3);
  }
  if (i < count) a += term(i);
  if (i + 1 < count) b += term(i + 1);
  if (i + 2 < count) c += term(i + 2);
  return (a + b) + (c + d);
}

// One iteration over [begin, end).
template <bool kWeighted, class Real>
Partial Update(const PageRankCsrInput<Real>& input, double damping, double base,
               const Real* contribution, Real* next, Real* scores, std::size_t begin,
               std::size_t end) {
  const std::uint32_t* offsets = input.in.offsets.data();
  const NodeId* neighbors = input.in.neighbors.data();
  const float* weights = input.in.weights.data();
  const Real* reciprocal = input.reciprocal.data();
  const Real* teleport = input.teleport.empty() ? nullptr : input.teleport.data();
  Partial partial;
  for (std::size_t v = begin; v < end; ++v) {
    const std::uint32_t at = offsets[v];
    const double sum = RowSum<kWeighted>(neighbors + at, kWeighted ? weights + at : nullptr,
                                         offsets[v + 1] - at, contribution);
    const double home = teleport ? base * static_cast<double>(teleport[v]) : base;
    const Real score = static_cast<Real>(home + damping * sum);
    partial.step += std::abs(static_cast<double>(score) - static_cast<double>(scores[v]));
    if (reciprocal[v] == 0) partial.dangling += static_cast<double>(score);
    scores[v] = score;
    next[v] = score * reciprocal[v];
  }
  return partial;
}

Partial Add(Partial a, Partial b) { return {a.step + b.step, a.dangling + b.dangling}; }

}  // namespace

template <class Real>
PageRankCsrResult<Real> PageRankCsr(const PageRankCsrInput<Real>& input,
                                    const PageRankCsrOptions& options) {
  PageRankCsrResult<Real> result;
  const std::size_t n = input.reciprocal.size();
  if (n == 0) return result;
  PLEXUS_CHECK(input.in.node_count() == n, "one reciprocal per node");
  PLEXUS_CHECK(input.teleport.empty() || input.teleport.size() == n, "one teleport per node");
  Executor& executor = options.executor ? *options.executor : DefaultExecutor();
  const bool weighted = !input.in.weights.empty();
  const bool uniform = input.teleport.empty();
  const double share = uniform ? 1.0 / static_cast<double>(n) : 1.0;  // of `base` per node

  result.scores.resize(n);
  AlignedArray<Real> contribution(n), next(n);
  Partial last = ParallelReduce(
      executor, n, kGrain, Partial{},
      [&](std::size_t begin, std::size_t end) {
        Partial partial;
        for (std::size_t v = begin; v < end; ++v) {
          const Real score = uniform ? static_cast<Real>(share) : input.teleport[v];
          result.scores[v] = score;
          contribution[v] = score * input.reciprocal[v];
          if (input.reciprocal[v] == 0) partial.dangling += static_cast<double>(score);
        }
        return partial;
      },
      Add);

  const double bound = options.damping / (1.0 - options.damping);
  std::uint64_t edges_left = options.budget.edges;
  while (result.iterations < options.iterations) {
    if (edges_left < input.in.arc_count() || options.budget.Interrupted()) {
      result.truncated = true;
      break;
    }
    if (edges_left != Budget::kUnlimited) edges_left -= input.in.arc_count();
    const double kept = options.keep_dangling ? options.damping * last.dangling : 0.0;
    const double base = (1.0 - options.damping + kept) * share;
    last = ParallelReduce(
        executor, n, kGrain, Partial{},
        [&](std::size_t begin, std::size_t end) {
          auto update = weighted ? Update<true, Real> : Update<false, Real>;
          return update(input, options.damping, base, contribution.data(), next.data(),
                        result.scores.data(), begin, end);
        },
        Add);
    std::swap(contribution, next);
    result.step = last.step;
    ++result.iterations;
    if (options.tolerance > 0 && bound * last.step <= options.tolerance) break;
  }
  return result;
}

template <class Real>
std::vector<Real> StrengthReciprocals(std::span<const double> strengths, Executor& executor) {
  std::vector<Real> reciprocals(strengths.size());
  ParallelFor(executor, strengths.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)  // never 0 unless dangling
      reciprocals[v] = strengths[v] > 0 ? std::max(static_cast<Real>(1.0 / strengths[v]),
                                                   std::numeric_limits<Real>::denorm_min())
                                        : Real{0};
  });
  return reciprocals;
}

template <class Real>
std::vector<Real> OutReciprocals(const CsrView& out, Executor& executor) {
  std::vector<double> strengths(out.node_count());
  ParallelFor(executor, strengths.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      double sum = 0;
      if (out.weights.empty()) {
        sum = out.degree(static_cast<NodeId>(v));
      } else {
        for (std::uint32_t i = out.offsets[v]; i < out.offsets[v + 1]; ++i)
          sum += static_cast<double>(out.weights[i]);
      }
      strengths[v] = sum;
    }
  });
  return StrengthReciprocals<Real>(strengths, executor);
}

template PageRankCsrResult<float> PageRankCsr(const PageRankCsrInput<float>&,
                                              const PageRankCsrOptions&);
template PageRankCsrResult<double> PageRankCsr(const PageRankCsrInput<double>&,
                                               const PageRankCsrOptions&);
template std::vector<float> StrengthReciprocals(std::span<const double>, Executor&);
template std::vector<double> StrengthReciprocals(std::span<const double>, Executor&);
template std::vector<float> OutReciprocals(const CsrView&, Executor&);
template std::vector<double> OutReciprocals(const CsrView&, Executor&);

}  // namespace plexus
