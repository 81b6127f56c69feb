// The kernel over tiles: sums of a block, then its scores.
#include "algorithms/pagerank/internal/iteration.h"

#include "algorithms/pagerank/internal/tile_spmv.h"

namespace plexus::pagerank::internal {

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
