// Nearest against "measure all, sort all": every graph, shape, metric, level and
// number of threads; scan and gather; dead rows; bad queries.
#include "algorithms/retrieval/vectors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/algorithms/retrieval/vector_cases.h"
#include "tests/support/for_each_case.h"
#include "tests/support/vector_values.h"

namespace plexus::testing {
using namespace retrieval;
namespace {

void Check(const VectorCase& c, const NodeSubset* subset, const std::vector<float>& query) {
  const auto flat = c.graph.Flat({}, subset);
  const Snapshot s = c.graph.snapshot();
  for (Metric metric : kMetrics) {
    const auto want = reference::Nearest(flat, c.vectors, LikenessOf(metric), query);
    for (SimdLevel level : {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512}) {
      if (!HasSimdLevel(level)) continue;
      for (std::size_t top : {std::size_t{0}, std::size_t{1}, std::size_t{7}}) {
        NearestOptions options{top, metric, subset, kNoNode, level, {{}, NextExecutor()}};
        const auto got = Nearest(s, c.space(), query, options);
        ASSERT_TRUE(got.has_value()) << got.error().ToString();
        ASSERT_EQ(got->hits.size(), top == 0 ? want.size() : std::min(top, want.size()));
        for (std::size_t i = 0; i < got->hits.size(); ++i) {
          ASSERT_EQ(got->hits[i].node, want[i].node) << i;
          ASSERT_EQ(got->hits[i].similarity, want[i].similarity) << i;
          if (i < 50) {
            ASSERT_EQ(got->hits[i].measure,
                      reference::Measure(LikenessOf(metric), query, c.vectors[want[i].node]));
          }
        }
      }
    }
  }
}

void CheckNearest(const std::vector<Case>& cases, std::size_t dimensions) {
  std::mt19937_64 random(7);
  for (const Case& c : cases)
    for (Shape shape : kShapes) {
      SCOPED_TRACE(c.name);
      const VectorCase made = WithVectors(c, shape, dimensions);
      const Snapshot s = made.graph.snapshot();
      const std::vector<float> query = SmallVector(random, dimensions);
      Check(made, nullptr, query);
      // Half of the nodes are scanned for, a few are gathered.
      for (NodeId every : {2u, 17u}) {
        const NodeSubset subset = SubsetOf(s, [&](NodeId v) { return v % every == 0; });
        Check(made, &subset, query);
      }
      const NodeSubset none = *NodeSubset::Of(s, {});
      Check(made, &none, query);
      if (::testing::Test::HasFailure()) return;
    }
}

TEST(Nearest, EqualsSortingEverythingOnSmallGraphs) {
  for (std::size_t dimensions : {1u, 2u, 17u}) CheckNearest(SmallCases(), dimensions);
}
TEST(Nearest, EqualsSortingEverythingOnLargeGraphs) { CheckNearest(LargeCases(), 5); }

// Many blocks, so that threads have something to share; tops above and below a block's.
TEST(Nearest, ManyRowsGiveTheSameBitsAtAnyThreadCount) {
  Case c{"many", 1, [](CaseGraph& g, int) { g.AddNodes(30'000); }};
  const VectorCase made = WithVectors(c, Shape::kClean, 3);
  const Snapshot s = made.graph.snapshot();
  const std::vector<float> query = {1, -2, 1};
  const auto executors = Executors();
  for (std::size_t top : {0u, 1u, 100u, 20'000u}) {
    std::vector<NearestHit> first;
    const auto want =
        reference::Nearest(made.graph.Flat(), made.vectors, reference::Likeness::kCosine, query);
    for (const auto& e : executors) {
      const auto got =
          Nearest(s, made.space(), query, {.top = top, .run = {.executor = e.executor.get()}});
      ASSERT_TRUE(got.has_value());
      if (first.empty()) first = got->hits;
      EXPECT_EQ(got->hits, first) << e.name;
    }
    ASSERT_EQ(first.size(), top == 0 ? want.size() : std::min<std::size_t>(top, want.size()));
    for (std::size_t i = 0; i < first.size(); ++i) ASSERT_EQ(first[i].node, want[i].node);
  }
}

// The nearest of the first rows, or of a small subset's first nodes; nothing once stopped.
TEST(Nearest, BudgetsCutAtTheSamePlace) {
  Case c{"many", 1, [](CaseGraph& g, int) { g.AddNodes(30'000); }};
  const VectorCase made = WithVectors(c, Shape::kClean, 3);
  const Snapshot s = made.graph.snapshot();
  const std::vector<float> query = {1, -2, 1};
  std::vector<NodeId> few;
  for (NodeId v = 100; v < 6000; v += 2) few.push_back(v);
  const NodeSubset subset = *NodeSubset::Of(s, few);
  for (const NodeSubset* within : {static_cast<const NodeSubset*>(nullptr), &subset}) {
    const auto whole = Nearest(s, made.space(), query, {.top = 0, .subset = within});
    ASSERT_TRUE(whole.has_value());
    EXPECT_FALSE(whole->truncated);
    NearestOptions options{.top = 0, .subset = within};
    options.run.budget.nodes = 1000;
    const auto part = Nearest(s, made.space(), query, options);
    ASSERT_TRUE(part.has_value());
    EXPECT_TRUE(part->truncated);
    EXPECT_EQ(part->measured, 1000u);
    std::size_t at = 0;  // a part of the whole, in its order
    for (const NearestHit& node : whole->hits)
      at += at < part->hits.size() && part->hits[at] == node;
    EXPECT_EQ(at, part->hits.size());
    options.run.budget.nodes = 1'000'000;  // rows of vectors that were replaced count, too
    EXPECT_EQ(Nearest(s, made.space(), query, options)->hits, whole->hits);
    const std::atomic<bool> stop = true;
    options.run.budget.cancel = &stop;
    const auto none = Nearest(s, made.space(), query, options);
    EXPECT_TRUE(none->truncated);
    EXPECT_EQ(none->measured + none->hits.size(), 0u);
  }
}

TEST(Nearest, SkipsTheNodeTheQueryCameFrom) {
  Case c{"three", 1, [](CaseGraph& g, int) { g.AddNodes(3); }};
  CaseGraph g = Build(c, Shape::kClean);
  g.SetVector(0, kSpace, {1, 0});
  g.SetVector(1, kSpace, {1, 1});
  g.SetVector(2, kSpace, {0, 1});
  g.Commit();
  const Snapshot s = g.snapshot();
  const SpaceId space = *s.schema().FindSpace(kSpace);
  const auto all = Nearest(s, space, VectorOf(*s.space(space), 0));
  ASSERT_EQ(all->hits.size(), 3u);
  EXPECT_EQ(all->hits[0].node, 0u);
  EXPECT_EQ(all->hits[0].similarity, 1);
  EXPECT_DOUBLE_EQ(all->hits[1].similarity, std::sqrt(0.5));
  const auto others = Nearest(s, space, VectorOf(*s.space(space), 0), {.skip = 0});
  ASSERT_EQ(others->hits.size(), 2u);
  EXPECT_EQ(others->hits[0].node, 1u);
}

TEST(Nearest, UsesTheSpacesOwnMetric) {
  Case c{"two", 1, [](CaseGraph& g, int) { g.AddNodes(2); }};
  CaseGraph g = Build(c, Shape::kClean);
  g.SetVector(0, "l2", {3, 4}, Metric::kL2);
  g.SetVector(1, "l2", {100, 100}, Metric::kL2);
  g.Commit();
  const std::vector<float> query = {0, 0};
  const auto got = Nearest(g.snapshot(), SpaceId{}, query);
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->hits[0].measure, 5);
  EXPECT_DOUBLE_EQ(got->hits[0].similarity, 1.0 / 6);
  EXPECT_EQ(
      Nearest(g.snapshot(), SpaceId{}, query, {.metric = Metric::kInnerProduct})->hits[0].measure,
      0);
}

TEST(Nearest, RefusesBadQueries) {
  Case c{"one", 1, [](CaseGraph& g, int) { g.AddNode(); }};
  CaseGraph g = Build(c, Shape::kClean);
  g.SetVector(0, kSpace, {1, 2, 3});
  g.Commit();
  const Snapshot s = g.snapshot();
  const auto refused = [&](SpaceId space, std::vector<float> query, const std::string& why) {
    const auto got = Nearest(s, space, query);
    ASSERT_FALSE(got.has_value());
    EXPECT_EQ(got.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(got.error().message.find(why), std::string::npos) << got.error().message;
  };
  refused(SpaceId{9}, {1, 2, 3}, "space 9 is not defined");
  refused(SpaceId{0}, {1, 2}, "the query has 2 values, space 'words' has 3 dimensions");
  refused(SpaceId{0}, {}, "the query has 0 values");
  refused(SpaceId{0}, {1, std::numeric_limits<float>::quiet_NaN(), 3}, "value 1 of the query");
  refused(SpaceId{0}, {1, 2, std::numeric_limits<float>::infinity()}, "value 2 of the query");
  const std::vector<float> zero = {0, 0, 0};
  EXPECT_EQ(Nearest(s, SpaceId{}, zero)->hits[0].similarity, 0);  // no direction: like nothing
}

}  // namespace
}  // namespace plexus::testing
