// A weight column says what it was made of, in the fewest bytes that hold it.
#include "engine/arrays/weight_column.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace plexus {
namespace {

WeightColumn Made(const std::vector<float>& weights, Executor& executor = SerialExecutor()) {
  return {AlignedArray<float>(std::span(weights)), executor};
}

void ExpectHolds(const WeightColumn& column, const std::vector<float>& weights) {
  ASSERT_EQ(column.size(), weights.size());
  const WeightView view = column.view();
  ASSERT_EQ(view.size(), weights.size());
  std::vector<float> copy(weights.size());
  view.Copy(0, view.size(), copy.data());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(weights[i]);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(view[i]), bits) << i;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(copy[i]), bits) << i;
  }
}

// `count` weights of so many values, all of which are there when there are enough.
std::vector<float> Weights(std::size_t count, std::uint32_t values) {
  std::mt19937_64 random(count);
  std::vector<float> weights(count);
  for (std::size_t i = 0; i < count; ++i)
    weights[i] = static_cast<float>((i < values ? i : random()) % values) / 16;
  std::ranges::shuffle(weights, random);
  return weights;
}

TEST(WeightColumn, OneValueTakesNoArcs) {
  for (const std::size_t count : {1u, 2u, 700'000u}) {
    const std::vector<float> weights(count, 0.3f);
    const WeightColumn column = Made(weights);
    ExpectHolds(column, weights);
    ExpectHolds(WeightColumn(count, 0.3f), weights);
    EXPECT_EQ(column.size_bytes(), sizeof(float));
    EXPECT_TRUE(column.one_value());
  }
}

TEST(WeightColumn, UpTo256ValuesTakeAByteAnArc) {
  for (const std::uint32_t values : {2u, 3u, 255u, 256u}) {
    const std::vector<float> weights = Weights(600'000, values);
    const WeightColumn column = Made(weights);
    ExpectHolds(column, weights);
    EXPECT_EQ(column.codes().size(), weights.size());
    EXPECT_EQ(column.values().size(), values);
    EXPECT_TRUE(std::ranges::is_sorted(column.values()));
  }
}

TEST(WeightColumn, MoreValuesStayFloats) {
  for (const std::size_t count : {257u, 600'000u}) {
    const std::vector<float> weights = Weights(count, 257);
    const WeightColumn column = Made(weights);
    ExpectHolds(column, weights);
    EXPECT_TRUE(column.codes().empty());
    EXPECT_EQ(column.values().size(), count);
  }
}

TEST(WeightColumn, IsEmptyOfNoArcs) {
  ExpectHolds(WeightColumn(), {});
  ExpectHolds(Made({}), {});
  ExpectHolds(WeightColumn(0, 1.0f), {});
  EXPECT_TRUE(WeightColumn(0, 1.0f).view().empty());
  EXPECT_FALSE(WeightColumn(0, 1.0f).one_value());
}

TEST(WeightColumn, BothZeroesAreKept) {
  const std::vector<float> weights = {0.0f, -0.0f, 0.0f, 1.0f};
  ExpectHolds(Made(weights), weights);
}

TEST(WeightColumn, TheFormFollowsFromTheWeightsAndNotFromThreadsOrOrder) {
  const auto three = MakeThreadExecutor(3);
  for (const std::uint32_t values : {1u, 200u, 256u, 257u}) {
    std::vector<float> weights = Weights(900'000, values);
    const WeightColumn one = Made(weights), two = Made(weights, *three);
    EXPECT_TRUE(std::ranges::equal(one.values(), two.values()));
    EXPECT_TRUE(std::ranges::equal(one.codes(), two.codes()));
    std::ranges::reverse(weights);
    const WeightColumn back = Made(weights);
    if (values <= 256) {
      EXPECT_TRUE(std::ranges::equal(one.values(), back.values()));
    }
    EXPECT_EQ(one.size_bytes(), back.size_bytes());
  }
}

TEST(WeightColumn, IsPermutedByBits) {
  for (const std::uint32_t values : {1u, 7u, 300u}) {
    std::vector<float> weights = Weights(1'000, values);
    const WeightColumn column = Made(weights);
    WeightColumn back = WeightColumn::ToPermute(column);
    for (std::size_t i = 0; i < weights.size(); ++i)
      back.SetBits(weights.size() - 1 - i, column.Bits(i));
    std::ranges::reverse(weights);
    ExpectHolds(back, weights);
  }
}

TEST(WeightColumn, OfTellsWhatCannotBe) {
  const auto of = [](std::size_t size, std::size_t values, std::size_t codes) {
    return WeightColumn::Of(size, AlignedArray<float>(values, 1.0f),
                            AlignedArray<std::uint8_t>(codes, std::uint8_t{0}))
        .has_value();
  };
  EXPECT_TRUE(of(0, 0, 0));
  EXPECT_TRUE(of(5, 5, 0));
  EXPECT_TRUE(of(5, 1, 0));
  EXPECT_TRUE(of(5, 2, 5));
  EXPECT_FALSE(of(5, 2, 0));
  EXPECT_FALSE(of(5, 0, 5));
  EXPECT_FALSE(of(5, 2, 4));
  EXPECT_FALSE(of(300, 257, 300));
  EXPECT_FALSE(of(0, 1, 0));
}

}  // namespace
}  // namespace plexus
