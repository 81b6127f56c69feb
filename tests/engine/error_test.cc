// Errors: stable names, readable text, the two macros, checks that end the program.
#include "engine/error.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace plexus {
namespace {

TEST(Error, EveryCodeHasItsOwnName) {
  std::set<std::string_view> names;
  for (int c = 0; c <= static_cast<int>(ErrorCode::kInternal); ++c) {
    std::string_view name = ErrorCodeName(static_cast<ErrorCode>(c));
    EXPECT_FALSE(name.empty());
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_EQ(ErrorCodeName(ErrorCode::kInvalidArgument), "invalid_argument");
  EXPECT_EQ((Error{ErrorCode::kCorruption, "file 7"}).ToString(), "corruption: file 7");
}

Result<int> Half(int x) {
  if (x % 2) return Fail(ErrorCode::kInvalidArgument, "odd: " + std::to_string(x));
  return x / 2;
}
Result<int> Quarter(int x) {
  PLEXUS_ASSIGN(int half, Half(x));
  PLEXUS_ASSIGN(int quarter, Half(half));
  return quarter;
}
Status Even(int x) {
  PLEXUS_TRY(Half(x));
  return {};
}

TEST(Error, MacrosReturnTheError) {
  EXPECT_EQ(Quarter(8), 2);
  ASSERT_FALSE(Quarter(6));
  EXPECT_EQ(Quarter(6).error().message, "odd: 3");
  EXPECT_TRUE(Even(2));
  EXPECT_EQ(Even(1).error().code, ErrorCode::kInvalidArgument);
}

TEST(ErrorDeathTest, CheckPrintsTheReason) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(PLEXUS_CHECK(1 == 2, "numbers differ"), "numbers differ");
}

}  // namespace
}  // namespace plexus
