// SteppedColumn: the values that went in come out, in every shape of steps; what was stored and is
// none is refused.
#include "engine/arrays/stepped_column.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace plexus {
namespace {

using Integers = std::vector<std::int64_t>;

// Each value is that of the index before, but for one in `stretch`.
Integers Stepping(std::size_t size, std::uint64_t stretch, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  Integers values;
  for (std::size_t i = 0; i < size; ++i)
    values.push_back(i > 0 && rng() % stretch != 0 ? values.back()
                                                   : static_cast<std::int64_t>(rng() % 5) - 2);
  return values;
}

std::size_t CountSteps(const Integers& values) {
  std::size_t steps = 0;
  for (std::size_t i = 0; i < values.size(); ++i) steps += i == 0 || values[i] != values[i - 1];
  return steps;
}

void ExpectHolds(const SteppedColumn& column, const Integers& values) {
  ASSERT_EQ(column.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(column[i], values[i]) << i;
  EXPECT_EQ(column.values().size(), CountSteps(values));
  std::mt19937_64 rng(values.size());
  for (int round = 0; round < 40; ++round) {
    std::size_t begin = rng() % (values.size() + 1), end = rng() % (values.size() + 1);
    if (begin > end) std::swap(begin, end);
    if (round == 0) begin = 0, end = values.size();
    if (round % 3 == 1) end = std::min(values.size(), begin + rng() % 70);
    Integers copied(end - begin + 1, 77);
    column.Copy(begin, end, copied.data());
    ASSERT_TRUE(std::equal(values.begin() + static_cast<std::ptrdiff_t>(begin),
                           values.begin() + static_cast<std::ptrdiff_t>(end), copied.begin()))
        << begin << " to " << end;
    ASSERT_EQ(copied.back(), 77) << "nothing behind the end is written";
  }
}

std::optional<SteppedColumn> Restored(std::size_t size, std::span<const std::uint64_t> steps,
                                      std::span<const std::int64_t> values) {
  return SteppedColumn::Of(size, AlignedArray<std::uint64_t>(steps),
                           AlignedArray<std::int64_t>(values));
}

TEST(SteppedColumn, HoldsWhatWentIn) {
  const auto three = MakeThreadExecutor(3);
  for (const std::size_t size : {0, 1, 63, 64, 65, 128, 1000, 65'536, 65'537, 300'000})
    for (const std::uint64_t stretch : {1, 3, 20, 1000, 1'000'000}) {
      SCOPED_TRACE(std::to_string(size) + " values, a step in " + std::to_string(stretch));
      const Integers values = Stepping(size, stretch, size + stretch);
      const SteppedColumn column(values, SerialExecutor());
      ExpectHolds(column, values);
      const SteppedColumn again(values, *three);
      EXPECT_TRUE(std::ranges::equal(column.steps(), again.steps()));
      EXPECT_TRUE(std::ranges::equal(column.values(), again.values()));
      const auto restored = Restored(size, column.steps(), column.values());
      ASSERT_TRUE(restored);
      ExpectHolds(*restored, values);
    }
}

TEST(SteppedColumn, OneValueEverywhere) {
  for (const std::size_t size : {0, 1, 64, 65, 1000}) {
    const Integers values(size, -9);
    const SteppedColumn column(size, -9), made(values, SerialExecutor());
    ExpectHolds(column, values);
    EXPECT_TRUE(std::ranges::equal(column.steps(), made.steps()));
  }
  EXPECT_LT(SteppedColumn(64'000, 5).size_bytes(), 64'000u / 5) << "1.5 bits an index";
}

TEST(SteppedColumn, WhatIsNoneIsRefused) {
  const std::uint64_t steps[] = {5, 1};
  const std::int64_t values[] = {10, 20, 30};
  ASSERT_TRUE(Restored(65, steps, values));
  EXPECT_EQ((*Restored(65, steps, values))[64], 30);
  EXPECT_FALSE(Restored(64, steps, values)) << "words";
  EXPECT_FALSE(Restored(129, steps, values)) << "words";
  EXPECT_FALSE(Restored(65, steps, std::span(values).first(2))) << "a step without a value";
  const std::uint64_t later[] = {6, 1}, behind[] = {1, 3};
  EXPECT_FALSE(Restored(65, later, values)) << "the first has no value";
  EXPECT_FALSE(Restored(65, behind, values)) << "a step behind the end";
  EXPECT_TRUE(Restored(0, {}, {}));
  EXPECT_FALSE(Restored(0, {}, values));
}

}  // namespace
}  // namespace plexus
