// RowReader: the rows of a view as f32, whatever they are kept as.
//
// Rows of an f32 space are read where they lie. Those of an f16 space are decoded into a tile that
// stays in the first-level cache, and are measured there by the same kernels. Each is what an f32
// space of the rounded values has, bit by bit. One thread; what is read is valid until the next
// read. Throws std::bad_alloc.
#pragma once

#include <algorithm>
#include <cstddef>

#include "algorithms/common/common.h"
#include "algorithms/retrieval/internal/vectors/distance_kernels.h"
#include "engine/vectors/vector_table.h"

namespace plexus::retrieval::internal {

// Rows of halves as rows of f32, one function per instruction level: the wall around the dispatched
// text in distance_kernels.cc. Every half is an f32 exactly, so levels agree bit by bit and with
// FloatFromHalf (engine/vectors/half.h).
//
// Row i is the first `stride` halves at rows + i * row_bytes, and goes to values + i * stride.
// REQUIRES a stride that is a multiple of 16.
using HalfDecode = void (*)(const std::byte* rows, std::size_t row_bytes, std::size_t count,
                            std::size_t stride, float* values);

// Null when the machine or the build lacks the level.
HalfDecode FindHalfDecode(SimdLevel level);
// Of the level, or of the best one there is.
HalfDecode PickHalfDecode(SimdLevel level);

class RowReader {
 public:
  // Keeps a pointer to the view.
  RowReader(const VectorView& view, SimdLevel level)
      : view_(&view),
        stride_(view.stride()),
        decode_(view.layout().element == VectorElement::kF16 ? PickHalfDecode(level) : nullptr) {}

  // The first of these rows: all of an f32 space, as many of an f16 space as the tile holds.
  // REQUIRES at least one.
  Rows Read(VectorView::Stretch rows) {
    if (!decode_) return {reinterpret_cast<const float*>(rows.first), stride_, rows.count};
    return Decode(rows);
  }
  // Row `row` of a stretch.
  const float* Row(VectorView::Stretch rows, std::size_t row) {
    return Read({rows.first + row * view_->layout().row_bytes(), 1}).first;
  }
  // view.stride() floats. REQUIRES that the node has a vector.
  const float* Vector(NodeId node) {
    return Read({reinterpret_cast<const std::byte*>(view_->bytes(node).data()), 1}).first;
  }

 private:
  static constexpr std::size_t kTileFloats = 6144;  // 24 KiB

  Rows Decode(VectorView::Stretch rows) {
    const std::size_t count =
        std::min<std::size_t>(rows.count, std::max<std::size_t>(1, kTileFloats / stride_));
    float* const tile = tile_.Room(count * stride_);
    decode_(rows.first, view_->layout().row_bytes(), count, stride_, tile);
    return {tile, stride_, count};
  }

  const VectorView* view_;
  std::size_t stride_;
  HalfDecode decode_;  // null: f32
  VectorBuffer tile_;
};

}  // namespace plexus::retrieval::internal
