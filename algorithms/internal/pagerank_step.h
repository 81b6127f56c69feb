// One iteration of PageRank, as the pull kernel and the tiled one share it: the arrays
// it works on, what it reports, and what becomes of a row's sum.
#pragma once

#include <cmath>
#include <cstddef>

#include "algorithms/internal/pagerank_tiles.h"
#include "algorithms/internal/pool.h"
#include "engine/aligned_array.h"
#include "engine/parallel.h"

namespace plexus::internal {

struct PageRankPartial {
  double step = 0;      // sum of |new - old|
  double dangling = 0;  // mass on nodes without arcs
};
inline PageRankPartial Add(PageRankPartial a, PageRankPartial b) {
  return {a.step + b.step, a.dangling + b.dangling};
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

  void Finish(std::size_t v, double sum, PageRankPartial& partial) const {
    const double home = teleport ? base * static_cast<double>(teleport[v]) : base;
    const Real score = static_cast<Real>(home + damping * sum);
    partial.step += std::abs(static_cast<double>(score) - static_cast<double>(scores[v]));
    if (reciprocal[v] == 0) partial.dangling += static_cast<double>(score);
    scores[v] = score;
    next[v] = score * reciprocal[v];
  }
};

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
