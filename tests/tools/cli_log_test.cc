// log and diff: batch by batch, and between two states.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/run_plexus.h"

namespace plexus::testing {
namespace {

class Log : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"link", "a", "knows", "b", "--now", "2026-01-01"},
          std::vector<std::string>{"link", "a", "knows", "b", "--weight", "0.5", "--now",
                                   "2026-01-02"},
          std::vector<std::string>{"link", "b", "likes", "c", "--now", "2026-01-03"},
          std::vector<std::string>{"remove", "a", "--now", "2026-01-04"}})
      ASSERT_EQ(Run(words).code, 0);
  }
  Finished Run(std::vector<std::string> words) {
    words.insert(words.end(), {"--db", db_, "--quiet"});
    return Plexus(words);
  }
  const TempDir dir_;
  const std::string db_ = dir_ / "g";
};

TEST_F(Log, BatchesNewestFirstWithTheirCounts) {
  const auto reply = Run({"log", "--json"}).Json();
  EXPECT_EQ(reply.at("sequence").to_number<int>(), 4);
  const auto& batches = reply.at("results").as_array();
  ASSERT_EQ(batches.size(), 4u);
  const auto count = [&](std::size_t i, const char* name) {
    return batches[i].at(name).to_number<int>();
  };
  EXPECT_EQ(count(0, "sequence"), 4);
  EXPECT_EQ(count(0, "nodes_removed"), 1);
  EXPECT_EQ(count(0, "edges_removed"), 1);
  EXPECT_EQ(count(1, "nodes_new"), 1);
  EXPECT_EQ(count(2, "edges_changed"), 1);
  EXPECT_EQ(count(3, "nodes_new"), 2);
  EXPECT_EQ(count(3, "edges_new"), 1);
  EXPECT_EQ(Run({"log", "--json", "--top", "1"}).Json().at("results").as_array().size(), 1u);
  EXPECT_EQ(Run({"log", "--json", "--since", "3"}).Json().at("results").as_array().size(), 1u);
  EXPECT_EQ(Run({"log", "--json", "--as-of", "2"}).Json().at("results").as_array().size(), 2u);
  EXPECT_NE(Run({"log"}).out.find("2026-01-03T00:00:00"), std::string::npos);
}

TEST_F(Log, DiffNamesWhatIsOther) {
  const auto reply = Run({"diff", "1", "4", "--json"}).Json();
  EXPECT_EQ(reply.at("nodes").at("added").to_number<int>(), 1);
  EXPECT_EQ(reply.at("nodes").at("removed").to_number<int>(), 1);
  EXPECT_EQ(reply.at("edges").at("added").to_number<int>(), 1);
  EXPECT_EQ(reply.at("edges").at("removed").to_number<int>(), 1);
  EXPECT_EQ(reply.at("results").as_array().size(), 4u);
  const auto changed = Run({"diff", "1", "2", "--json"}).Json();
  ASSERT_EQ(changed.at("results").as_array().size(), 1u);
  const auto& edge = changed.at("results").as_array()[0];
  EXPECT_EQ(edge.at("what"), "edge_changed");
  EXPECT_EQ(edge.at("weight").to_number<double>(), 0.5);
  EXPECT_EQ(edge.at("weight_before").to_number<double>(), 1.0);
  EXPECT_TRUE(Run({"diff", "2", "2", "--json"}).Json().at("results").as_array().empty());
  EXPECT_EQ(Run({"diff", "2026-01-02", "--json"}).Json().at("from").to_number<int>(), 2);
  EXPECT_TRUE(Run({"diff", "1", "--json", "--top", "1"}).Json().at("truncated").as_bool());
  EXPECT_EQ(Run({"diff", "4", "1"}).code, 2);
  EXPECT_EQ(Run({"diff", "9"}).code, 3);
}

}  // namespace
}  // namespace plexus::testing
