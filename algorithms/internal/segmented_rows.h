// SegmentedRows: rows cut by segments of sources, so that a sweep gathers from a few
// megabytes at a time.
//
// For large graphs whose arcs spread evenly: no numbering brings their sources together,
// tiles would be too thin, but what a whole sweep gathers from no longer fits the third
// cache level. A segment has 2^20 sources (4 MiB of f32); blocks of rows keep their place
// and hold their arcs by segment. A sweep does all rows for one segment, then for the next
// (Zhang et al., "Making caches work for graph analytics", 2017).
//
// Immutable after Make; share freely. A function of the arrays alone.
#pragma once

#include <cstdint>

#include "engine/aligned_array.h"
#include "engine/csr_view.h"
#include "engine/parallel.h"
#include "engine/types.h"

namespace plexus::internal {

class SegmentedRows {
 public:
  static constexpr int kSegmentBits = 20;
  static constexpr std::uint32_t kBlock = 4096;  // rows

  // The arcs of one block from one segment.
  struct Piece {
    const NodeId* neighbors;
    const float* weights;       // null: all 1
    const std::uint32_t* ends;  // of each row, counted from the piece's first arc
  };

  // Whether they are worth making, judged by the shape alone: more than two segments, rows
  // not local already, some arcs a row and segment. O(1): it looks at samples.
  static bool Pay(const CsrView& in);
  // So many iterations repay making them, which takes two of pull.
  static constexpr int kEnough = 5;

  // Segments of 2^`bits` sources. O(nodes * segments + arcs). Memory afterwards: 4 bytes an arc (8 with weights) and 4 a
  // node and segment. May throw std::bad_alloc.
  static SegmentedRows Make(const CsrView& in, Executor& executor, int bits = kSegmentBits);

  std::uint32_t node_count() const { return node_count_; }
  std::uint32_t segment_count() const { return segments_; }
  std::uint32_t block_count() const { return (node_count_ + kBlock - 1) / kBlock; }
  std::uint64_t arc_count() const { return neighbors_.size(); }
  bool weighted() const { return !weights_.empty(); }
  Piece piece(std::uint32_t block, std::uint32_t segment) const {
    const std::uint64_t at = starts_[std::uint64_t{block} * segments_ + segment];
    return {neighbors_.data() + at, weighted() ? weights_.data() + at : nullptr,
            ends_.data() + (std::uint64_t{block} * segments_ + segment) * kBlock};
  }
  std::uint64_t size_bytes() const {
    return starts_.size_bytes() + ends_.size_bytes() + neighbors_.size_bytes() + weights_.size_bytes();
  }

 private:
  std::uint32_t node_count_ = 0, segments_ = 0;
  AlignedArray<std::uint64_t> starts_;  // of each block's pieces, by block, segment
  AlignedArray<std::uint32_t> ends_;    // kBlock for each piece
  AlignedArray<NodeId> neighbors_;      // by block, segment, row
  AlignedArray<float> weights_;
};

// Sampled arcs that a sweep over the rows as they are finds in cache: near the row, or
// beside the arc before; true from three quarters on. `far`: what is not near any more.
bool RowsAreLocal(const CsrView& in, NodeId far);

}  // namespace plexus::internal
