// A block's sums stay in cache while its tiles are added one by one; a group of rows is a
// loop of fixed length.
#include "algorithms/internal/tile_sums.h"

#include <algorithm>
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

// Terms are gathered as Value and added as Real.
template <bool kWeighted, class Real, class Value>
struct TileKernel {
  const Value* segment;
  double* sums;  // of the block's rows

  Real Term(const std::uint16_t* sources, const float* weights, std::uint32_t i) const {
    if constexpr (kWeighted)
      return static_cast<Real>(segment[sources[i]]) * static_cast<Real>(weights[i]);
    else
      return static_cast<Real>(segment[sources[i]]);
  }
  // Terms [kFrom, kFrom + kCount) as a balanced tree.
  template <std::uint32_t kFrom, std::uint32_t kCount>
  Real Tree(const std::uint16_t* sources, const float* weights) const {
    return TermTree<kFrom, kCount>([&](std::uint32_t i) { return Term(sources, weights, i); });
  }
  // At most eight terms in Real, then f64: a longer chain in f32 could round the same way
  // at every term of a hub, and the iterations would end in a cycle instead of at a point.
  template <std::uint32_t kCount>
  double RowSum(const std::uint16_t* sources, const float* weights) const {
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
      sums[at.rows[i]] += RowSum<kCount>(sources, weights);
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

template <bool kWeighted, class Real, class Value>
void Sum(const PageRankTiles& tiles, const PageRankTiles::Block& block, const Value* values, double* sums) {
  std::fill_n(sums, block.end - block.begin, 0.0);
  Cursor at{block.rows.data(), tiles.sources() + block.first_arc,
            kWeighted ? tiles.weights() + block.first_arc : nullptr, block.long_counts.data()};
  for (std::size_t s = 0; s < block.tiles.size(); ++s)
    TileKernel<kWeighted, Real, Value>{values + s * PageRankTiles::kSegment, sums}.Run(block.tiles[s], at);
}

}  // namespace

template <class Real, class Value>
void SumTiles(const PageRankTiles& tiles, const PageRankTiles::Block& block, const Value* values, double* sums) {
  if (tiles.weights())
    Sum<true, Real>(tiles, block, values, sums);
  else
    Sum<false, Real>(tiles, block, values, sums);
}

template void SumTiles<float>(const PageRankTiles&, const PageRankTiles::Block&, const float*, double*);
template void SumTiles<double>(const PageRankTiles&, const PageRankTiles::Block&, const float*, double*);
template void SumTiles<double>(const PageRankTiles&, const PageRankTiles::Block&, const double*, double*);

}  // namespace plexus::internal
