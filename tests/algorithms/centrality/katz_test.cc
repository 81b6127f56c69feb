// Katz centrality against its definition, and the alpha that it takes when none is given.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "algorithms/centrality/centrality.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"
#include "tests/support/near_scores.h"

namespace plexus::testing {
using namespace builtin;
using namespace centrality;
namespace {

TEST(Katz, EqualsTheFixedPointAndKeepsItsBound) {
  std::size_t turn = 0;
  ForEachCase(SmallCases(), [&](const CaseGraph& g, Shape) {
    for (const Direction direction : kDirections)
      for (const bool weighted : {true, false}) {
        KatzOptions options;
        options.direction = direction;
        options.weighted = weighted;
        if (turn++ % 3 == 0) options.filter.kinds = {kLink, kHasTag};
        options.run.executor = NextExecutor();
        const auto flat = g.Flat(options.filter.kinds);
        const auto got = Katz(g.snapshot(), options);
        ASSERT_TRUE(got.has_value()) << got.error().ToString();
        EXPECT_TRUE(got->converged);
        EXPECT_LE(got->alpha * got->radius, 0.5 + 1e-6);
        const auto want = reference::Katz(flat, got->alpha, weighted, direction, 400);
        ExpectNear(got->scores, want, 2e-9);
        options.alpha = got->radius > 0 ? 0.9 / got->radius : 0.5;
        options.tolerance = 0.05;
        const auto rough = Katz(g.snapshot(), options);
        ASSERT_TRUE(rough.has_value()) << rough.error().ToString();
        ASSERT_LE(rough->error, 0.05);
        const auto fixed = reference::Katz(flat, options.alpha, weighted, direction, 2000);
        double squares = 0;
        for (NodeId v = 0; v < fixed.size(); ++v) {
          ASSERT_LE(std::abs(rough->scores[v] - fixed[v]),
                    rough->error * rough->scores[v] + 1e-12 * (1 + fixed[v]))
              << v;
          squares += rough->scores[v] * rough->scores[v];
        }
        EXPECT_NEAR(rough->norm, std::sqrt(squares), 1e-9 * (1 + rough->norm));
      }
  });
}

// A star of k leaves has the radius sqrt(k), a cycle 1, a chain 0.
TEST(Katz, RefusesWhatDoesNotConverge) {
  CaseGraph star;
  star.AddNodes(101);
  for (std::size_t leaf = 1; leaf <= 100; ++leaf) star.Link(0, kLink, leaf);
  star.Commit();
  KatzOptions options;
  options.direction = Direction::kBoth;
  const auto found = Katz(star.snapshot(), options);
  ASSERT_TRUE(found.has_value());
  EXPECT_GE(found->radius, 10);
  EXPECT_LT(found->radius, 13);
  options.alpha = 0.0999;
  options.max_iterations = 100'000;
  EXPECT_TRUE(Katz(star.snapshot(), options)->converged);
  options.max_iterations = 50;
  const auto cut = Katz(star.snapshot(), options);
  EXPECT_TRUE(cut->truncated);
  EXPECT_FALSE(cut->converged);
  options.max_iterations = 100'000;
  for (const double alpha : {0.1001, 0.11, 5.0}) {
    options.alpha = alpha;
    const auto refused = Katz(star.snapshot(), options);
    ASSERT_FALSE(refused.has_value()) << alpha;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(refused.error().message.find("spectral radius is at least"), std::string::npos)
        << refused.error().message;
  }
  CaseGraph chain;
  chain.AddNodes(20);
  for (std::size_t v = 0; v + 1 < 20; ++v) chain.Link(v, kLink, v + 1);
  chain.Commit();
  options = {};
  options.alpha = 3;  // walks end: finite at any alpha
  const auto walks = Katz(chain.snapshot(), options);
  ASSERT_TRUE(walks.has_value()) << walks.error().ToString();
  EXPECT_EQ(walks->scores[1], 4);
  EXPECT_EQ(walks->scores[19], (std::pow(3, 20) - 1) / 2);
  options.alpha = 1e200;
  EXPECT_FALSE(Katz(chain.snapshot(), options).has_value());
  EXPECT_FALSE(Katz(chain.snapshot(), {.alpha = -1}).has_value());
  EXPECT_FALSE(Katz(chain.snapshot(), {.tolerance = 0}).has_value());
  EXPECT_FALSE(Katz(chain.snapshot(), {.max_iterations = 0}).has_value());
  const std::atomic<bool> stop = true;
  options.alpha = 0;
  options.run.budget.cancel = &stop;
  EXPECT_TRUE(Katz(chain.snapshot(), options)->truncated);
}

// Whatever alpha was being tried, the one that is reported has the scores.
TEST(Katz, TheBudgetEndsBeforeAlphaIsFound) {
  CaseGraph complete;
  complete.AddNodes(7);
  for (std::size_t v = 0; v < 6; ++v)
    for (std::size_t u = 0; u < 6; ++u)
      if (u != v) complete.Link(v, kLink, u);
  complete.Commit();
  KatzOptions options;
  for (options.run.budget.edges = 0; options.run.budget.edges < 1000;
       options.run.budget.edges += 30) {
    const auto got = Katz(complete.snapshot(), options);
    ASSERT_TRUE(got.has_value()) << got.error().ToString();
    if (got->alpha > 0) break;
    EXPECT_TRUE(got->truncated);
    EXPECT_EQ(got->scores, std::vector<double>(7, 1.0));
    EXPECT_EQ(got->norm, std::sqrt(7.0));
    EXPECT_EQ(std::isfinite(got->radius), got->iterations > 0);
  }
  EXPECT_GT(options.run.budget.edges, 150u);
  EXPECT_LT(options.run.budget.edges, 1000u);
}

// A cycle has the radius 1 whatever alpha is; 1 + alpha * x - 1 is not x.
TEST(Katz, TinyAlphasKeepTheRadius) {
  CaseGraph cycle;
  cycle.AddNodes(3);
  for (std::size_t v = 0; v < 3; ++v) cycle.Link(v, kLink, (v + 1) % 3);
  cycle.Commit();
  KatzOptions options;
  options.tolerance = 0x1p-50;
  for (options.alpha = 0.1; options.alpha > 1e-300; options.alpha /= 7) {
    const auto got = Katz(cycle.snapshot(), options);
    ASSERT_TRUE(got.has_value() && got->converged);
    ASSERT_GE(got->radius, 1) << options.alpha;
    ASSERT_LE(got->radius, 1 + 1e-8) << options.alpha;
  }
}

// Scores up to 10^199: their squares leave f64, their norm does not.
TEST(Katz, NormOfLargeScores) {
  CaseGraph chain;
  chain.AddNodes(200);
  for (std::size_t v = 0; v + 1 < 200; ++v) chain.Link(v, kLink, v + 1);
  chain.Commit();
  const auto got = Katz(chain.snapshot(), {.alpha = 10});
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  EXPECT_NEAR(got->norm / got->scores[199], std::sqrt(1 / 0.99), 1e-12);
}

// `layers` of `width` nodes, each joined to all of the next by arcs of one weight; `lonely` nodes
// more.
CaseGraph Layers(std::size_t layers, std::size_t width, float weight, std::size_t lonely = 0) {
  CaseGraph g;
  g.AddNodes(layers * width + lonely);
  for (std::size_t layer = 0; layer + 1 < layers; ++layer)
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t j = 0; j < width; ++j)
        g.Link(layer * width + i, kLink, (layer + 1) * width + j, weight);
  g.Commit();
  return g;
}

double DefaultAlpha(const CaseGraph& g, const KatzOptions& options = {}) {
  const auto got = Katz(g.snapshot(), options);
  EXPECT_TRUE(got.has_value() && got->converged);
  return got.has_value() ? got->alpha : 0;
}

// What walks of 1 to 8 arcs add at this alpha, and how many nodes they lead to.
struct Walks {
  double added = 0, reached = 0;
};
Walks WalksOf(const CaseGraph& g, const KatzOptions& options, double alpha) {
  const auto flat = g.Flat(options.filter.kinds);
  const auto sum = [](const std::vector<double>& all) {
    double total = 0;
    for (const double x : all) total += x;
    return total;
  };
  Walks walks;
  const auto one =
      reference::Katz(flat, alpha, options.weighted, options.direction, 2);  // of 0 and 1 arcs
  for (NodeId v = 0; v < one.size(); ++v) walks.reached += one[v] > 1;
  double selected = 0;
  for (const bool is : flat.selected) selected += is;
  walks.added =
      sum(reference::Katz(flat, alpha, options.weighted, options.direction, 9)) - selected;
  return walks;
}

// Chains and trees away from their root: half of the largest weight, to the bit, whatever is
// appended to them.
TEST(Katz, DefaultAlphaOfChainsAndTrees) {
  for (const std::size_t length : {2u, 3u, 9u, 10u, 65u, 200u}) {
    EXPECT_EQ(DefaultAlpha(Layers(length, 1, 1)), 0.5) << length;
    EXPECT_EQ(DefaultAlpha(Layers(length, 1, 4, 100)), 0.125) << length;
  }
  CaseGraph tree;
  tree.AddNodes(300);
  for (std::size_t v = 1; v < 300; ++v) tree.Link((v - 1) / 3, kLink, v, v % 7 == 0 ? 1.0f : 0.25f);
  tree.Commit();
  EXPECT_EQ(DefaultAlpha(tree), 0.5);
  CaseGraph empty;
  empty.AddNodes(3);
  empty.Commit();
  EXPECT_EQ(DefaultAlpha(empty), 0.5);
}

// Without cycles, yet with many walks: by those of up to 8 arcs; little changes with a layer more,
// with a weak cycle, and nothing with the unit or with nodes that have no edges.
TEST(Katz, DefaultAlphaOfLayersFollowsTheirWalks) {
  double before = 0;
  for (std::size_t layers = 3; layers <= 40; ++layers) {
    const CaseGraph g = Layers(layers, 5, 1);
    const double alpha = DefaultAlpha(g);
    EXPECT_LE(alpha, 0.5);
    const Walks walks = WalksOf(g, {}, alpha);
    EXPECT_LE(walks.added, walks.reached * (1 + 1e-9)) << layers;
    if (layers <= 8) {
      EXPECT_NEAR(walks.added, walks.reached, 1e-9 * walks.reached) << layers;
    }
    if (before > 0) {
      EXPECT_NEAR(alpha / before, 0.875, 0.126) << layers;
    }
    before = alpha;
  }
  const double alpha = DefaultAlpha(Layers(5, 5, 1));
  EXPECT_EQ(DefaultAlpha(Layers(5, 5, 0x1p-10f)), alpha * 0x1p10);
  EXPECT_EQ(DefaultAlpha(Layers(5, 5, 1, 1000)), alpha);
  CaseGraph cycle = Layers(5, 5, 1);
  cycle.Link(24, kLink, 5, 1e-9f);
  cycle.Commit();
  EXPECT_NEAR(DefaultAlpha(cycle), alpha, 1e-7);
}

// Never above any of the three bounds; where edges are symmetric, that of the radius alone.
TEST(Katz, DefaultAlphaKeepsItsBounds) {
  ForEachCase(SmallCases(), [&](const CaseGraph& g, Shape) {
    for (const Direction direction : kDirections) {
      KatzOptions options;
      options.direction = direction;
      const auto got = Katz(g.snapshot(), options);
      ASSERT_TRUE(got.has_value()) << got.error().ToString();
      const Walks walks = WalksOf(g, options, got->alpha);
      ASSERT_LE(walks.added, walks.reached * (1 + 1e-6));
      ASSERT_LE(got->alpha * got->radius, 0.5 + 1e-6);
    }
  });
  CaseGraph star;
  star.AddNodes(50);
  for (std::size_t leaf = 1; leaf < 50; ++leaf) star.Link(0, kLink, leaf, 0.3f);
  star.Commit();
  KatzOptions options;
  options.direction = Direction::kBoth;
  const auto got = Katz(star.snapshot(), options);
  EXPECT_NEAR(got->alpha, 0.5 / (7 * 0.3), 0.06 * got->alpha);
  EXPECT_LE(got->alpha, 0.5 / (7 * 0.3) * (1 + 1e-6));
}

}  // namespace
}  // namespace plexus::testing
