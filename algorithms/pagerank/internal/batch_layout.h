// BatchLayout: the arcs of a graph laid out for a sweep that fetches a whole cache line a
// source (16 PageRanks at once, batch_iteration.h).
//
// The lines of all sources outgrow the third-level cache, so arcs are cut into segments
// of at most 262,144 sources (16 MiB of lines) and a sweep works one segment off after
// the other: the lines stay in cache, and what travels through memory are the rows' sums,
// in order. Inside a segment and a block of rows, rows are grouped by how many arcs they
// have there, so the loop over a group has a fixed length and no branch in it is mispredicted. The
// idea and its source are those of PageRankTiles; but there 16-bit ids and segments of 256 KiB are
// best, here lines are 16 times as long and ids cost little.
//
// Nodes are renumbered: by falling out-degree where few nodes hold most arcs, so that
// most arcs fall into the first segment and to its beginning, else in their own order;
// nodes without any arc come last, and a sweep leaves them out.
//
// Immutable after Make; share freely. A function of only the arrays: the same rows, and
// so the same sums, at any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"
#include "engine/parallel.h"
#include "engine/types.h"

namespace plexus::pagerank::internal {

class BatchLayout {
 public:
  static constexpr std::uint32_t kMaxSources = 1u << 18;  // of a segment
  // A row's sum passes through f32 once a segment, so segments grow instead of their number.
  static constexpr std::uint32_t kMaxSegments = 64;
  static constexpr std::uint32_t kMaxRows = 8192;  // of a block
  static constexpr std::uint32_t kShort = 16;      // rows of up to so many arcs are grouped
  // How far a kernel may look ahead in the lists.
  static constexpr std::uint32_t kSourcesAhead = 192, kRowsAhead = 96;

  // Of one block and segment. rows[c - 1] = rows with c arcs there; rows[kShort] = longer ones.
  struct Tile {
    std::array<std::uint32_t, kShort + 1> rows{};
    std::uint32_t first_row = 0, first_long = 0;  // of the block's `rows` and `long_counts`
    std::uint64_t first_arc = 0;
  };
  struct Block {
    std::uint32_t begin = 0, end = 0;  // rows, as positions
    std::uint64_t first_arc = 0;
    std::vector<Tile> tiles;           // by segment
    AlignedArray<std::uint32_t> rows;  // positions, by tile, group; then kRowsAhead times `begin`
    std::vector<std::uint32_t> long_counts;  // of the rows with more than kShort arcs
  };

  // Of `out` only row lengths are read. O(nodes + arcs), two passes over the arcs. Memory
  // afterwards: 4 bytes an arc (8 with weights), 4 for each row of a tile and 4 a node.
  // May throw std::bad_alloc.
  static BatchLayout Make(const CsrView& in, const CsrView& out, Executor& executor);

  std::uint32_t node_count() const { return static_cast<std::uint32_t>(order_.size()); }
  // Positions [0, linked_count()) have arcs, the others none.
  std::uint32_t linked_count() const { return linked_count_; }
  NodeId node(std::uint32_t position) const { return order_[position]; }
  std::uint32_t segment_count() const { return segment_count_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  // Positions; kSourcesAhead zeros follow the last.
  const std::uint32_t* sources() const { return sources_.data(); }
  const float* weights() const { return weights_.data(); }  // null: all 1
  std::uint64_t arc_count() const { return sources_.size() - kSourcesAhead; }
  std::uint64_t size_bytes() const;

 private:
  std::uint32_t linked_count_ = 0, segment_count_ = 1;
  AlignedArray<NodeId> order_;
  std::vector<Block> blocks_;
  AlignedArray<std::uint32_t> sources_;  // by block, segment, group, row
  AlignedArray<float> weights_;
};

}  // namespace plexus::pagerank::internal
