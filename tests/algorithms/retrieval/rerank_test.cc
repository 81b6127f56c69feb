// Rerank against its definition on every graph and shape, at any number of threads and
// every level; a worked example; what is refused and what is left out.
#include "algorithms/retrieval/vectors.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "tests/algorithms/retrieval/vector_cases.h"
#include "tests/support/for_each_case.h"
#include "tests/support/vector_values.h"

namespace plexus::testing {
using namespace builtin;
using namespace retrieval;
namespace {

void Same(const Result<RerankResult>& got, const std::vector<reference::Reranked>& want) {
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  ASSERT_EQ(got->hits.size(), want.size());
  EXPECT_EQ(got->candidates, want.size());
  EXPECT_FALSE(got->truncated);
  for (std::size_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ(got->hits[i].node, want[i].node) << i;
    ASSERT_EQ(got->hits[i].score, want[i].score) << i;
    ASSERT_EQ(got->hits[i].similarity, want[i].similarity) << i;
    ASSERT_EQ(got->hits[i].graph, want[i].graph) << i;
  }
}

void CheckReranked(const std::vector<Case>& cases, std::size_t k) {
  std::mt19937_64 random(11);
  for (const Case& c : cases)
    for (Shape shape : kShapes) {
      SCOPED_TRACE(c.name);
      const VectorCase made = WithVectors(c, shape, 4);
      const Snapshot s = made.graph.snapshot();
      const std::vector<float> query = SmallVector(random, 4);
      for (const EdgeKinds& kinds : {EdgeKinds{}, {kSupports, kSimilar}}) {
        const auto facts = made.graph.Flat();
        const auto flat = made.graph.Flat(kinds);
        for (Metric metric : kMetrics) {
          auto nearest = reference::Nearest(facts, made.vectors, LikenessOf(metric), query);
          std::vector<reference::Similar> named;
          std::vector<NodeId> ids;
          for (const auto& n : nearest)
            if (random() % 2) {
              named.push_back(n);
              ids.push_back(n.node);
              if (random() % 3 == 0) ids.push_back(n.node);
            }
          if (nearest.size() > k) nearest.resize(k);
          const auto want = reference::Rerank(flat, nearest, 0.3);
          const auto want_named = reference::Rerank(flat, named, 0.75);
          for (SimdLevel level : {SimdLevel::kScalar, SimdLevel::kBest}) {
            RerankOptions options{
                .k = k, .metric = metric, .filter = {.kinds = kinds}, .level = level};
            options.run.executor = NextExecutor();
            Same(Rerank(s, made.space(), query, options), want);
            options.boost = 0.75;
            Same(RerankCandidates(s, made.space(), query, ids, options), want_named);
          }
        }
      }
      if (::testing::Test::HasFailure()) return;
    }
}

TEST(Rerank, EqualsItsDefinitionOnSmallGraphs) { CheckReranked(SmallCases(), 6); }
TEST(Rerank, EqualsItsDefinitionOnLargeGraphs) { CheckReranked(LargeCases(), 40); }

// a is most like the query; b, c, d hang together, b with the most weight.
struct Square {
  CaseGraph g;
  SpaceId space;
  std::vector<float> query = {1, 0};
  Square()
      : g(Build({"square", 1, [](CaseGraph& graph, int) { graph.AddNodes(6); }}, Shape::kClean)) {
    const std::vector<std::vector<float>> vectors = {{1, 0}, {3, 4}, {0, 1}, {-1, 0}};
    for (std::size_t v = 0; v < 4; ++v) g.SetVector(v, kSpace, vectors[v]);
    g.Link(1, kSupports, 2, 0.5f);
    g.Link(2, kLink, 1, 0.25f);
    g.Link(1, kSimilar, 3, 0.25f);  // symmetric: once
    g.Link(0, kLink, 0, 9.0f);      // a loop: never
    g.Link(0, kLink, 4, 9.0f);      // to a node without a vector: no candidate
    g.Commit();
    space = *g.snapshot().schema().FindSpace(kSpace);
  }
};

TEST(Rerank, WorkedExample) {
  const Square t;
  const auto got = Rerank(t.g.snapshot(), t.space, t.query, {.boost = 0.5});
  ASSERT_TRUE(got.has_value());
  ASSERT_EQ(got->hits.size(), 4u);
  // degrees 0, 1, 0.75, 0.25; similarities 1, 0.6, 0, -1
  const double scores[] = {0.5, 0.8, 0.375, -0.375};
  const double graph[] = {0, 1, 0.75, 0.25};
  const NodeId order[] = {1, 0, 2, 3};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(got->hits[i].node, order[i]);
    EXPECT_DOUBLE_EQ(got->hits[i].score, scores[order[i]]);
    EXPECT_DOUBLE_EQ(got->hits[i].graph, graph[order[i]]);
    EXPECT_DOUBLE_EQ(got->hits[i].degree, graph[order[i]]);
  }
  EXPECT_DOUBLE_EQ(got->hits[0].similarity, 0.6);
  // The cosine mapped to [0, 1], only when asked.
  const auto unit = Rerank(t.g.snapshot(), t.space, t.query, {.boost = 0, .unit_similarity = true});
  EXPECT_EQ(unit->hits[0].score, 1);
  EXPECT_DOUBLE_EQ(unit->hits[1].score, 0.8);
  EXPECT_EQ(unit->hits[3].score, 0);
  EXPECT_EQ(unit->hits[3].measure, -1);
  // The graph alone; ties (no degree: a) by id.
  const auto alone = Rerank(t.g.snapshot(), t.space, t.query, {.boost = 1});
  EXPECT_EQ(alone->hits[0].node, 1u);
  EXPECT_EQ(alone->hits[3].node, 0u);
  // Two candidates that no edge joins.
  const auto pair = Rerank(t.g.snapshot(), t.space, t.query, {.k = 1, .top = 5});
  ASSERT_EQ(pair->hits.size(), 1u);
  EXPECT_EQ(pair->hits[0].graph, 0);
  EXPECT_EQ(Rerank(t.g.snapshot(), t.space, t.query, {.top = 2})->hits.size(), 2u);
  EXPECT_EQ(Rerank(t.g.snapshot(), t.space, t.query, {.skip = 0})->candidates, 3u);
}

TEST(Rerank, SaysWhatItLeavesOut) {
  Square t;
  t.g.Remove(3);
  t.g.Commit();
  const Snapshot s = t.g.snapshot();
  const NodeId ids[] = {0, 1, 1, 2, 3, 4, 5};
  const auto got = RerankCandidates(s, t.space, t.query, ids);
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->candidates, 3u);
  EXPECT_EQ(got->without_vector, 2u);
  EXPECT_EQ(got->outside, 1u);
  const NodeId few[] = {1, 4};
  const NodeSubset subset = *NodeSubset::Of(s, few);
  const auto inside = RerankCandidates(s, t.space, t.query, ids, {.filter = {.subset = &subset}});
  EXPECT_EQ(inside->candidates, 1u);
  EXPECT_EQ(inside->without_vector, 1u);
  EXPECT_EQ(inside->outside, 4u);
  EXPECT_EQ(Rerank(s, t.space, t.query, {.filter = {.subset = &subset}})->candidates, 1u);
  EXPECT_TRUE(RerankCandidates(s, t.space, t.query, {})->hits.empty());
}

