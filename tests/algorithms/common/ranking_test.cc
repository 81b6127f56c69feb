// Top lists, scaling and percentiles on hand-made scores.
#include "algorithms/common/common.h"

#include <gtest/gtest.h>

namespace plexus {
namespace {

NodeSubset Members(NodeId capacity, std::uint64_t bits) { return NodeSubset(capacity, {bits}); }

TEST(Ranking, TopScoresBreakTiesById) {
  const std::vector<double> scores = {0.5, 0.9, 0.5, 0.1, 0.9};
  const NodeSubset all = Members(5, 0b11111);
  EXPECT_EQ(TopScores(scores, all, 3).value(),
            (std::vector<ScoredNode>{{1, 0.9}, {4, 0.9}, {0, 0.5}}));
  EXPECT_EQ(TopScores(scores, all, 0).value().size(), 5u);
  EXPECT_EQ(TopScores(scores, all, 99).value().size(), 5u);
  EXPECT_EQ(TopScores(scores, Members(5, 0b01101), 1).value(), (std::vector<ScoredNode>{{0, 0.5}}));
  EXPECT_TRUE(TopScores({}, NodeSubset(), 3).value().empty());
}

TEST(Ranking, ScaleByMaximumOfTheMembers) {
  const std::vector<double> scores = {0.2, 0.8, 0.4};
  EXPECT_EQ(ScaleByMaximum(scores, Members(3, 0b101)).value(), (std::vector<double>{0.5, 0, 1}));
  EXPECT_EQ(ScaleByMaximum(std::vector<double>{0, 0}, Members(2, 0b11)).value(),
            (std::vector<double>{0, 0}));
}

TEST(Ranking, PercentilesCountTiesHalf) {
  const std::vector<double> scores = {1, 2, 2, 3, 9};
  EXPECT_EQ(PercentileRanks(scores, Members(5, 0b01111)).value(),
            (std::vector<double>{0, 0.5, 0.5, 1, 0}));
  EXPECT_EQ(PercentileRanks(std::vector<double>{7, 7, 7}, Members(3, 0b111)).value(),
            (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(PercentileRanks(std::vector<double>{7}, Members(1, 1)).value(),
            (std::vector<double>{0.5}));  // 1 made a lone decision block whatever is against it
  EXPECT_TRUE(PercentileRanks({}, NodeSubset()).value().empty());
}

}  // namespace
}  // namespace plexus
