// Closeness, eigenvector centrality and HITS against their definitions; Katz is in katz_test.cc.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <optional>
#include <random>

#include "algorithms/centrality/centrality.h"
#include "algorithms/centrality/internal/batched_distance_sums.h"
#include "algorithms/common/common.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"
#include "tests/support/near_scores.h"

namespace plexus::testing {
using namespace builtin;
using namespace centrality;
namespace {

struct WantedCloseness {
  std::vector<double> closeness, harmonic, reached;
};
WantedCloseness Wanted(const CaseGraph& g, const ClosenessOptions& options) {
  const auto flat = g.Flat(options.filter.kinds, options.filter.subset, options.filter.valid_at);
  double n = 0;
  for (bool selected : flat.selected) n += selected;
  WantedCloseness want;
  for (const auto& c : reference::Closenesses(flat, options.direction, options.max_hops)) {
    const double r = static_cast<double>(c.reached), d = static_cast<double>(c.distances);
    want.closeness.push_back(d == 0 ? 0 : r / d * (options.scaled ? r / (n - 1) : 1));
    want.harmonic.push_back(c.harmonic);
    want.reached.push_back(r);
  }
  return want;
}

void CheckCloseness(const CaseGraph& g, ClosenessOptions options) {
  const WantedCloseness want = Wanted(g, options);
  const auto got = Closeness(g.snapshot(), options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  EXPECT_TRUE(got->exact);
  EXPECT_FALSE(got->truncated);
  EXPECT_EQ(got->bound, 0);
  ASSERT_EQ(got->reached, want.reached);
  ExpectNear(got->closeness, want.closeness, 1e-14);
  ExpectNear(got->harmonic, want.harmonic, 1e-14);
  const auto flat = g.Flat(options.filter.kinds, options.filter.subset, options.filter.valid_at);
  for (NodeId v = 0; v < flat.node_count(); v += 3)
    if (flat.selected[v]) options.of.push_back(v);
  if (options.of.empty()) return;
  const auto some = Closeness(g.snapshot(), options);
  ASSERT_TRUE(some.has_value()) << some.error().ToString();
  for (NodeId v = 0; v < flat.node_count(); ++v) {
    const bool asked = v % 3 == 0 && flat.selected[v];
    ASSERT_EQ(some->closeness[v], asked ? got->closeness[v] : 0);  // the very bits
    ASSERT_EQ(some->harmonic[v], asked ? got->harmonic[v] : 0);
  }
}

TEST(Closeness, EqualsOneSearchANode) {
  ForEachCase(SmallCases(), [](const CaseGraph& g, Shape) {
    std::vector<NodeId> inside;
    for (NodeId v = 0; v < g.snapshot().node_count(); ++v)
      if (v % 4 != 2) inside.push_back(v);
    const NodeSubset subset = *NodeSubset::Of(g.snapshot(), inside);
    for (const Direction direction : kDirections) {
      ClosenessOptions options;
      options.direction = direction;
      options.run.executor = NextExecutor();
      CheckCloseness(g, options);
      options.filter.kinds = {kLink, kHasTag};
      options.max_hops = 2;
      CheckCloseness(g, options);
      options.scaled = false;
      options.filter.subset = &subset;
      CheckCloseness(g, options);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(Closeness, TheBoundsHold) {
  const Case c{"random", 1, [](CaseGraph& graph, int) {
                 std::mt19937_64 random(8);
                 graph.AddNodes(1000);
                 for (int i = 0; i < 2500; ++i) graph.Link(random() % 1000, kLink, random() % 1000);
               }};
  const CaseGraph g = Build(c, Shape::kClean);
  for (const Direction direction : kDirections)
    for (const bool scaled : {true, false}) {
      ClosenessOptions options;
      options.direction = direction;
      options.scaled = scaled;
      options.max_hops = 12;
      const auto exact = Closeness(g.snapshot(), options);
      ASSERT_TRUE(exact.has_value() && exact->exact);
      options.samples = 500;
      for (options.seed = 1; options.seed <= 3; ++options.seed) {
        const auto got = Closeness(g.snapshot(), options);
        ASSERT_TRUE(got.has_value());
        EXPECT_GT(got->bound, 0.05);
        EXPECT_LT(got->bound, 0.15);
        EXPECT_LE(got->longest, 12u);
        double largest = 0;
        for (NodeId v = 0; v < 1000; ++v) {
          ASSERT_LE(std::abs(got->harmonic[v] - exact->harmonic[v]) / 999, got->bound);
          ASSERT_LE(std::abs(got->reached[v] - exact->reached[v]) / 999, got->bound);
          ASSERT_LE(std::abs(got->closeness[v] - exact->closeness[v]), got->closeness_bound);
          largest = std::max(largest, std::abs(got->harmonic[v] - exact->harmonic[v]) / 999);
        }
        EXPECT_GT(largest, 0);
      }
    }
}

// A search of many levels looks at its budget inside, and one that was stopped leaves no trace.
TEST(Closeness, OneSearchStopsInside) {
  CaseGraph g;
  constexpr std::size_t kNodes = 40'000;
  g.AddNodes(kNodes);
  for (std::size_t v = 0; v < kNodes; ++v) g.Link(v, kLink, (v + 1) % kNodes);
  g.Commit();
  const auto view = DenseView::Make(g.snapshot());
  ASSERT_TRUE(view.has_value());
  centrality::internal::BatchedDistanceSums search(view->out(), view->in());
  const NodeId sources[] = {0, 7};
  std::atomic<bool> stop = true;
  EXPECT_FALSE(search.Search(sources, 0xFFFFFFFFu, {.cancel = &stop}));
  for (const auto& sums : search.sums()) ASSERT_EQ(sums.reached + sums.distances, 0u);
  stop = false;
  EXPECT_EQ(search.Search(sources, 0xFFFFFFFFu, {.cancel = &stop}), kNodes - 1);
  EXPECT_EQ(search.sums()[0].reached, 1u);  // by the other source
  EXPECT_EQ(search.sums()[0].distances, kNodes - 7);
  EXPECT_EQ(search.sums()[8].distances, 8u + 1u);
}

TEST(Closeness, StoppedAndErrors) {
  const std::atomic<bool> stop = true;
  ClosenessOptions options;
  options.run.budget.cancel = &stop;
  const auto got = Closeness(Large(0, Shape::kClean).snapshot(), options);
  EXPECT_TRUE(got->truncated);
  EXPECT_EQ(got->sources, 0u);
  EXPECT_EQ(got->bound, 1);
  options.of = {5};
  const auto one = Closeness(Large(0, Shape::kClean).snapshot(), options);
  EXPECT_TRUE(one->truncated);
  EXPECT_FALSE(one->exact);
  EXPECT_EQ(one->sources, 0u);
  EXPECT_EQ(one->bound, 1);
  EXPECT_EQ(one->closeness_bound, 1);
  CaseGraph g;
  g.AddNodes(2);
  g.Commit();
  EXPECT_FALSE(Closeness(g.snapshot(), {.of = {2}}).has_value());
}

TEST(Eigenvector, EqualsTheReferenceAtItsEnd) {
  int converged = 0, asked = 0;
  ForEachCase(SmallCases(), [&](const CaseGraph& g, Shape) {
    for (const Direction direction : kDirections) {
      EigenvectorOptions options;
      options.direction = direction;
      options.max_iterations = 3000;
      options.tolerance = 1e-13;
      const auto got = Eigenvector(g.snapshot(), options);
      ASSERT_TRUE(got.has_value()) << got.error().ToString();
      const auto flat = g.Flat();
      if (flat.arcs.empty()) {
        EXPECT_TRUE(got->converged);
        continue;
      }
      ++asked;
      if (!got->converged) continue;
      ++converged;
      EXPECT_EQ(got->acyclic, !reference::HasCycle(flat, direction));
      const std::vector<double> none(flat.node_count(), 0.0);
      ExpectNear(got->scores, got->acyclic ? none : reference::Eigenvector(flat, true, direction),
                 1e-9);
    }
  });
  EXPECT_GT(converged, asked / 2);
  CaseGraph star;
  star.AddNodes(101);
  for (std::size_t leaf = 1; leaf <= 100; ++leaf) star.Link(0, kLink, leaf);
  star.Commit();
  const auto got = Eigenvector(star.snapshot(), {.direction = Direction::kBoth});
  ASSERT_TRUE(got.has_value());
  EXPECT_TRUE(got->converged);
  EXPECT_NEAR(got->eigenvalue, 10, 1e-8);
  EXPECT_NEAR(got->scores[0], std::sqrt(0.5), 1e-8);
}

// A star of 100 leaves: the hub has sqrt(1/2), its leaves a tenth of that, in any unit.
TEST(Eigenvector, AnyUnitOfWeights) {
  for (const float weight : {1e-12f, 1e-6f, 1.0f, 10.0f, 1e10f}) {
    CaseGraph star;
    star.AddNodes(101);
    for (std::size_t leaf = 1; leaf <= 100; ++leaf) star.Link(0, kLink, leaf, weight);
    star.Commit();
    const auto got = Eigenvector(star.snapshot(), {.direction = Direction::kBoth});
    ASSERT_TRUE(got.has_value());
    EXPECT_TRUE(got->converged) << weight;
    EXPECT_NEAR(got->eigenvalue / static_cast<double>(weight), 10, 1e-7) << weight;
    EXPECT_NEAR(got->scores[0], std::sqrt(0.5), 1e-8) << weight;
    EXPECT_NEAR(got->scores[7], std::sqrt(0.5) / 10, 1e-8) << weight;
  }
}

TEST(Hits, EqualsTheReferenceAtItsEnd) {
  std::size_t turn = 0;
  int converged = 0, asked = 0;
  ForEachCase(SmallCases(), [&](const CaseGraph& g, Shape) {
    for (const bool weighted : {true, false}) {
      HitsOptions options;
      options.weighted = weighted;
      options.max_iterations = 3000;
      options.tolerance = 1e-13;
      if (turn++ % 3 == 0) options.filter.kinds = {kLink, kHasTag};
      options.run.executor = NextExecutor();
      const auto got = Hits(g.snapshot(), options);
      ASSERT_TRUE(got.has_value()) << got.error().ToString();
      ++asked;
      if (!got->converged) continue;
      ++converged;
      const auto want = reference::Hits(g.Flat(options.filter.kinds), weighted);
      ExpectNear(got->authorities, want.authorities, 1e-9);
      if (got->iterations > 0) ExpectNear(got->hubs, want.hubs, 1e-9);
    }
  });
  EXPECT_GT(converged, asked / 2);
  // Two hubs over three authorities, one of them shared.
  CaseGraph g;
  g.AddNodes(5);
  for (std::size_t target : {2, 3}) g.Link(0, kLink, target);
  for (std::size_t target : {3, 4}) g.Link(1, kLink, target);
  g.Commit();
  const auto got = Hits(g.snapshot());
  ASSERT_TRUE(got.has_value() && got->converged);
  EXPECT_EQ(got->hubs, (std::vector<double>{0.5, 0.5, 0, 0, 0}));
  EXPECT_EQ(got->authorities, (std::vector<double>{0, 0, 0.25, 0.5, 0.25}));
  EXPECT_FALSE(Hits(g.snapshot(), {.tolerance = -1}).has_value());
  EXPECT_FALSE(Hits(g.snapshot(), {.max_iterations = 0}).has_value());
  HitsOptions few;
  few.run.budget.edges = 7;
  EXPECT_TRUE(Hits(g.snapshot(), few)->truncated);
}

}  // namespace
}  // namespace plexus::testing
