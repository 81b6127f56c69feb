// One iteration of PageRank, as pull and the kernels over layouts share it: the arrays it
// works on, what it reports, and what becomes of a row's sum.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "algorithms/common/internal/object_pool.h"
#include "algorithms/pagerank/internal/simd4.h"
#include "algorithms/pagerank/internal/tile_layout.h"
#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"
#include "engine/parallel.h"

namespace plexus::pagerank::internal {

// Node v adds to lane v % 4: four short chains of additions instead of a long one, which
// every node would have to wait for.
struct PageRankPartial {
  static constexpr std::size_t kLanes = 4;
  using Lanes = std::array<double, kLanes>;
  Lanes step{};      // sum of |new - old|
  Lanes dangling{};  // mass on nodes without arcs

  static double Total(const Lanes& lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }
};
inline PageRankPartial Add(PageRankPartial a, const PageRankPartial& b) {
  for (std::size_t lane = 0; lane < PageRankPartial::kLanes; ++lane) {
    a.step[lane] += b.step[lane];
    a.dangling[lane] += b.dangling[lane];
  }
  return a;
}

// Arrays by node, contributions by position in a layout that has its own.
template <class Real>
struct PageRankStep {
  double damping = 0, base = 0;
  const Real* reciprocal = nullptr;
  const Real* teleport = nullptr;            // null: uniform
  const std::uint32_t* positions = nullptr;  // null: a node's is its number
  const Real* contribution = nullptr;
  Real* next = nullptr;  // contributions to the next iteration
  Real* scores = nullptr;

  std::size_t position(std::size_t v) const { return positions ? positions[v] : v; }

  // Rows [begin, end), begin a multiple of kLanes; sums[i] = row begin + i.
  PageRankPartial FinishRows(std::size_t begin, std::size_t end, const double* sums) const {
    if (positions)
      return teleport ? FinishRows<true, true>(begin, end, sums)
                      : FinishRows<true, false>(begin, end, sums);
    return teleport ? FinishRows<false, true>(begin, end, sums)
                    : FinishRows<false, false>(begin, end, sums);
  }

 private:
  template <bool kPositions, bool kTeleport>
  PageRankPartial FinishRows(std::size_t begin, std::size_t end, const double* sums) const {
    constexpr std::size_t kLanes = PageRankPartial::kLanes;
    PageRankPartial partial;
    const PageRankStep<Real> at = *this;  // which no store below can change
    Wide step{}, dangling{};
    std::size_t v = begin;
    for (; v + kLanes <= end; v += kLanes) {
      Narrow r, old;
      Wide sum, home = Wide{} + at.base;
      std::memcpy(&r, at.reciprocal + v, sizeof r);
      std::memcpy(&old, at.scores + v, sizeof old);
      std::memcpy(&sum, sums + (v - begin), sizeof sum);
      if constexpr (kTeleport) {
        Narrow share;
        std::memcpy(&share, at.teleport + v, sizeof share);
        home *= __builtin_convertvector(share, Wide);
      }
      const Narrow score = __builtin_convertvector(home + at.damping * sum, Narrow);
      const Wide rounded = __builtin_convertvector(score, Wide);
      const Wide change = rounded - __builtin_convertvector(old, Wide);
      step += reinterpret_cast<Wide>(reinterpret_cast<Bits>(change) & kNoSign);
      Bits dangles;
      if constexpr (sizeof(Real) == sizeof(double))
        ZeroMask(r, dangles);
      else
        dangles = __builtin_convertvector(r == 0, Bits);
      dangling += reinterpret_cast<Wide>(reinterpret_cast<Bits>(rounded) & dangles);
      const Narrow contribution_next = score * r;
      std::memcpy(at.scores + v, &score, sizeof score);
      if constexpr (kPositions) {
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          at.next[at.positions[v + lane]] = contribution_next[lane];
      } else {
        std::memcpy(at.next + v, &contribution_next, sizeof contribution_next);
      }
    }
    std::memcpy(partial.step.data(), &step, sizeof step);
    std::memcpy(partial.dangling.data(), &dangling, sizeof dangling);
    for (; v < end; ++v) {
      const double home = kTeleport ? base * static_cast<double>(teleport[v]) : base;
      const Real score = static_cast<Real>(home + damping * sums[v - begin]);
      partial.step[v % kLanes] +=
          std::abs(static_cast<double>(score) - static_cast<double>(scores[v]));
      if (reciprocal[v] == 0) partial.dangling[v % kLanes] += static_cast<double>(score);
      scores[v] = score;
      next[position(v)] = score * reciprocal[v];
    }
    return partial;
  }

  using Narrow [[gnu::vector_size(PageRankPartial::kLanes * sizeof(Real))]] = Real;
  using Wide = FourDoubles;
  using Bits = FourMasks;
  static_assert(sizeof(Wide) == PageRankPartial::kLanes * sizeof(double));
  static constexpr std::int64_t kNoSign = std::numeric_limits<std::int64_t>::max();
};

// Pull: over the rows of a graph as they are, nothing prepared. Blocks are cut by node id and their
// partial sums added in order, so no bit depends on the threads.
template <class Real>
PageRankPartial StepByPull(const CsrView& in, const PageRankStep<Real>& step, Executor& executor);

// Iterations over tiles. A block's sums are scratch that stays in cache.
class TileStepper {
 public:
  template <class Real>
  PageRankPartial Step(const PageRankTiles& tiles, const PageRankStep<Real>& step,
                       Executor& executor);

 private:
  struct Sums {
    AlignedArray<double> rows{PageRankTiles::kSegment};
  };
  common_internal::ObjectPool<Sums> pool_;
};

}  // namespace plexus::pagerank::internal
