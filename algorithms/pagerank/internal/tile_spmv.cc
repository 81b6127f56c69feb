// A block's sums stay in cache while its tiles are added one by one; a piece is a loop of
// fixed length.
#include "algorithms/pagerank/internal/tile_layout.h"

#include <algorithm>
#include <utility>

#include "algorithms/common/internal/row_dot.h"

namespace plexus::pagerank::internal {

namespace {

constexpr std::uint32_t kPiece = PageRankTiles::kPiece;
// How far ahead the streams are prefetched, in elements (see kPullAhead).
constexpr std::uint32_t kAhead = 1024;
constexpr std::uint32_t kBatchPieces = 16;  // pieces from one look ahead to the next
constexpr std::size_t kLine = 64;

// What is left of a block's streams.
struct Cursor {
  const std::uint16_t* rows;
  const std::uint16_t* sources;
  const float* weights;
  const char* next_segment;  // up to where it is prefetched
  std::uint32_t lines;       // of it, to prefetch with every kBatchPieces pieces
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
    return common_internal::TermTree<kFrom, kCount>(
        [&](std::uint32_t i) { return Term(sources, weights, i); });
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
  template <std::uint32_t kElements, class Element>
  static void Ahead(const Element* stream) {
    for (std::size_t byte = 0; byte < kElements * sizeof(Element); byte += kLine)
      __builtin_prefetch(stream + kAhead + byte / sizeof(Element));
  }
  // sums of the rows += their pieces of kCount arcs.
  template <std::uint32_t kCount>
  void Pieces(std::uint32_t pieces, Cursor& at) const {
    for (std::uint32_t done = 0; done < pieces;) {
      const std::uint32_t batch = std::min(kBatchPieces, pieces - done);
      Ahead<kBatchPieces * kCount>(at.sources);
      if constexpr (kWeighted) Ahead<kBatchPieces * kCount>(at.weights);
      __builtin_prefetch(at.rows + kAhead);
      for (std::uint32_t line = 0; line < at.lines; ++line, at.next_segment += kLine)
        __builtin_prefetch(at.next_segment, 0, 2);
      if (batch == kBatchPieces)
        for (std::uint32_t i = 0; i < kBatchPieces; ++i)
          sums[at.rows[i]] += RowSum<kCount>(at.sources + i * kCount, WeightsAt(at, i * kCount));
      else
        for (std::uint32_t i = 0; i < batch; ++i)
          sums[at.rows[i]] += RowSum<kCount>(at.sources + i * kCount, WeightsAt(at, i * kCount));
      at.rows += batch;
      at.sources += batch * kCount;
      if constexpr (kWeighted) at.weights += batch * kCount;
      done += batch;
    }
  }
  static const float* WeightsAt(const Cursor& at, std::uint32_t i) {
    return kWeighted ? at.weights + i : nullptr;
  }
  void Run(const PageRankTiles::Tile& tile, Cursor& at) const {
    [&]<std::uint32_t... kLess>(std::integer_sequence<std::uint32_t, kLess...>) {
      (Pieces<kLess + 1>(tile.pieces[kLess], at), ...);
    }(std::make_integer_sequence<std::uint32_t, kPiece>());
  }
};

// The next tile's segment (`bytes` of values) is brought into the second-level cache while
// this one is worked off, if it has two arcs a line for it; the last tile prefetches the next
// block's first.
void LookAhead(const PageRankTiles::Tile& tile, const PageRankTiles::Tile& next,
               const void* next_segment, std::size_t bytes, Cursor& at) {
  std::uint64_t arcs_next = 0, pieces = 0;
  for (std::uint32_t length = 1; length <= kPiece; ++length) {
    arcs_next += std::uint64_t{length} * next.pieces[length - 1];
    pieces += tile.pieces[length - 1];
  }
  const std::uint64_t lines = bytes / kLine, looks = pieces / kBatchPieces + 1;
  constexpr std::uint64_t kMaxLines = 16;
  at.next_segment = static_cast<const char*>(next_segment);
  at.lines = arcs_next < 2 * lines
                 ? 0
                 : static_cast<std::uint32_t>(std::min((lines + looks - 1) / looks, kMaxLines));
}

template <bool kWeighted, class Real, class Value>
void Sum(const PageRankTiles& tiles, const PageRankTiles::Block& block, const Value* values,
         double* sums) {
  constexpr std::size_t kSegment = PageRankTiles::kSegment;
  std::fill_n(sums, block.end - block.begin, 0.0);
  Cursor at{block.rows.data(), tiles.sources() + block.first_arc,
            kWeighted ? tiles.weights() + block.first_arc : nullptr, nullptr, 0};
  for (std::size_t s = 0; s < block.tiles.size(); ++s) {
    const std::size_t next = (s + 1) % block.tiles.size();
    LookAhead(block.tiles[s], block.tiles[next], values + next * kSegment, kSegment * sizeof(Value),
              at);
    TileKernel<kWeighted, Real, Value>{values + s * kSegment, sums}.Run(block.tiles[s], at);
  }
}

}  // namespace

template <class Real, class Value>
void TileSpmv(const PageRankTiles& tiles, const PageRankTiles::Block& block, const Value* values,
              double* sums) {
  if (tiles.weights())
    Sum<true, Real>(tiles, block, values, sums);
  else
    Sum<false, Real>(tiles, block, values, sums);
}

template void TileSpmv<float>(const PageRankTiles&, const PageRankTiles::Block&, const float*,
                              double*);
template void TileSpmv<double>(const PageRankTiles&, const PageRankTiles::Block&, const float*,
                               double*);
template void TileSpmv<double>(const PageRankTiles&, const PageRankTiles::Block&, const double*,
                               double*);

}  // namespace plexus::pagerank::internal
