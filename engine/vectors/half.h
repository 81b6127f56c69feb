// Halves: IEEE 754 binary16 to f32 and back, in integers.
//
// 1 bit of sign, 5 of exponent (bias 15), 10 of mantissa: 11 significant bits from 2^-14 to 65504,
// steps of 2^-24 below that. No library and no instruction of the machine: the bits are the same
// everywhere. REQUIRES that f32 sums are rounded to nearest.
//
// Threads: pure functions, thread-safe.
#pragma once

#include <bit>
#include <cstdint>

namespace plexus {

// What rounds to no finite half begins here: the middle between 65504 and the next power of two.
inline constexpr float kHalfOverflow = 65520;
inline constexpr float kLargestHalf = 65504;
constexpr bool OverflowsHalf(float value) {
  return value >= kHalfOverflow || value <= -kHalfOverflow;
}

// Exact. Infinities and NaN stay what they are.
constexpr float FloatFromHalf(std::uint16_t half) {
  constexpr std::uint32_t kRebias = (127u - 15u) << 23;
  const std::uint32_t sign = (half & 0x8000u) << 16, rest = (half & 0x7FFFu) << 13;
  // Below 2^-14 there is only the mantissa: 2^-14 (1 + m / 1024) less 2^-14.
  const std::uint32_t small =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest + kRebias + (1u << 23)) - 0x1p-14f);
  const std::uint32_t infinite = rest >= 0x1Fu << 23 ? kRebias : 0;
  return std::bit_cast<float>(sign | (rest < 1u << 23 ? small : rest + kRebias + infinite));
}

// The nearest half, ties to even. Infinite from kHalfOverflow on; NaN stays NaN.
constexpr std::uint16_t HalfFromFloat(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u, rest = bits & 0x7FFFFFFFu;
  std::uint32_t half;
  if (rest > 0x7F800000u) {
    half = 0x7E00;
  } else if (rest >= std::bit_cast<std::uint32_t>(kHalfOverflow)) {
    half = 0x7C00;
  } else if (rest < std::bit_cast<std::uint32_t>(0x1p-14f)) {
    // The steps of f32 from 0.5 on are those of halves here, so the sum is rounded as it should.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) + 0.5f) -
           std::bit_cast<std::uint32_t>(0.5f);
  } else {
    half = (rest - ((127u - 15u) << 23) + 0xFFFu + ((rest >> 13) & 1u)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | half);
}

}  // namespace plexus
