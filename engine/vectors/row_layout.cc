// Loops over values, in both forms.
#include "engine/vectors/vector_table.h"

#include <cstring>

#include "engine/vectors/half.h"

namespace plexus {

namespace {

// An exponent of ones: infinite or NaN.
template <class Bits>
bool NoneHasAll(Bits exponent, const void* values, std::size_t count) {
  bool bad = false;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, static_cast<const char*>(values) + i * sizeof bits, sizeof bits);
    bad |= (bits & exponent) == exponent;
  }
  return !bad;
}

}  // namespace

bool AllFinite(const RowLayout& layout, const void* values) {
  return layout.element == VectorElement::kF16
             ? NoneHasAll<std::uint16_t>(0x7C00u, values, layout.dimensions)
             : NoneHasAll<std::uint32_t>(0x7F800000u, values, layout.dimensions);
}

void DecodeRow(const RowLayout& layout, const std::byte* row, float* values) {
  const auto* const halves = reinterpret_cast<const std::uint16_t*>(row);
  for (std::size_t i = 0; i < layout.stride(); ++i) values[i] = FloatFromHalf(halves[i]);
}

std::string RoundedToHalves(std::string_view floats) {
  const std::size_t count = floats.size() / sizeof(float);
  std::string halves(count * sizeof(std::uint16_t), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    float value;
    std::memcpy(&value, floats.data() + i * sizeof value, sizeof value);
    const std::uint16_t half = HalfFromFloat(value);
    std::memcpy(halves.data() + i * sizeof half, &half, sizeof half);
  }
  return halves;
}

}  // namespace plexus
