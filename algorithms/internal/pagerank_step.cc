// The kernel over tiles. A block's sums stay in cache while its tiles are added one by
// one; a group of rows is a loop of fixed length, summed as trees of f32 (or f64) and
// added to the row's f64.
#include "algorithms/internal/pagerank_step.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "algorithms/internal/pull_sum.h"

namespace plexus::internal {

namespace {

constexpr std::uint32_t kShort = PageRankTiles::kShort;
// How far ahead the streams are asked for, in elements (see kPullAhead).
constexpr std::uint32_t kAhead = 1024;

// What is left of a block's streams.
struct Cursor {
  const std::uint16_t* rows;
  const std::uint16_t* sources;
  const float* weights;
  const std::uint32_t* long_counts;
};

template <bool kWeighted, class Real>
struct TileKernel {
  const Real* segment;  // contributions
  double* sums;         // of the block's rows

  Real Term(const std::uint16_t* sources, const float* weights, std::uint32_t i) const {
    if constexpr (kWeighted)
      return segment[sources[i]] * static_cast<Real>(weights[i]);
    else
      return segment[sources[i]];
  }
  // Terms [kFrom, kFrom + kCount) as a balanced tree.
  template <std::uint32_t kFrom, std::uint32_t kCount>
  Real Tree(const std::uint16_t* sources, const float* weights) const {
    return TermTree<kFrom, kCount>([&](std::uint32_t i) { return Term(sources, weights, i); });
  }
  // At most eight terms in Real, then f64: a longer chain in f32 could round the same way
  // at every term of a hub, and the iterations would end in a cycle instead of at a point.
  template <std::uint32_t kCount>
  double Sum(const std::uint16_t* sources, const float* weights) const {
    if constexpr (kCount <= 8)
      return static_cast<double>(Tree<0, kCount>(sources, weights));
    else
      return static_cast<double>(Tree<0, 8>(sources, weights)) +
             static_cast<double>(Tree<8, kCount - 8>(sources, weights));
  }
  template <std::uint32_t kCount>
  void Group(std::uint32_t rows, Cursor& at) const {
    const std::uint16_t* sources = at.sources;
    const float* weights = at.weights;
    for (std::uint32_t i = 0; i < rows; ++i) {
      __builtin_prefetch(sources + kAhead);
      if constexpr (kCount <= 4) __builtin_prefetch(at.rows + i + kAhead);
      if constexpr (kWeighted) __builtin_prefetch(weights + kAhead);
      sums[at.rows[i]] += Sum<kCount>(sources, weights);
      sources += kCount;
      if constexpr (kWeighted) weights += kCount;
    }
    at.rows += rows;
    at.sources = sources;
    at.weights = weights;
  }
  // A row of any length: eights as trees, in turn to two sums of f64.
  void Long(Cursor& at) const {
    const std::uint32_t count = *at.long_counts++;
    double even = 0, odd = 0;
    std::uint32_t i = 0;
    for (; i + 16 <= count; i += 16) {
      __builtin_prefetch(at.sources + i + kAhead);
      if constexpr (kWeighted) __builtin_prefetch(at.weights + i + kAhead);
      even += static_cast<double>(Tree<0, 8>(at.sources + i, WeightsAt(at, i)));
      odd += static_cast<double>(Tree<8, 8>(at.sources + i, WeightsAt(at, i)));
    }
    if (i + 8 <= count) {
      even += static_cast<double>(Tree<0, 8>(at.sources + i, WeightsAt(at, i)));
      i += 8;
    }
    for (; i < count; ++i) odd += static_cast<double>(Term(at.sources, at.weights, i));
    sums[*at.rows++] += even + odd;
    at.sources += count;
    if constexpr (kWeighted) at.weights += count;
  }
  static const float* WeightsAt(const Cursor& at, std::uint32_t i) {
    return kWeighted ? at.weights + i : nullptr;
  }
  void Run(const PageRankTiles::Tile& tile, Cursor& at) const {
    [&]<std::uint32_t... kGroup>(std::integer_sequence<std::uint32_t, kGroup...>) {
      (Group<kGroup + 1>(tile.rows[kGroup], at), ...);
    }(std::make_integer_sequence<std::uint32_t, kShort>());
    for (std::uint32_t left = tile.rows[kShort]; left > 0; --left) Long(at);
  }
};

template <bool kWeighted, class Real>
PageRankPartial StepBlock(const PageRankTiles& tiles, const PageRankTiles::Block& block,
                          const PageRankStep<Real>& step, double* sums) {
  std::fill_n(sums, block.end - block.begin, 0.0);
  Cursor at{block.rows.data(), tiles.sources() + block.first_arc,
            kWeighted ? tiles.weights() + block.first_arc : nullptr, block.long_counts.data()};
  for (std::size_t s = 0; s < block.tiles.size(); ++s)
    TileKernel<kWeighted, Real>{step.contribution + s * PageRankTiles::kSegment, sums}.Run(
        block.tiles[s], at);
  static_assert(PageRankTiles::kRowsTogether % PageRankPartial::kLanes == 0, "blocks begin at lane 0");
  return step.FinishRows(block.begin, block.end, sums);
}

}  // namespace

template <class Real>
PageRankPartial TileStepper::Step(const PageRankTiles& tiles, const PageRankStep<Real>& step,
                                  Executor& executor) {
  pool_.Reserve(executor, tiles.blocks().size());
  return ParallelReduce(
      executor, tiles.blocks().size(), 1, PageRankPartial{},
      [&](std::size_t b, std::size_t) {
        std::unique_ptr<Sums> sums = pool_.Take();
        const PageRankTiles::Block& block = tiles.blocks()[b];
        const PageRankPartial partial = tiles.weights()
                                            ? StepBlock<true>(tiles, block, step, sums->rows.data())
                                            : StepBlock<false>(tiles, block, step, sums->rows.data());
        pool_.Give(std::move(sums));
        return partial;
      },
      Add);
}

template PageRankPartial TileStepper::Step(const PageRankTiles&, const PageRankStep<float>&, Executor&);
template PageRankPartial TileStepper::Step(const PageRankTiles&, const PageRankStep<double>&, Executor&);

}  // namespace plexus::internal
