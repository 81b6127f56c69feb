// PageRankTiles: the arcs of a graph cut into tiles that fit the second-level cache.
//
// Plain pull fetches a cache line from wherever the source lies, for every arc. Here a
// tile holds the arcs from one segment of 65,536 sources to one block of rows: the
// sources' contributions (256 KiB in f32) stay in cache while the tile is worked off,
// and 16 bits name a source or a row. Inside a tile the arcs of a row are pieces: as many
// of 16 as there are, and one with what is left. Pieces are grouped by length, so the loop
// over a piece has a fixed length: no branch in it is mispredicted, and all its loads are
// independent of each other.
//
// Where few nodes hold most arcs, sources are numbered by falling out-degree: most
// gathers then go to the first segment, and to its beginning. Rows stay in their order,
// so that making the tiles reads the arcs as they lie.
//
// The idea of blocking by source segment is Zhang et al.'s ("Making caches work for
// graph analytics", 2017), 16-bit ids and private layouts are Lakhotia et al.'s
// ("Accelerating PageRank using partition-centric processing", 2018).
//
// Immutable after Make; share freely. A function of only the arrays: the same tiles,
// and so the same sums, at any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"
#include "engine/parallel.h"
#include "engine/types.h"

namespace plexus::pagerank::internal {

class PageRankTiles {
 public:
  static constexpr int kSegmentBits = 16;
  static constexpr std::uint32_t kSegment = 1u
                                            << kSegmentBits;  // sources, and most rows of a block
  static constexpr std::uint32_t kPiece = 16;                 // arcs of a row's piece, at most
  static constexpr std::uint32_t kRowAlign = 16;              // blocks begin at multiples of it
  static constexpr std::uint32_t kEvenRowAlign =
      1024;  // and of this where they have as many rows each

  // pieces[c - 1] = those of c arcs.
  struct Tile {
    std::array<std::uint32_t, kPiece> pieces{};
  };
  struct Block {
    NodeId begin = 0, end = 0;         // rows
    std::uint64_t first_arc = 0;       // of `sources` and `weights`
    std::vector<Tile> tiles;           // by segment
    AlignedArray<std::uint16_t> rows;  // by tile, length, piece: row - begin
  };

  // How many iterations repay making tiles (0: none ever do), judged only by the shape,
  // never by a timer: the same call has the same bits. The sources must outgrow the cache,
  // the rows must not be local already, a tile must have enough arcs to be worth fetching its
  // segment. O(1): it reads samples.
  static constexpr int kBreakEvenSkewed = 15, kBreakEvenEven = 20, kBreakEvenLarge = 12;
  static int BreakEvenIterations(const CsrView& in, const CsrView& out);

  // How rows are cut into blocks: about as many arcs each, or as many rows (up to 64 blocks on
  // graphs of up to four million nodes).
  enum Cut : std::uint8_t { kEvenArcs, kEvenRows };

  // Of `out` only row lengths are read. O(nodes + arcs), one or two passes over the arcs.
  // Memory afterwards: 2 bytes an arc (6 with weights) and 2 for each piece.
  // May throw std::bad_alloc.
  static PageRankTiles Make(const CsrView& in, const CsrView& out, Executor& executor,
                            Cut cut = kEvenArcs);

  std::uint32_t node_count() const { return node_count_; }
  // Where the contribution of each node is found; null: at its own number.
  const std::uint32_t* positions() const { return positions_.data(); }
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::uint16_t* sources() const { return sources_.data(); }
  const float* weights() const { return weights_.data(); }  // null: all 1
  std::uint64_t arc_count() const { return arc_count_; }
  std::uint32_t longest_row() const { return longest_row_; }  // arcs
  std::uint64_t size_bytes() const;

 private:
  std::uint32_t node_count_ = 0;
  std::uint64_t arc_count_ = 0;
  std::uint32_t longest_row_ = 0;
  AlignedArray<std::uint32_t> positions_;
  std::vector<Block> blocks_;
  AlignedArray<std::uint16_t>
      sources_;  // by block, tile, length, piece: position - segment's first
  AlignedArray<float> weights_;
};

// The matrix-vector product of one block:
// sums[i] = sum over the arcs u -> block.begin + i of values[position of u], times their weights
// if the tiles have any. Up to eight terms are added as Real, float or double, in a tree; what
// comes of that as f64, in one order. `sums`: block.end - block.begin of them.
template <class Real, class Value>
void TileSpmv(const PageRankTiles& tiles, const PageRankTiles::Block& block, const Value* values,
              double* sums);

}  // namespace plexus::pagerank::internal
