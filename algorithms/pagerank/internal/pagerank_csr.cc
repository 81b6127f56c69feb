// The iterations over the arrays of one graph, by pull or over tiles.
#include "algorithms/pagerank/internal/pagerank_csr.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "algorithms/pagerank/internal/iteration.h"
#include "algorithms/pagerank/internal/tile_layout.h"
#include "engine/arrays/aligned_array.h"
#include "engine/out_of_memory.h"

namespace plexus::pagerank {

namespace {

using internal::PageRankPartial;
using internal::PageRankStep;
using internal::PageRankTiles;

constexpr std::size_t kGrain = 4096;  // nodes a block; part of the result's definition

// Every array once, as if each line fetched were used to the end.
template <class Real>
std::uint64_t BytesPerIteration(const PageRankCsrInput<Real>& input) {
  const std::uint64_t n = input.reciprocal.size();
  // Scores twice, reciprocals, contributions read and written, teleport.
  std::uint64_t bytes = n * sizeof(Real) * (input.teleport.empty() ? 5 : 6);
  if (input.layout) return bytes + input.layout->size_bytes();
  bytes += (n + 1) * sizeof(std::uint32_t) + input.in.arc_count() * sizeof(NodeId);
  return bytes + input.in.weights.size_bytes();
}

}  // namespace

Result<std::shared_ptr<const PageRankTiles>> MakePageRankLayout(const CsrView& in,
                                                                const CsrView& out,
                                                                Executor& executor,
                                                                int iterations) try {
  const int enough = PageRankTiles::BreakEvenIterations(in, out);
  if (enough == 0 || iterations < enough) return nullptr;
  return std::make_shared<const PageRankTiles>(PageRankTiles::Make(in, out, executor));
}
PLEXUS_CATCH_NO_MEMORY

template <class Real>
Result<PageRankCsrResult<Real>> PageRankCsr(const PageRankCsrInput<Real>& input,
                                            const PageRankCsrOptions& options) try {
  PageRankCsrResult<Real> result;
  const std::size_t n = input.reciprocal.size();
  if (n == 0) return result;
  const std::uint64_t arcs = input.layout ? input.layout->arc_count() : input.in.arc_count();
  if (input.layout) {
    PLEXUS_CHECK(input.layout->node_count() == n, "one reciprocal per node");
    PLEXUS_CHECK(input.in.offsets.empty() || input.in.arc_count() == arcs,
                 "a layout of these rows");
    PLEXUS_CHECK(input.in.neighbors.empty() ||
                     (input.layout->weights() != nullptr) == !input.in.weights.empty(),
                 "a layout with weights for rows with weights");
  } else {
    PLEXUS_CHECK(input.in.node_count() == n, "one reciprocal per node");
  }
  PLEXUS_CHECK(input.teleport.empty() || input.teleport.size() == n, "one teleport per node");
  PLEXUS_CHECK(input.start.empty() || input.start.size() == n, "one first score per node");
  Executor& executor = options.executor ? *options.executor : DefaultExecutor();
  const bool uniform = input.teleport.empty();
  const double share = uniform ? 1.0 / static_cast<double>(n) : 1.0;  // of `base` per node
  result.bytes_per_iteration = BytesPerIteration(input);

  PageRankStep<Real> step;
  step.damping = options.damping;
  step.reciprocal = input.reciprocal.data();
  step.teleport = uniform ? nullptr : input.teleport.data();
  if (input.layout) step.positions = input.layout->positions();
  AlignedArray<Real> contribution(n), next(n), scores(n);
  internal::TileStepper over_tiles;
  step.scores = scores.data();
  PageRankPartial last = ParallelReduce(
      executor, n, kGrain, PageRankPartial{},
      [&](std::size_t begin, std::size_t end) {
        PageRankPartial partial;
        for (std::size_t v = begin; v < end; ++v) {
          const Real score = !input.start.empty() ? input.start[v]
                             : uniform            ? static_cast<Real>(share)
                                                  : step.teleport[v];
          scores[v] = score;
          contribution[step.position(v)] = score * step.reciprocal[v];
          if (step.reciprocal[v] == 0)
            partial.dangling[v % PageRankPartial::kLanes] += static_cast<double>(score);
        }
        return partial;
      },
      internal::Add);

  const double bound = options.damping / (1.0 - options.damping);
  std::uint64_t edges_left = options.budget.edges;
  while (result.iterations < options.iterations) {
    if (edges_left < arcs || options.budget.Interrupted()) {
      result.truncated = true;
      break;
    }
    if (edges_left != Budget::kUnlimited) edges_left -= arcs;
    const double kept =
        options.keep_dangling ? options.damping * PageRankPartial::Total(last.dangling) : 0.0;
    step.base = (1.0 - options.damping + kept) * share;
    step.contribution = contribution.data();
    step.next = next.data();
    last = input.layout ? over_tiles.Step(*input.layout, step, executor)
                        : internal::StepByPull(input.in, step, executor);
    std::swap(contribution, next);
    result.step = PageRankPartial::Total(last.step);
    ++result.iterations;
    if (options.tolerance > 0 && bound * result.step <= options.tolerance) break;
  }
  result.scores.resize(n);
  ParallelFor(executor, n, kGrain, [&](std::size_t begin, std::size_t end) {
    std::copy(scores.begin() + begin, scores.begin() + end,
              result.scores.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  return result;
}
PLEXUS_CATCH_NO_MEMORY

template <class Real>
Result<std::vector<Real>> StrengthReciprocals(std::span<const double> strengths,
                                              Executor& executor) try {
  std::vector<Real> reciprocals(strengths.size());
  ParallelForEach(
      executor, strengths.size(), kGrain, [&](std::size_t v) {  // never 0 unless dangling
        reciprocals[v] = strengths[v] > 0 ? std::max(static_cast<Real>(1.0 / strengths[v]),
                                                     std::numeric_limits<Real>::denorm_min())
                                          : Real{0};
      });
  return reciprocals;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::vector<double>> OutStrengths(const CsrView& out, Executor& executor) try {
  std::vector<double> strengths(out.node_count());
  ParallelForEach(executor, strengths.size(), kGrain, [&](std::size_t v) {
    double sum = 0;
    if (out.weights.empty()) {
      sum = out.degree(static_cast<NodeId>(v));
    } else {
      for (std::uint32_t i = out.offsets[v]; i < out.offsets[v + 1]; ++i)
        sum += static_cast<double>(out.weights[i]);
    }
    strengths[v] = sum;
  });
  return strengths;
}
PLEXUS_CATCH_NO_MEMORY

template Result<PageRankCsrResult<float>> PageRankCsr(const PageRankCsrInput<float>&,
                                                      const PageRankCsrOptions&);
template Result<PageRankCsrResult<double>> PageRankCsr(const PageRankCsrInput<double>&,
                                                       const PageRankCsrOptions&);
template Result<std::vector<float>> StrengthReciprocals(std::span<const double>, Executor&);
template Result<std::vector<double>> StrengthReciprocals(std::span<const double>, Executor&);

}  // namespace plexus::pagerank
