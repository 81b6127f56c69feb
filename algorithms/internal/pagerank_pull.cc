// One pass over the nodes does everything: row sum, new score, change, next contribution,
// dangling mass. What takes the time is fetching contributions from anywhere; everything
// else must keep out of the way of as many fetches at once as the processor can hold.
//
// The end of a row is a branch that nobody can guess, one to four times a row. In f32 with
// a uniform teleport, rows are therefore not followed at all: 512 arcs at a time become
// running sums of f64, and a row's sum is a difference of two of them. It is exact enough
// there: its error is some 2^-50 of what 512 arcs bring together, and no score is below
// (1 - d) / n. A row that brings nothing is 0 to the bit. Under seeds most scores
// may be far smaller, and in f64 the error would show: there every row has sums of its own.
#include "algorithms/internal/pagerank_pull.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace plexus::internal {

namespace {

constexpr std::size_t kGrain = 4096;  // nodes a block; part of the result's definition
static_assert(kGrain % PageRankPartial::kLanes == 0, "blocks begin at lane 0");

// Sum of the arcs before each of a chunk's, in four stretches that are added at once.
class RunningSums {
 public:
  static constexpr std::uint32_t kStretch = 128, kArcs = 4 * kStretch;

  // The arcs [first, first + count), at most kArcs.
  template <bool kWeighted>
  void Add(const CsrView& in, std::uint32_t first, std::uint32_t count, const float* contribution) {
    const NodeId* const neighbors = in.neighbors.data() + first;
    const float* const weights = kWeighted ? in.weights.data() + first : nullptr;
    auto term = [&](std::uint32_t i) {
      double c = static_cast<double>(contribution[neighbors[i]]);
      if constexpr (kWeighted) c *= static_cast<double>(weights[i]);
      return c;
    };
    if (count < kArcs) {
      double sum = 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        inside_[i] = sum;
        sum += term(i);
      }
      inside_[count] = sum;
      before_ = {};
      return;
    }
    double a = 0, b = 0, c = 0, d = 0;
    for (std::uint32_t i = 0; i < kStretch; i += kLine) {
      for (std::uint32_t stretch = 0; stretch < kArcs; stretch += kStretch) {
        __builtin_prefetch(neighbors + i + stretch + kPullAhead);
        if constexpr (kWeighted) __builtin_prefetch(weights + i + stretch + kPullAhead);
      }
#pragma GCC unroll 16
      for (std::uint32_t j = i; j < i + kLine; ++j) {
        inside_[j] = a;
        a += term(j);
        inside_[j + kStretch] = b;
        b += term(j + kStretch);
        inside_[j + 2 * kStretch] = c;
        c += term(j + 2 * kStretch);
        inside_[j + 3 * kStretch] = d;
        d += term(j + 3 * kStretch);
      }
    }
    inside_[kArcs] = 0;
    before_ = {0, a, a + b, (a + b) + c, ((a + b) + c) + d};
  }

  // Of the chunk's first `count` arcs.
  double operator()(std::uint32_t count) const { return inside_[count] + before_[count / kStretch]; }

 private:
  static constexpr std::uint32_t kLine = 16;  // ids
  std::array<double, kArcs + 1> inside_;      // since its stretch began
  std::array<double, 5> before_;              // of each stretch
};

// sums[i] = row begin + i.
template <bool kWeighted>
void SumsByDifference(const CsrView& in, const float* contribution, std::size_t begin,
                      std::size_t end, double* sums) {
  const std::uint32_t* const offsets = in.offsets.data();
  RunningSums running;
  std::size_t v = begin;
  double carried = 0;  // of row v, from chunks before
  for (std::uint32_t first = offsets[begin]; first < offsets[end];) {
    const std::uint32_t count = std::min(RunningSums::kArcs, offsets[end] - first);
    running.Add<kWeighted>(in, first, count, contribution);
    double before = -carried;
    for (; v < end && offsets[v + 1] - first <= count; ++v) {
      __builtin_prefetch(offsets + v + kPullAhead);
      const double now = running(offsets[v + 1] - first);
      sums[v - begin] = now - before;
      before = now;
    }
    carried = running(count) - before;
    first += count;
  }
  std::fill(sums + (v - begin), sums + (end - begin), 0.0);  // rows without arcs
}

template <bool kWeighted, class Real>
PageRankPartial PullRows(const CsrView& in, const PageRankStep<Real>& step, std::size_t begin,
                         std::size_t end) {
  std::array<double, kGrain> sums;
  bool summed = false;
  if constexpr (std::is_same_v<Real, float>)
    if (!step.teleport) {
      SumsByDifference<kWeighted>(in, step.contribution, begin, end, sums.data());
      summed = true;
    }
  if (!summed)
    for (std::size_t v = begin; v < end; ++v) {
      const std::uint32_t at = in.offsets[v];
      sums[v - begin] = PullSum<kWeighted>(in.neighbors.data() + at, kWeighted ? in.weights.data() + at : nullptr,
                                           in.offsets[v + 1] - at, step.contribution);
    }
  return step.FinishRows(begin, end, sums.data());
}

}  // namespace

template <class Real>
PageRankPartial StepByPull(const CsrView& in, const PageRankStep<Real>& step, Executor& executor) {
  return ParallelReduce(
      executor, in.node_count(), kGrain, PageRankPartial{},
      [&](std::size_t begin, std::size_t end) {
        return in.weights.empty() ? PullRows<false>(in, step, begin, end)
                                  : PullRows<true>(in, step, begin, end);
      },
      Add);
}

template PageRankPartial StepByPull(const CsrView&, const PageRankStep<float>&, Executor&);
template PageRankPartial StepByPull(const CsrView&, const PageRankStep<double>&, Executor&);

}  // namespace plexus::internal
