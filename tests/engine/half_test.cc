// Halves: every one there and back, and rounding against a slow oracle.
#include "engine/vectors/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "engine/vectors/vector_table.h"
#include "tests/support/vector_values.h"

namespace plexus {
namespace {

// By the definition of binary16, in f64.
double SlowValue(std::uint32_t half) {
  const double sign = half & 0x8000 ? -1 : 1;
  const int exponent = static_cast<int>(half >> 10 & 31), mantissa = static_cast<int>(half & 1023);
  if (exponent == 31)
    return mantissa == 0 ? sign * INFINITY : std::numeric_limits<double>::quiet_NaN();
  return exponent == 0 ? sign * std::ldexp(mantissa, -24)
                       : sign * std::ldexp(1024 + mantissa, exponent - 25);
}

// The nearest half by looking at the neighbours of a division into steps, ties to even.
std::uint16_t SlowRound(float value) {
  const double size = std::abs(static_cast<double>(value));
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00);
  if (size >= 65520) return static_cast<std::uint16_t>(sign | 0x7C00);
  int exponent = 0;
  std::frexp(size, &exponent);
  const double step = std::ldexp(1, size < 0x1p-14 ? -24 : exponent - 11);
  const double floor = std::floor(size / step) * step, rest = size - floor;
  const bool odd = std::fmod(floor / step, 2) == 1;
  const double nearest = rest > step / 2 || (rest == step / 2 && odd) ? floor + step : floor;
  for (std::uint32_t half = 0; half < 0x7C00; ++half)
    if (SlowValue(half) == nearest) return static_cast<std::uint16_t>(sign | half);
  return static_cast<std::uint16_t>(sign | 0x7C00);
}

TEST(Half, EveryHalfIsItsValueAndComesBack) {
  for (std::uint32_t half = 0; half < 65'536; ++half) {
    const float value = FloatFromHalf(static_cast<std::uint16_t>(half));
    if ((half & 0x7C00) == 0x7C00 && (half & 1023) != 0) {
      ASSERT_TRUE(std::isnan(value)) << half;
      ASSERT_TRUE(std::isnan(FloatFromHalf(HalfFromFloat(value)))) << half;
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), SlowValue(half)) << half;
    ASSERT_EQ(std::signbit(value), (half & 0x8000) != 0) << half;
    ASSERT_EQ(HalfFromFloat(value), half);
  }
}

// Around every half and every middle between two: the values that decide.
TEST(Half, RoundsToTheNearestTiesToEven) {
  for (std::uint32_t half = 0; half < 0x7C00; ++half) {
    const float low = FloatFromHalf(static_cast<std::uint16_t>(half));
    const double high = half == 0x7BFF ? 65536 : SlowValue(half + 1);
    const auto middle = static_cast<float>((static_cast<double>(low) + high) / 2);
    const auto even = static_cast<std::uint16_t>(half + half % 2);
    const auto up = static_cast<std::uint16_t>(half + 1);
    for (const float sign : {1.0f, -1.0f}) {
      const auto rounded = [&](float value) {
        return static_cast<std::uint16_t>(HalfFromFloat(sign * value) ^ (sign < 0 ? 0x8000 : 0));
      };
      ASSERT_EQ(rounded(middle), even) << half;
      ASSERT_EQ(rounded(std::nextafter(middle, 0.0f)), half) << half;
      ASSERT_EQ(rounded(std::nextafter(middle, INFINITY)), up) << half;
      ASSERT_EQ(rounded(std::nextafter(low, INFINITY)), half) << half;
    }
  }
  EXPECT_EQ(HalfFromFloat(std::nextafter(kHalfOverflow, 0.0f)), 0x7BFF);
  EXPECT_EQ(HalfFromFloat(kHalfOverflow), 0x7C00);
  EXPECT_EQ(HalfFromFloat(std::numeric_limits<float>::max()), 0x7C00);
  EXPECT_EQ(HalfFromFloat(-INFINITY), 0xFC00);
  EXPECT_EQ(HalfFromFloat(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(HalfFromFloat(-0.0f), 0x8000);
  EXPECT_TRUE(std::isnan(FloatFromHalf(HalfFromFloat(NAN))));
  static_assert(FloatFromHalf(0x3C00) == 1.0f && HalfFromFloat(-2.0f) == 0xC000);
  static_assert(FloatFromHalf(0x7BFF) == kLargestHalf);
}

TEST(Half, AgreesWithASlowOracleOnAnyBits) {
  std::mt19937_64 random(16);
  for (int i = 0; i < 3000; ++i) {
    auto bits = static_cast<std::uint32_t>(random());
    if (i % 2 == 0)  // where halves are
      bits = (bits & 0x807FFFFF) | (static_cast<std::uint32_t>(100 + random() % 45) << 23);
    const float value = std::bit_cast<float>(bits);
    if (std::isnan(value)) continue;
    ASSERT_EQ(HalfFromFloat(value), SlowRound(value)) << value;
  }
}

TEST(RowLayout, FinitenessAndDecoding) {
  for (const VectorElement element : kVectorElements)
    for (const std::uint32_t dimensions : {1u, 16u, 31u, 64u}) {
      const RowLayout layout{dimensions, element};
      std::vector<float> values(dimensions, 1.5f);
      values.back() = -kLargestHalf;
      std::string bytes = testing::PayloadOf(values, element);
      ASSERT_EQ(bytes.size(), layout.vector_bytes());
      EXPECT_TRUE(AllFinite(layout, bytes.data()));
      for (const char exponent : {'\x7C', '\xFC', '\x7E'}) {
        std::string bad = bytes;
        bad.back() = element == VectorElement::kF16 ? exponent
                     : exponent == '\xFC'           ? '\xFF'
                                                    : '\x7F';
        if (element == VectorElement::kF32) bad[bad.size() - 2] = '\x80';
        EXPECT_FALSE(AllFinite(layout, bad.data())) << dimensions;
      }
      if (element != VectorElement::kF16) continue;
      std::string row = bytes;
      row.resize(layout.row_bytes());
      alignas(64) std::byte aligned[256];
      std::copy_n(reinterpret_cast<const std::byte*>(row.data()), row.size(), aligned);
      std::vector<float> decoded(layout.stride(), 9);
      DecodeRow(layout, aligned, decoded.data());
      values.resize(layout.stride());
      EXPECT_EQ(decoded, values);
    }
}

}  // namespace
}  // namespace plexus
