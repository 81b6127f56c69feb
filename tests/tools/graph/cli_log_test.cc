// log and diff: batch by batch, and between two states.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/program/program_test.h"

namespace plexus::testing {
namespace {

class Log : public ProgramTest {
 protected:
  void SetUp() override {
    always_ = {"--quiet"};
    for (const Words& words :
         {Words{"link", "a", "knows", "b", "--now", "2026-01-01"},
          {"link", "a", "knows", "b", "--weight", "0.5", "--now", "2026-01-02"},
          {"link", "b", "likes", "c", "--now", "2026-01-03"},
          {"remove", "a", "--now", "2026-01-04"}})
      ASSERT_EQ(Run(words).code, 0);
  }
};

TEST_F(Log, BatchesNewestFirstWithTheirCounts) {
  const auto reply = Json({"log"});
  EXPECT_EQ(reply.at("sequence"), 4);
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
  EXPECT_EQ(Json({"log", "--top", "1"}).at("results").as_array().size(), 1u);
  EXPECT_EQ(Json({"log", "--since", "3"}).at("results").as_array().size(), 1u);
  EXPECT_EQ(Json({"log", "--as-of", "2"}).at("results").as_array().size(), 2u);
  EXPECT_TRUE(Says(Run({"log"}).out, "2026-01-03T00:00:00"));
}

TEST_F(Log, DiffNamesWhatIsOther) {
  const auto reply = Json({"diff", "1", "4"});
  EXPECT_EQ(reply.at("nodes").at("added"), 1);
  EXPECT_EQ(reply.at("nodes").at("removed"), 1);
  EXPECT_EQ(reply.at("edges").at("added"), 1);
  EXPECT_EQ(reply.at("edges").at("removed"), 1);
  EXPECT_EQ(reply.at("results").as_array().size(), 4u);
  const auto changed = Json({"diff", "1", "2"});
  ASSERT_EQ(changed.at("results").as_array().size(), 1u);
  const auto& edge = changed.at("results").at(0);
  EXPECT_EQ(edge.at("what"), "edge_changed");
  EXPECT_EQ(edge.at("weight").to_number<double>(), 0.5);
  EXPECT_EQ(edge.at("weight_before").to_number<double>(), 1.0);
  EXPECT_TRUE(Json({"diff", "2", "2"}).at("results").as_array().empty());
  EXPECT_EQ(Json({"diff", "2026-01-02"}).at("from"), 2);
  EXPECT_TRUE(Json({"diff", "1", "--top", "1"}).at("truncated").as_bool());
  EXPECT_EQ(Run({"diff", "4", "1"}).code, 2);
  EXPECT_EQ(Run({"diff", "9"}).code, 3);
}

}  // namespace
}  // namespace plexus::testing
