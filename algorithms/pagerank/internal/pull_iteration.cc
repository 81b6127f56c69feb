// One pass over the nodes does everything: row sum, new score, change, next contribution,
// dangling mass. What takes the time is fetching contributions from anywhere; everything
// else must keep out of the way of as many fetches at once as the processor can hold.
//
// The end of a row is an unpredictable branch, one to four times a row. In f32 rows
// are therefore not followed at all: 512 arcs at a time become running sums of f64, and a
// row's sum is a difference of two of them. Its error is at most 2^-45 of what those arcs
// bring together, far below what f32 rounds away of all scores; a row that brings nothing
// is 0 to the bit, none is below. In f64, where it would show, every row has sums of its
// own.
//
// Over tiles: sums of a block, then its scores.
#include <algorithm>
#include <array>
#include <type_traits>

#include "algorithms/common/internal/row_dot.h"
#include "algorithms/pagerank/internal/iteration.h"

namespace plexus::pagerank::internal {

namespace {

constexpr std::size_t kGrain = 4096;  // nodes a block; part of the result's definition
static_assert(kGrain % PageRankPartial::kLanes == 0, "blocks begin at lane 0");

// Sum of the arcs before each of a chunk's, in four stretches that are added at once.
class RunningSums {
 public:
  static constexpr std::uint32_t kStretch = 128, kArcs = 4 * kStretch;

  // `count` arcs, at most kArcs.
  template <bool kWeighted>
  void Add(const NodeId* neighbors, const float* weights, std::uint32_t count,
           const float* contribution) {
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
        __builtin_prefetch(neighbors + i + stretch + common_internal::kPullAhead);
        if constexpr (kWeighted)
          __builtin_prefetch(weights + i + stretch + common_internal::kPullAhead);
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
  double operator()(std::uint32_t count) const {
    return inside_[count] + before_[count / kStretch];
  }

 private:
  static constexpr std::uint32_t kLine = 16;  // ids
  std::array<double, kArcs + 1> inside_;      // since its stretch began
  std::array<double, 5> before_;              // of each stretch
};

// Consecutive rows: where their arcs lie, and where each ends, counted like `begin`, which
// is where the first one does.
struct RowRange {
  const NodeId* neighbors;
  const float* weights;
  const std::uint32_t* ends;
  std::uint32_t begin;
  std::size_t rows;
};

// sums[i] = row i.
template <bool kWeighted>
void SumsByDifference(const RowRange& range, const float* contribution, double* sums) {
  RunningSums running;
  std::size_t row = 0;
  double carried = 0;  // of `row`, from chunks before
  const std::uint32_t arcs = range.rows == 0 ? 0 : range.ends[range.rows - 1] - range.begin;
  for (std::uint32_t first = 0; first < arcs;) {
    const std::uint32_t count = std::min(RunningSums::kArcs, arcs - first);
    running.Add<kWeighted>(range.neighbors + first, kWeighted ? range.weights + first : nullptr,
                           count, contribution);
    double before = -carried;
    for (; row < range.rows && range.ends[row] - range.begin - first <= count; ++row) {
      __builtin_prefetch(range.ends + row + common_internal::kPullAhead);
      const double now = running(range.ends[row] - range.begin - first);
      sums[row] = now - before;
      before = now;
    }
    carried = running(count) - before;
    first += count;
  }
  std::fill(sums + row, sums + range.rows, 0.0);
}

template <class Real>
void Sums(const RowRange& range, const PageRankStep<Real>& step, double* sums) {
  if constexpr (std::is_same_v<Real, float>)
    return range.weights ? SumsByDifference<true>(range, step.contribution, sums)
                         : SumsByDifference<false>(range, step.contribution, sums);
  std::uint32_t begin = range.begin;
  for (std::size_t row = 0; row < range.rows; ++row) {
    const std::uint32_t end = range.ends[row], at = begin - range.begin;
    const double sum = range.weights
                           ? common_internal::RowDot<true>(range.neighbors + at, range.weights + at,
                                                           end - begin, step.contribution)
                           : common_internal::RowDot<false>(range.neighbors + at, nullptr,
                                                            end - begin, step.contribution);
    sums[row] = sum;
    begin = end;
  }
}

}  // namespace

template <class Real>
PageRankPartial StepByPull(const CsrView& in, const PageRankStep<Real>& step, Executor& executor) {
  return ParallelReduce(
      executor, in.node_count(), kGrain, PageRankPartial{},
      [&](std::size_t begin, std::size_t end) {
        std::array<double, kGrain> sums;
        const std::uint32_t first = in.offsets[begin];
        Sums({in.neighbors.data() + first, in.weights.empty() ? nullptr : in.weights.data() + first,
              in.offsets.data() + begin + 1, first, end - begin},
             step, sums.data());
        return step.FinishRows(begin, end, sums.data());
      },
      Add);
}

template PageRankPartial StepByPull(const CsrView&, const PageRankStep<float>&, Executor&);
template PageRankPartial StepByPull(const CsrView&, const PageRankStep<double>&, Executor&);

template <class Real>
PageRankPartial TileStepper::Step(const PageRankTiles& tiles, const PageRankStep<Real>& step,
                                  Executor& executor) {
  pool_.Reserve(executor, tiles.blocks().size());
  return ParallelReduce(
      executor, tiles.blocks().size(), 1, PageRankPartial{},
      [&](std::size_t b, std::size_t) {
        const auto sums = pool_.Acquire();
        const PageRankTiles::Block& block = tiles.blocks()[b];
        TileSpmv<Real>(tiles, block, step.contribution, sums->rows.data());
        static_assert(PageRankTiles::kRowAlign % PageRankPartial::kLanes == 0,
                      "blocks begin at lane 0");
        const PageRankPartial partial = step.FinishRows(block.begin, block.end, sums->rows.data());
        return partial;
      },
      Add);
}

template PageRankPartial TileStepper::Step(const PageRankTiles&, const PageRankStep<float>&,
                                           Executor&);
template PageRankPartial TileStepper::Step(const PageRankTiles&, const PageRankStep<double>&,
                                           Executor&);

}  // namespace plexus::pagerank::internal
