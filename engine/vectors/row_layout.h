// RowLayout: how the values of a vector lie, in a payload and in a row in RAM.
//
// A payload has the values behind each other, f32 or f16 (half.h), little-endian. A row is the same
// bytes and zeros up to a multiple of 64. Readers of an f16 space see f32: each half is one
// exactly, so what is computed of them is what an f32 space of the rounded values has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/arrays/aligned_array.h"
#include "engine/schema.h"

namespace plexus {

struct RowLayout {
  std::uint32_t dimensions = 0;
  VectorElement element = VectorElement::kF32;

  static RowLayout Of(const VectorSpace& space) { return {space.dimensions, space.element}; }

  std::size_t value_bytes() const { return element == VectorElement::kF16 ? 2 : 4; }
  std::size_t vector_bytes() const { return dimensions * value_bytes(); }  // of a payload
  std::size_t row_bytes() const { return (vector_bytes() + 63) / 64 * 64; }
  // Floats of a row as readers see it: the values and zeros up to a multiple of 16.
  std::uint32_t stride() const { return (dimensions + 15) / 16 * 16; }
  bool operator==(const RowLayout&) const = default;
};

// Room for the values of one vector of an f16 space; one of an f32 space does not use it.
class VectorBuffer {
 public:
  float* Room(std::size_t floats) {  // throws std::bad_alloc
    if (floats > values_.size()) values_ = AlignedArray<float>(floats);
    return values_.data();
  }

 private:
  AlignedArray<float> values_;
};

// REQUIRES vector_bytes() there.
bool AllFinite(const RowLayout& layout, const void* values);
// A row of halves as stride() floats. REQUIRES an f16 layout.
void DecodeRow(const RowLayout& layout, const std::byte* row, float* values);
// The f32 values of `floats` rounded to halves. REQUIRES that they are below kHalfOverflow.
std::string RoundedToHalves(std::string_view floats);

}  // namespace plexus
