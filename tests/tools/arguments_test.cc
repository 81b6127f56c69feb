// Arguments in words: weights, times, moments, suggestions.
#include "tools/operations/framework/arguments.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace plexus::tools {
namespace {

TEST(SplitWeight, SplitsAtTheLastEqualsSignBeforeANumber) {
  EXPECT_EQ(SplitWeight("a=0.5").key, "a");
  EXPECT_EQ(SplitWeight("a=0.5").weight, 0.5);
  EXPECT_EQ(SplitWeight("a=b=2").key, "a=b");
  EXPECT_EQ(SplitWeight("a=b=2").weight, 2);
  EXPECT_EQ(SplitWeight("a=1e-3").weight, 1e-3);
  EXPECT_EQ(SplitWeight("a=-1").weight, -1);
}

TEST(SplitWeight, LeavesKeysWithoutANumberWhole) {
  for (const char* text : {"a", "a=b", "a=", "=0.5", "a=0.5x", "a=nan", "a=inf", "a= 1", ""}) {
    EXPECT_EQ(SplitWeight(text).key, text);
    EXPECT_EQ(SplitWeight(text).weight, 1) << text;
  }
}

TEST(ParseList, SplitsAtCommasOutsideOfQuotes) {
  using Items = std::vector<std::string>;
  EXPECT_EQ(*ParseList("a"), Items({"a"}));
  EXPECT_EQ(*ParseList("a,,b,"), Items({"a", "b"}));
  EXPECT_EQ(*ParseList(""), Items({""}));
  EXPECT_EQ(*ParseList(","), Items());
  EXPECT_EQ(*ParseList(R"("a,b",c)"), Items({"a,b", "c"}));
  EXPECT_EQ(*ParseList(R"(c,"a,""b""",)"), Items({"c", R"(a,"b")"}));
  EXPECT_EQ(*ParseList(R"("")"), Items({""}));
  EXPECT_EQ(*ParseList(R"(5"x,'b)"), Items({R"(5"x)", "'b"}));  // a quote counts at the beginning
  for (const char* bad : {R"(")", R"("a,b)", R"("a"b)", R"(a,"b"")"}) {
    const auto got = ParseList(bad);
    ASSERT_FALSE(got.has_value()) << bad;
    EXPECT_EQ(got.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(ParseDuration, ReadsUnitsAndFractions) {
  EXPECT_EQ(*ParseDuration("2w"), 14 * 86'400'000ll);
  EXPECT_EQ(*ParseDuration("30d"), 30 * 86'400'000ll);
  EXPECT_EQ(*ParseDuration("1.5h"), 5'400'000);
  EXPECT_EQ(*ParseDuration("90m"), 5'400'000);
  EXPECT_EQ(*ParseDuration("45s"), 45'000);
  EXPECT_EQ(*ParseDuration("250ms"), 250);
  for (const char* bad : {"", "d", "30", "0d", "-1d", "nand", "infd", "1e300d", "3 weeks", "0.1ms"})
    EXPECT_FALSE(ParseDuration(bad)) << bad;
}

TEST(ParseTime, ReadsIsoAndMilliseconds) {
  EXPECT_EQ(*ParseTime("1970-01-01", kNoTime), 0);
  EXPECT_EQ(*ParseTime("1970-02", kNoTime),
            31 * std::int64_t{86'400'000});  // where the month begins
  EXPECT_FALSE(ParseTime("1970-13", kNoTime));
  EXPECT_EQ(*ParseTime("1970-01-02T00:00", kNoTime), 86'400'000);
  EXPECT_EQ(*ParseTime("2026-11-21T22:05:01.123Z", kNoTime), 1795298701123);
  EXPECT_EQ(*ParseTime("2026-11-21 22:05:01.1234567", kNoTime), 1795298701123);
  EXPECT_EQ(*ParseTime("1969-12-31T23:59:59Z", kNoTime), -1000);
  EXPECT_EQ(*ParseTime("1700000000000", kNoTime), 1700000000000);
  EXPECT_EQ(*ParseTime("-5ms", kNoTime), -5);
}

TEST(ParseTime, BeforeNow) {
  const std::int64_t now = *ParseTime("2026-11-26T10:00:00Z", kNoTime);
  EXPECT_EQ(*ParseTime("12h", now), *ParseTime("2026-11-25T22:00", kNoTime));
  EXPECT_EQ(std::get<1>(ParseMoment("yesterday", now)->value), *ParseTime("2026-11-25", kNoTime));
  EXPECT_FALSE(ParseTime("12h", kNoTime));
  for (const auto& message :
       {ParseTime("soon", now).error().message, ParseMoment("soon", now).error().message})
    EXPECT_NE(message.find("'soon'"), std::string::npos) << message;
  for (const char* form : {"2026-11", "2026-11-21T22:05:00Z", "yesterday", "7d", "1700000000000ms"})
    EXPECT_NE(ParseMoment("soon", now).error().message.find(form), std::string::npos) << form;
}

TEST(ParseTime, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "ms", "yesterday", "2026-13-01", "2026-02-30", "2026-1-1", "2026-11-21T",
        "2026-11-21T25:00", "2026-11-21T22:61", "2026-11-21T22:05:01+2:00", "2026-11-21T22:05:01.",
        "99999999999999999999", "1.5"}) {
    const auto time = ParseTime(text, kNoTime);
    ASSERT_FALSE(time) << text;
    EXPECT_EQ(time.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(ParseMoment, DistinguishesSequencesFromTimes) {
  EXPECT_EQ(std::get<0>(ParseMoment("42", kNoTime)->value), 42u);
  EXPECT_EQ(std::get<0>(ParseMoment("0", kNoTime)->value), 0u);
  EXPECT_EQ(std::get<0>(ParseMoment("99999999999", kNoTime)->value), 99'999'999'999u);
  EXPECT_EQ(std::get<1>(ParseMoment("100000000000", kNoTime)->value), 100'000'000'000);
  EXPECT_EQ(std::get<1>(ParseMoment("42ms", kNoTime)->value), 42);
  EXPECT_EQ(std::get<1>(ParseMoment("1970-01-02", kNoTime)->value), 86'400'000);
  EXPECT_FALSE(ParseMoment("-1x", kNoTime));
  EXPECT_FALSE(ParseMoment("99999999999999999999", kNoTime));
}

TEST(DidYouMean, SuggestsTheNearestName) {
  const std::vector<std::string> names = {"supports", "supersedes", "is-a"};
  EXPECT_EQ(DidYouMean("suports", names), "; did you mean 'supports'?");
  EXPECT_EQ(DidYouMean("is_a", names), "; did you mean 'is-a'?");
  EXPECT_EQ(DidYouMean("dog", names), "");
  EXPECT_EQ(DidYouMean("", names), "");
}

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(EditDistance("", "", 3), 0u);
  EXPECT_EQ(EditDistance("abc", "abc", 3), 0u);
  EXPECT_EQ(EditDistance("abc", "acb", 3), 1u);  // a swap is one edit
  EXPECT_EQ(EditDistance("kitten", "sitting", 5), 3u);
  EXPECT_EQ(EditDistance("kitten", "sitting", 2), 3u);  // limit + 1 = "more"
}

}  // namespace
}  // namespace plexus::tools
