// Score terms: worked values, and values in [0, 1] whatever comes in.
#include "algorithms/retrieval/plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace plexus::testing {
using namespace retrieval;
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kDay = 86'400'000;

TEST(ScoreTerms, AScoreIsTheWeightedSum) {
  const ScoreTerm terms[] = {{"text", 0.5, 0.4}, {"recency", 1, 0.25}, {"path", 0.3, 0}};
  EXPECT_DOUBLE_EQ(ScoreOf(terms), 0.45);
  EXPECT_EQ(ScoreOf({}), 0);
}

TEST(ScoreTerms, WorkedValues) {
  const QueryTerm asked[] = {{"a", 1, 3, 0.5}, {"b", 2, 1, 1.25}, {"none", 1, 0, 0}};
  EXPECT_DOUBLE_EQ(Bm25Bound(asked, 1.2), 6.6);
  EXPECT_DOUBLE_EQ(TextTerm(3.3, 6.6), 0.5);
  EXPECT_EQ(TextTerm(3.3, 0), 0);
  EXPECT_EQ(SimilarityTerm(0.6, Metric::kCosine), 0.6);
  EXPECT_EQ(SimilarityTerm(-0.6, Metric::kCosine), 0);
  EXPECT_EQ(SimilarityTerm(0.25, Metric::kL2), 0.25);
  EXPECT_EQ(SimilarityTerm(0, Metric::kInnerProduct), 0.5);
  EXPECT_EQ(RecencyTerm(10 * kDay, 20 * kDay, 10 * kDay), 0.5);
  EXPECT_EQ(RecencyTerm(10 * kDay, 40 * kDay, 10 * kDay), 0.125);
  EXPECT_EQ(RecencyTerm(50 * kDay, 40 * kDay, 10 * kDay), 1);
  EXPECT_EQ(RecencyTerm(std::nullopt, 40 * kDay, 10 * kDay), 0);
  EXPECT_EQ(FrequencyTerm(0, 100), 0);
  EXPECT_EQ(FrequencyTerm(-3, 100), 0);
  EXPECT_EQ(FrequencyTerm(100, 100), 1);
  EXPECT_EQ(FrequencyTerm(1000, 100), 1);
  EXPECT_DOUBLE_EQ(FrequencyTerm(9, 99), 0.5);
}

TEST(ScoreTerms, StayInTheUnitInterval) {
  for (const double bad : {kNaN, -kInfinity, -1.0}) {
    EXPECT_EQ(UnitTerm(bad), 0);
    EXPECT_EQ(TextTerm(bad, 1), 0);
    EXPECT_EQ(SimilarityTerm(bad, Metric::kL2), 0);
  }
  EXPECT_EQ(UnitTerm(kInfinity), 1);
  EXPECT_EQ(SimilarityTerm(kNaN, Metric::kInnerProduct), 0);
  EXPECT_EQ(SimilarityTerm(1e300, Metric::kInnerProduct), 1);
  EXPECT_EQ(SimilarityTerm(-1e300, Metric::kInnerProduct), 0);
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(),
                         kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(RecencyTerm(kLeast, kMost, 1), 0);
  EXPECT_EQ(RecencyTerm(kMost, kLeast, 1), 1);
  EXPECT_EQ(FrequencyTerm(kMost, 1), 1);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    // A part of BM25 at any frequency and length.
    const auto draw = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    const double idf = 20 * draw(), tf = std::exp(40 * draw() - 20), norm = 0.25 + 100 * draw();
    const QueryTerm asked[] = {{"a", 1, 1, idf}};
    const double score = idf * tf * 2.2 / (tf + 1.2 * norm);
    EXPECT_GE(TextTerm(score, Bm25Bound(asked, 1.2)), 0);
    EXPECT_LE(score, Bm25Bound(asked, 1.2) * (1 + 1e-12));
    const double recency = RecencyTerm(static_cast<std::int64_t>(random()), 0, 1 + random() % kDay);
    EXPECT_TRUE(recency >= 0 && recency <= 1);
  }
}

}  // namespace
}  // namespace plexus::testing
