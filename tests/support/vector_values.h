// Vectors of a view by themselves, and as payloads have them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/vectors/half.h"
#include "engine/vectors/vector_table.h"

namespace plexus::testing {

// None when the node has no vector.
inline std::vector<float> VectorOf(const VectorView& view, NodeId node) {
  VectorBuffer buffer;
  const std::span<const float> values = view.vector(node, buffer);
  return {values.begin(), values.end()};
}
inline std::vector<float> RowOf(const VectorView& view, std::uint32_t row) {
  VectorBuffer buffer;
  const std::span<const float> values = view.row(row, buffer);
  return {values.begin(), values.end()};
}

// Five values that follow from the first.
inline constexpr std::uint32_t kFive = 5;
inline std::vector<float> FiveFrom(float first) { return {first, 1, 2, 3, first / 3}; }

// What a space of the element keeps of the values.
inline std::vector<float> Rounded(std::vector<float> values, VectorElement element) {
  if (element == VectorElement::kF16)
    for (float& value : values) value = FloatFromHalf(HalfFromFloat(value));
  return values;
}
inline std::string PayloadOf(std::span<const float> values,
                             VectorElement element = VectorElement::kF32) {
  const std::string_view floats(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return element == VectorElement::kF16 ? RoundedToHalves(floats) : std::string(floats);
}

}  // namespace plexus::testing
