// PageRank against Eigen, and its promises: sums to 1, same bits, clear errors.
#include "algorithms/pagerank/pagerank.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>

#include "algorithms/pagerank/internal/pagerank_csr.h"
#include "tests/algorithms/pagerank/pagerank_query.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace pagerank;
namespace {

TEST(PageRank, EqualsEigenOnEveryShape) {
  ForEachGraph([](const CaseGraph& g, Shape) {
    for (bool weighted : {true, false}) {
      PageRankOptions options;
      options.weighted = weighted;
      options.tolerance = 1e-12;
      const PageRankResult got = Rank(g.snapshot(), options);
      const auto want = reference::PageRank(g.Flat(), options.damping, weighted, {}, 0);
      EXPECT_LE(Distance(got.scores, want), 2e-12);
      EXPECT_TRUE(got.converged);
      EXPECT_FALSE(got.truncated);
      const double total = std::accumulate(got.scores.begin(), got.scores.end(), 0.0);
      EXPECT_NEAR(total, got.nodes.count() > 0 ? 1.0 : 0.0, 1e-12);
    }
  });
}

TEST(PageRank, SinglePrecisionIsWithinItsTolerance) {
  ForEachGraph([](const CaseGraph& g, Shape shape) {
    if (shape != Shape::kClean && shape != Shape::kDelta) return;
    PageRankOptions options;
    options.precision = Precision::kF32;
    options.tolerance = 1e-5;
    const PageRankResult got = Rank(g.snapshot(), options);
    const auto want = reference::PageRank(g.Flat(), options.damping, true, {}, 0);
    EXPECT_LE(Distance(got.scores, want), 1.2e-5);
    EXPECT_TRUE(got.converged);
  });
}

TEST(PageRank, PersonalisedByWeightedSeeds) {
  ForEachGraph([](const CaseGraph& g, Shape shape) {
    const auto flat = g.Flat();
    PageRankOptions options;
    options.tolerance = 1e-12;
    std::vector<double> teleport(flat.node_count(), 0.0);
    for (NodeId v = 0; v < flat.node_count() && options.seeds.size() < 3; v += 2)
      if (flat.selected[v]) {
        options.seeds.push_back({v, 1.0 + v % 3});
        teleport[v] += 1.0 + v % 3;
      }
    if (options.seeds.empty()) return;
    options.seeds.push_back({options.seeds[0].node, 0.5});
    teleport[options.seeds[0].node] += 0.5;
    const PageRankResult got = Rank(g.snapshot(), options);
    EXPECT_LE(Distance(got.scores, reference::PageRank(flat, 0.85, true, teleport, 0)), 2e-12);
    if (shape == Shape::kDelta) {
      options.iterations = 3;
      EXPECT_LE(Distance(Rank(g.snapshot(), options).scores,
                         reference::PageRank(flat, 0.85, true, teleport, 3)),
                1e-13);
    }
  });
}

// The fact graph of `plain` with tags, tagged nodes and fact-plane ids interleaved.
TEST(PageRank, IndexPlaneChangesNoBit) {
  auto fill = [](CaseGraph& g, bool tags, std::vector<std::size_t>& facts) {
    for (int i = 0; i < 9000; ++i) {
      facts.push_back(g.AddNode());
      if (tags && i % 3 == 0) g.Link(facts.back(), kHasTag, g.AddNode(kTag), 0.5f);
    }
    for (std::size_t i = 0; i < facts.size(); ++i)
      for (std::size_t k = 1; k < 5; ++k)
        if ((i * k) % 7 != 3)
          g.Link(facts[i], k % 2 ? kLink : kRelatesTo, facts[(i * 31 + k * 17 + 1) % facts.size()],
                 static_cast<float>(1 + (i * k) % 8) / 8.0f);
    g.Commit();
  };
  CaseGraph plain, tagged;
  std::vector<std::size_t> plain_facts, tagged_facts;
  fill(plain, false, plain_facts);
  fill(tagged, true, tagged_facts);
  plain.Compact();
  for (bool compact : {false, true}) {
    if (compact) tagged.Compact();
    for (bool weighted : {true, false}) {
      PageRankOptions options;
      options.weighted = weighted;
      const PageRankResult a = Rank(plain.snapshot(), options);
      const PageRankResult b = Rank(tagged.snapshot(), options);
      EXPECT_EQ(a.iterations, b.iterations);
      EXPECT_EQ(b.nodes.count(), plain_facts.size());
      for (std::size_t i = 0; i < plain_facts.size(); ++i)
        ASSERT_EQ(a.scores[plain.id(plain_facts[i])], b.scores[tagged.id(tagged_facts[i])]);
    }
  }
}

TEST(PageRank, KindsAndSubsetsSelectASubgraph) {
  ForEachCase(SmallCases(), [](const CaseGraph& g, Shape) {
    const Snapshot s = g.snapshot();
    std::vector<NodeId> even;
    for (NodeId v = 0; v < s.node_count(); v += 2) even.push_back(v);
    const NodeSubset subset = *NodeSubset::Of(s, even);
    for (const EdgeKinds& kinds :
         {EdgeKinds{kLink}, {kRelatesTo, kSupports}, {kHasTag, kLink}}) {
      PageRankOptions options;
      options.tolerance = 1e-12;
      options.filter.kinds = kinds;
      EXPECT_LE(
          Distance(Rank(s, options).scores, reference::PageRank(g.Flat(kinds), 0.85, true, {}, 0)),
          2e-12);
      options.filter.subset = &subset;
      EXPECT_LE(Distance(Rank(s, options).scores,
                         reference::PageRank(g.Flat(kinds, &subset), 0.85, true, {}, 0)),
                2e-12);
    }
  });
}

TEST(PageRank, BoundsTheTrueError) {
  const CaseGraph& g = Large(0, Shape::kClean);
  const auto want = reference::PageRank(g.Flat(), 0.85, true, {}, 0);
  for (int iterations : {1, 2, 5, 20}) {
    PageRankOptions options;
    options.iterations = iterations;
    const PageRankResult got = Rank(g.snapshot(), options);
    EXPECT_EQ(got.iterations, iterations);
    EXPECT_LE(Distance(got.scores, want), got.error);
    EXPECT_LE(Distance(got.scores, reference::PageRank(g.Flat(), 0.85, true, {}, iterations)),
              1e-13);
  }
}

TEST(PageRank, RefusesWhatItCannotDo) {
  CaseGraph g;
  g.AddNodes(3);
  g.Link(0, kLink, 1);
  g.Commit();
  g.Remove(2);
  g.Commit();
  auto message = [&](auto change) {
    PageRankOptions options;
    change(options);
    auto result = PageRank(g.snapshot(), options);
    EXPECT_FALSE(result.has_value());
    return result ? std::string() : result.error().message;
  };
  using O = PageRankOptions;
  EXPECT_NE(message([](O& o) { o.damping = 1.0; }).find("damping"), std::string::npos);
  EXPECT_NE(message([](O& o) { o.damping = std::nan(""); }).find("damping"), std::string::npos);
  EXPECT_NE(message([](O& o) { o.tolerance = 0; }).find("tolerance"), std::string::npos);
  EXPECT_NE(message([](O& o) {
              o.precision = Precision::kF32;
              o.tolerance = 1e-9;
            }).find("f32"),
            std::string::npos);
  EXPECT_NE(message([](O& o) { o.iterations = -1; }).find("iterations"), std::string::npos);
  EXPECT_NE(message([](O& o) { o.filter.kinds = {EdgeKindId{40000}}; }).find("40000"),
            std::string::npos);
  EXPECT_NE(message([](O& o) { o.seeds = {{2, 1.0}}; }).find("seed node '"), std::string::npos);
  EXPECT_NE(message([](O& o) { o.seeds = {{99, 1.0}}; }).find("99"), std::string::npos);
  EXPECT_NE(message([](O& o) { o.seeds = {{0, -1.0}}; }).find("weight"), std::string::npos);
  EXPECT_NE(message([](O& o) { o.seeds = {{0, 0.0}}; }).find("sum"), std::string::npos);
}

TEST(PageRank, StopsWhenTheBudgetIsSpent) {
  const CaseGraph& g = Large(0, Shape::kDelta);
  PageRankOptions options;
  const PageRankResult full = Rank(g.snapshot(), options);
  options.run.budget.edges = full.edges * 4;
  const PageRankResult four = Rank(g.snapshot(), options);
  EXPECT_TRUE(four.truncated);
  EXPECT_EQ(four.iterations, 4);
  EXPECT_FALSE(four.converged);
  EXPECT_GT(four.error, options.tolerance);
  std::atomic<bool> cancel = true;
  options.run.budget = {};
  options.run.budget.cancel = &cancel;
  EXPECT_EQ(Rank(g.snapshot(), options).iterations, 0);
}

TEST(PageRank, HugeAndTinyWeightsStayFinite) {
  CaseGraph g;
  g.AddNodes(3);
  g.Link(0, kLink, 1, 3e38f);
  g.Link(0, kLink, 2, 3e38f);
  g.Link(1, kLink, 0, 1e-38f);
  g.Link(2, kLink, 1, 1e-38f);
  g.Commit();
  PageRankOptions options;
  options.tolerance = 1e-12;
  EXPECT_LE(Distance(Rank(g.snapshot(), options).scores,
                     reference::PageRank(g.Flat(), 0.85, true, {}, 0)),
            2e-12);
  options.precision = Precision::kF32;
  options.tolerance = 1e-5;
  EXPECT_FALSE(PageRank(g.snapshot(), options).has_value());
}

// The GAP suite's definition, on bare arrays: dangling mass is lost.
TEST(PageRankCsr, CanLeakDanglingMassAsTheGapSuiteDoes) {
  const std::vector<std::uint32_t> offsets = {0, 0, 1, 3};  // in-rows of 0->1, 0->2, 1->2
  const std::vector<NodeId> neighbors = {0, 0, 1};
  const std::vector<float> reciprocal = {0.5f, 1.0f, 0.0f};
  PageRankCsrOptions options;
  options.keep_dangling = false;
  options.iterations = 2;
  const auto got =
      PageRankCsr<float>({{offsets, neighbors, {}, {}, {}}, reciprocal, {}}, options).value();
  const double base = 0.15 / 3, first = 1.0 / 3;
  const double one1 = base + 0.85 * first / 2;
  EXPECT_NEAR(got.scores[0], base, 1e-7);
  EXPECT_NEAR(got.scores[1], base + 0.85 * base / 2, 1e-7);
  EXPECT_NEAR(got.scores[2], base + 0.85 * (base / 2 + one1), 1e-7);
}

}  // namespace
}  // namespace plexus::testing
