// Times as people ask for them, with the clock as an argument.

#include <gtest/gtest.h>

#include "engine/times.h"

namespace plexus {
namespace {

constexpr std::int64_t kHour = 3'600'000, kDay = 24 * kHour;

TEST(AskedTime, ByItself) {
  EXPECT_EQ(ParseAskedTime("2026-11-21T22:05:00Z", kNoTime), ParseIsoTime("2026-11-21T22:05:00Z"));
  EXPECT_EQ(ParseAskedTime("2026-11", kNoTime), ParseIsoTime("2026-11-01"));
  for (const char* text : {"2026-13", "2026", "7d", "now", "today", "yesterday", ""})
    EXPECT_FALSE(ParseAskedTime(text, kNoTime)) << text;
}

TEST(AskedTime, BeforeNow) {
  const std::int64_t now = *ParseIsoTime("2026-03-01T00:30:00Z");
  EXPECT_EQ(ParseAskedTime("now", now), now);
  EXPECT_EQ(ParseAskedTime("today", now), ParseIsoTime("2026-03-01"));
  EXPECT_EQ(ParseAskedTime("yesterday", now), ParseIsoTime("2026-02-28"));
  EXPECT_EQ(ParseAskedTime("7d", now), now - 7 * kDay);
  EXPECT_EQ(ParseAskedTime("12h", now), now - 12 * kHour);
  EXPECT_EQ(ParseAskedTime("2w", now), now - 14 * kDay);
  EXPECT_EQ(ParseAskedTime("1.5d", now), now - 36 * kHour);
  EXPECT_EQ(ParseAskedTime("90m", now), now - 90 * 60'000);
  // Before 1970, too, where days still begin at midnight.
  EXPECT_EQ(ParseAskedTime("today", -1), -kDay);
  EXPECT_EQ(ParseAskedTime("yesterday", 0), -kDay);
  for (const char* text : {"7", "d", "-7d", "0d", "7y", "7 d", "Today", "tomorrow", "7d ", "1e300d",
                           "nand", "infd", "999999999w", "250ms"})
    EXPECT_FALSE(ParseAskedTime(text, now)) << text;
  EXPECT_EQ(ParseAskedTime("1w", -kMaxTimeMs), std::nullopt);
}

TEST(AskedTime, Lengths) {
  EXPECT_EQ(ParseLengthOfTime("250ms"), 250);
  EXPECT_EQ(ParseLengthOfTime("2w"), 14 * kDay);
  EXPECT_EQ(ParseLengthOfTime("0.1ms"), std::nullopt);
  EXPECT_EQ(ParseLengthOfTime("week"), std::nullopt);
}

}  // namespace
}  // namespace plexus
