// One iteration of PageRank, as the pull kernel and the tiled one share it: the arrays
// it works on, what it reports, and what becomes of a row's sum.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "algorithms/internal/pagerank_tiles.h"
#include "algorithms/internal/pool.h"
#include "engine/aligned_array.h"
#include "engine/parallel.h"

namespace plexus::internal {

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

// Arrays by node, or by position in a layout that renumbers.
template <class Real>
struct PageRankStep {
  double damping = 0, base = 0;
  const Real* reciprocal = nullptr;
  const Real* teleport = nullptr;  // null: uniform
  const Real* contribution = nullptr;
  Real* next = nullptr;  // contributions to the next iteration
  Real* scores = nullptr;

  // Rows [v, v + kCount).
  template <std::size_t kCount>
  void Finish(std::size_t v, const double* sums, PageRankPartial& partial) const {
    static_assert(kCount == 1 || kCount == PageRankPartial::kLanes);
    std::array<double, kCount> change, dangling;
    for (std::size_t i = 0; i < kCount; ++i) {
      const double home = teleport ? base * static_cast<double>(teleport[v + i]) : base;
      const Real score = static_cast<Real>(home + damping * sums[i]);
      const Real r = reciprocal[v + i];
      change[i] = std::abs(static_cast<double>(score) - static_cast<double>(scores[v + i]));
      dangling[i] = r == 0 ? static_cast<double>(score) : 0.0;
      scores[v + i] = score;
      next[v + i] = score * r;
    }
    const std::size_t lane = kCount == 1 ? v % PageRankPartial::kLanes : 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      partial.step[lane + i] += change[i];
      partial.dangling[lane + i] += dangling[i];
    }
  }
};

// A row of the pull kernel: four running sums of f64 taken in turn.
template <bool kWeighted, class Real>
inline double PullSum(const NodeId* neighbors, const float* weights, std::uint32_t count,
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
  Pool<Sums> pool_;
};

}  // namespace plexus::internal
