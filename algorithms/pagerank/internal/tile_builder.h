// Sorts the arcs of a block of rows into its tiles: by segment, by length of the row's
// pieces there, by row. Used by PageRankTiles only.
//
// Two passes. The first splits arcs by segment. Where sources are renumbered it follows the
// rows once, and what is in flight stays in the second-level cache: sources become
// positions, those of the first segment go straight to its stream (it has most of them),
// the others are counted by segment and put into theirs. The second takes each segment's stream and
// cuts its runs into pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/pagerank/internal/tile_layout.h"
#include "engine/arrays/views.h"
#include "engine/types.h"

namespace plexus::pagerank::internal {

// Uninitialised memory that grows and never shrinks.
template <class T>
class Buffer {
 public:
  T* data() { return data_.get(); }
  // Room for `size`; the first `kept` stay.
  void Reserve(std::size_t size, std::size_t kept) {
    if (size <= capacity_) return;
    const std::size_t capacity = size + size / 2;
    auto data = std::make_unique_for_overwrite<T[]>(capacity);
    for (std::size_t i = 0; i < kept; ++i) data[i] = data_[i];
    data_ = std::move(data);
    capacity_ = capacity;
  }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t capacity_ = 0;
};

class TileSorter {
 public:
  // What one block needs while it is sorted; handed on from block to block.
  class Scratch;

  // All stay the caller's. `positions`: of the nodes, null: their own numbers. `sources` and
  // `weights` (or null): of all blocks.
  TileSorter(const CsrView& in, const std::uint32_t* positions, std::uint32_t segments,
             std::uint16_t* sources, float* weights)
      : in_(in), positions_(positions), segments_(segments), sources_(sources), weights_(weights) {}

  // Fills all of `block` but its rows' range and first_arc. Thread-safe for different
  // blocks. May throw std::bad_alloc.
  void Sort(PageRankTiles::Block& block, std::uint64_t arcs, Scratch& scratch) const;

 private:
  struct Run;
  struct Stream;
  template <bool kWeighted>
  void SplitEvenly(const PageRankTiles::Block& block, std::uint64_t arcs, Scratch& scratch) const;
  template <bool kWeighted>
  void Split(const PageRankTiles::Block& block, Scratch& scratch) const;
  template <bool kWeighted>
  NodeId SplitRows(const PageRankTiles::Block& block, NodeId v, Scratch& scratch) const;
  template <bool kWeighted>
  void Others(std::uint16_t row, const std::uint32_t* positions, const float* weights,
              std::uint32_t count, Scratch& scratch) const;
  template <bool kWeighted>
  void CutRuns(PageRankTiles::Block& block, std::uint64_t arcs, Scratch& scratch) const;

  const CsrView& in_;
  const std::uint32_t* const positions_;
  const std::uint32_t segments_;
  std::uint16_t* const sources_;
  float* const weights_;
};

class TileSorter::Scratch {
 public:
  Scratch();
  ~Scratch();

 private:
  friend TileSorter;
  std::vector<Stream> streams_;  // by segment
  // A batch of rows on its way: what is not of the first segment, and how many of each row are.
  Buffer<std::uint32_t> others_;
  Buffer<float> other_weights_;
  std::vector<std::uint32_t> other_counts_;
  // By segment and by whether the arc's place in its row is even or odd: two counters side
  // by side, because neighbours often come from the same segment and a counter cannot be
  // raised again before its last value is stored.
  std::vector<std::uint32_t> counts_;   // all 0 between rows
  std::vector<std::uint64_t> touched_;  // segments of the row, as bits
  std::vector<std::uint64_t> next_;     // where the row's sources go: evens up, odds down
  // Of all segments, one after the other: SplitEvenly's.
  Buffer<std::uint16_t> all_rows_;
  Buffer<std::uint16_t> all_sources_;
  Buffer<float> all_weights_;
  // Pieces by length: where the arcs begin in the stream, and row.
  struct Placed {
    std::uint32_t from;
    std::uint16_t row;
  };
  Buffer<Placed> placed_;
};

}  // namespace plexus::pagerank::internal
