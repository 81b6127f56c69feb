// Columns and texts of many nodes from arrays.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/run_plexus.h"
#include "tests/tools/c/strings.h"
#include "tools/c/plexus.h"

namespace plexus::testing {
namespace {

class CColumns : public ::testing::Test {
 protected:
  CColumns() {
    options_.size = sizeof options_;
    options_.create = 1;
    EXPECT_EQ(plexus_open((dir_ / "g").c_str(), &options_, &graph_), PLEXUS_OK) << plexus_message();
    values_.size = sizeof values_;
    counts_.size = sizeof counts_;
  }
  ~CColumns() override { (void)plexus_close(graph_); }
  plexus_code Put() { return plexus_put_column(graph_, &values_, nullptr, &counts_); }
  void Refused(const std::string& why) {
    std::uint64_t before = 0, after = 0;
    EXPECT_EQ(plexus_sequence(graph_, &before), PLEXUS_OK);
    EXPECT_EQ(Put(), PLEXUS_INVALID_ARGUMENT) << why;
    EXPECT_NE(std::string(plexus_message()).find(why), std::string::npos) << plexus_message();
    EXPECT_EQ(plexus_sequence(graph_, &after), PLEXUS_OK);
    EXPECT_EQ(before, after) << why;
  }
  std::string Ask(const char* operation, const std::string& json) {
    plexus_text reply;
    EXPECT_EQ(plexus_call(graph_, operation, json.data(), json.size(), &reply), PLEXUS_OK);
    const std::string text = reply.data;
    EXPECT_EQ(plexus_result_free(reply.owner), PLEXUS_OK);
    return text;
  }
  bool Has(const std::string& key, const std::string& what) {
    return Ask("get", R"({"key":")" + key + "\"}").find(what) != std::string::npos;
  }
  TempDir dir_;
  plexus_open_options options_ = {};
  plexus_graph* graph_ = nullptr;
  plexus_column_values values_ = {};
  plexus_counts counts_ = {};
};

TEST_F(CColumns, NumbersOfKeysOfIdsAndOfNumbers) {
  const Strings keys({"a", "b", "a"});
  const double scores[] = {0.5, 0.25, 0.75};
  const std::int64_t hits[] = {7, 8};
  values_.count = 3;
  values_.column = "score";
  values_.keys = keys.view();
  values_.f64 = scores;
  values_.kind = "memory";
  ASSERT_EQ(Put(), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(counts_.added, 2u);
  EXPECT_TRUE(Has("a", R"("score":0.75)"));  // the last of a key
  EXPECT_TRUE(Has("b", R"("kind":"memory")"));
  ASSERT_EQ(Put(), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(counts_.added + counts_.changed, 0u);

  const std::uint32_t ids[] = {0, 1};
  values_ = {};
  values_.size = sizeof values_;
  values_.count = 2;
  values_.column = "access_count";  // a built-in one
  values_.ids = ids;
  values_.i64 = hits;
  ASSERT_EQ(Put(), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(counts_.changed, 2u);
  EXPECT_TRUE(Has("b", R"("access_count":8)"));
  values_.ids = nullptr;
  ASSERT_EQ(Put(), PLEXUS_OK) << plexus_message();
  EXPECT_TRUE(Has("1", R"("access_count":8)"));
}

TEST_F(CColumns, TextsAreFoundByTheirWords) {
  const Strings keys({"m1", "m2"}), texts({"Deploys stop on Fridays.", "The gateway."});
  values_.count = 2;
  values_.column = "text";
  values_.keys = keys.view();
  values_.texts = texts.view();
  ASSERT_EQ(Put(), PLEXUS_OK) << plexus_message();
  EXPECT_EQ(counts_.nodes_added, 2u);
  EXPECT_NE(Ask("search", R"({"query":"deploys"})").find(R"("key":"m1")"), std::string::npos);
  const Strings cleared({"", "Deploys of the gateway."});
  values_.texts = cleared.view();
  ASSERT_EQ(Put(), PLEXUS_OK) << plexus_message();
  const std::string found = Ask("search", R"({"query":"deploys"})");
  EXPECT_EQ(found.find(R"("key":"m1")"), std::string::npos) << found;
  EXPECT_NE(found.find(R"("key":"m2")"), std::string::npos) << found;
  values_.column = "category";
  ASSERT_EQ(Put(), PLEXUS_OK) << plexus_message();
  EXPECT_TRUE(Has("m2", R"("category":"Deploys of the gateway.")"));
  EXPECT_FALSE(Has("m1", "category"));
}

TEST_F(CColumns, WrongArraysAreRefusedByName) {
  const Strings keys({"a", "b"}), good({"x", "y"}), bad({"x", "\xff"}),
      long_text({"x", std::string(2000, 'y')});
  const double numbers[] = {1, std::nan("")};
  const double finite[] = {1, 2};
  const std::int64_t whole[] = {1, std::numeric_limits<std::int64_t>::min()};
  const std::int64_t far[] = {1, std::int64_t{1} << 60};
  const std::uint32_t ids[] = {0, 1};
  EXPECT_EQ(plexus_put_column(graph_, nullptr, nullptr, nullptr), PLEXUS_INVALID_ARGUMENT);
  EXPECT_EQ(plexus_put_column(nullptr, &values_, nullptr, nullptr), PLEXUS_INVALID_ARGUMENT);
  values_.count = 2;
  Refused("column is null");
  values_.column = "score";
  Refused("values are in one of f64, i64 and texts");
  values_.f64 = numbers;
  Refused("value 1: not finite");
  values_.i64 = whole;
  Refused("values are in one of f64, i64 and texts");
  values_.f64 = nullptr;
  Refused("value 1: out of range");
  values_.i64 = far;
  values_.column = "valid_from";
  Refused("value 1: 1152921504606846976 lies beyond the year 9999");
  values_.i64 = nullptr;
  values_.f64 = finite;
  Refused("column 'valid_from' holds i64, the values are f64");
  values_.column = "edge";
  Refused("a column cannot be named 'edge'");
  values_.column = "text";
  Refused("values of 'text' are texts");
  values_.column = "score";
  values_.ids = ids;
  Refused("value 0: the graph has no node of id 0");
  values_.keys = keys.view();
  Refused("ids and keys exclude each other");
  values_.ids = nullptr;
  values_.count = 1;
  Refused("keys are 2, values 1");
  values_.count = 2;
  values_.f64 = nullptr;
  values_.texts = bad.view();
  Refused("value 1: not valid UTF-8");
  values_.texts = long_text.view();
  Refused("value 1: 2000 bytes, the limit is 1024");
  values_.count = 0;
  values_.keys = {};
  Refused("texts are 2, values 0");
  values_.texts = {};
  EXPECT_EQ(Put(), PLEXUS_OK) << plexus_message();
}

}  // namespace
}  // namespace plexus::testing