TEST(Rerank, BudgetsCutAtTheSamePlace) {
  const Square t;
  const Snapshot s = t.g.snapshot();
  // Rows of the candidates in order of likeness hold 3, 3, 2, 1 arcs.
  for (const auto& e : Executors()) {
    RerankOptions options{.run = {.executor = e.executor.get()}};
    options.run.budget.edges = 6;
    const auto got = Rerank(s, t.space, t.query, options);
    EXPECT_TRUE(got->truncated);
    double degrees = 0;
    for (const RerankHit& hit : got->hits) degrees += hit.degree;
    EXPECT_EQ(degrees, 1);  // b's alone
    EXPECT_EQ(got->hits.size(), 4u);
    options.run.budget.edges = 100;
    EXPECT_FALSE(Rerank(s, t.space, t.query, options)->truncated);
    // Two measured: two candidates, whether they are the nearest or named.
    options.run.budget.nodes = 2;
    const NodeId named[] = {3, 2, 1};
    for (const auto& few : {Rerank(s, t.space, t.query, options),
                            RerankCandidates(s, t.space, t.query, named, options)}) {
      EXPECT_TRUE(few->truncated);
      EXPECT_EQ(few->candidates, 2u);
    }
  }
  const std::atomic<bool> stop = true;
  RerankOptions options;
  options.run.budget.cancel = &stop;
  const NodeId named[] = {0, 1};
  for (const auto& none : {Rerank(s, t.space, t.query, options),
                           RerankCandidates(s, t.space, t.query, named, options)}) {
    EXPECT_TRUE(none->truncated);
    EXPECT_EQ(none->candidates, 0u);
  }
}

TEST(Rerank, EdgesOutsideTheirTimeDoNotCount) {
  Square t;
  t.g.LinkValid(0, kCauses, 2, 100, 200);
  t.g.Commit();
  const auto degree = [&](std::int64_t at) {
    const auto got = Rerank(t.g.snapshot(), t.space, t.query, {.filter = {.valid_at = at}});
    for (const RerankHit& hit : got->hits)
      if (hit.node == 0) return hit.degree;
    return -1.0;
  };
  EXPECT_EQ(degree(150), 1);
  EXPECT_EQ(degree(200), 0);
  EXPECT_EQ(degree(kNoTime), 1);
}

TEST(Rerank, RefusesBadOptions) {
  const Square t;
  const Snapshot s = t.g.snapshot();
  const auto refused = [&](RerankOptions options, const std::string& why) {
    const auto got = Rerank(s, t.space, t.query, options);
    ASSERT_FALSE(got.has_value()) << why;
    EXPECT_EQ(got.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(got.error().message.find(why), std::string::npos) << got.error().message;
  };
  refused({.boost = -0.1}, "boost");
  refused({.boost = 1.1}, "boost");
  refused({.boost = std::nan("")}, "boost");
  refused({.unit_similarity = true, .metric = Metric::kInnerProduct}, "no bounds");
  refused({.filter = {.kinds = {EdgeKindId{60'000}}}}, "edge kind 60000");
  const NodeId beyond[] = {1, 99};
  EXPECT_FALSE(RerankCandidates(s, t.space, t.query, beyond).has_value());
}

}  // namespace
}  // namespace plexus::testing
