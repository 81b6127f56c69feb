// Self-loops count once either way, pushed or pulled; and whether there are cycles at all.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "algorithms/centrality/centrality.h"
#include "algorithms/centrality/internal/cycle_check.h"
#include "algorithms/community/community.h"
#include "algorithms/traversal/traversal.h"
#include "tests/support/case_graph.h"

namespace plexus::testing {
using namespace builtin;
using namespace centrality;
using namespace community;
using namespace traversal;
namespace {

// x -> x, x -> y. Either way that is the undirected graph with A_xx = A_xy = 1.
TEST(Loops, AreOneArcEitherWay) {
  CaseGraph g;
  g.AddNodes(2);
  g.Link(0, kLink, 0);
  g.Link(0, kLink, 1);
  for (const bool compact : {false, true}) {
    g.Commit();
    if (compact) g.Compact();
    const Snapshot s = g.snapshot();
    const auto katz = Katz(s, {.alpha = 0.1, .direction = Direction::kBoth});
    ASSERT_TRUE(katz.has_value());
    EXPECT_NEAR(katz->scores[0], 1.1 / 0.89, 1e-9);
    EXPECT_NEAR(katz->scores[1], 1 + 0.11 / 0.89, 1e-9);
    const auto eigen = Eigenvector(s, {.direction = Direction::kBoth});
    EXPECT_NEAR(eigen->eigenvalue, (1 + std::sqrt(5.0)) / 2, 1e-8);
    for (const Direction direction : {Direction::kIn, Direction::kBoth}) {
      TraverseOptions options;
      options.hops = 2;
      options.direction = direction;
      options.aggregate = Aggregate::kSum;
      const auto found = Traverse(s, std::vector<NodeWeight>{{1, 1.0}}, options);
      ASSERT_EQ(found->hits.size(), 1u);
      EXPECT_EQ(found->hits[0].score, 2);  // y x, and y x x
    }
    // 2m = 4: the loop has two ends, as modularity has it. One community: 4/4 - 1; apart: 2/4 - (9
    // + 1)/16.
    EXPECT_NEAR(*Modularity(s, std::vector<std::uint32_t>{0, 0}), 0, 1e-12);
    EXPECT_NEAR(*Modularity(s, std::vector<std::uint32_t>{0, 1}), -0.125, 1e-12);
  }
}

// A layer of a small graph is pushed, of a large one pulled; the proof is the same: of loops of
// several kinds the one that the out row has first.
TEST(Loops, ArePushedAndPulledAlike) {
  for (const std::size_t nodes : {std::size_t{64}, std::size_t{4096}}) {
    CaseGraph g;
    EdgeKind kind;
    kind.name = "echoes";
    const EdgeKindId echoes = g.DefineKind(kind);
    kind.name = "peers";
    kind.symmetric = true;
    const EdgeKindId peers = g.DefineKind(kind);
    ASSERT_LT(kLink, peers);
    g.AddNodes(nodes);
    std::vector<NodeWeight> seeds;
    for (std::size_t v = 0; v < nodes; ++v) {
      for (const EdgeKindId loop : {echoes, peers, kLink}) g.Link(v, loop, v, 2.0f);
      g.Link(v, kLink, (v + 1) % nodes, 0.5f);
      seeds.push_back({static_cast<NodeId>(v), 1.0});
    }
    g.Commit();
    TraverseOptions options;
    options.hops = 2;
    options.direction = Direction::kBoth;
    options.include_seeds = true;
    options.top = 0;
    const auto best = Traverse(g.snapshot(), seeds, options);
    ASSERT_EQ(best->hits.size(), nodes);
    options.aggregate = Aggregate::kSum;
    const auto sums = Traverse(g.snapshot(), seeds, options);
    ASSERT_EQ(sums->hits.size(), nodes);
    for (std::size_t v = 0; v < nodes; ++v) {
      for (const auto& found : {&*best, &*sums}) {
        ASSERT_EQ(found->hits[v].path.size(), 2u);
        for (const PathEdge& edge : found->hits[v].path)
          ASSERT_EQ(edge.kind, kLink) << nodes << ' ' << v;
      }
      ASSERT_EQ(best->hits[v].score, 4);
      ASSERT_EQ(sums->hits[v].score, 1 + 7 + 49);  // three loops of 2 and two edges of 0.5 a step
    }
  }
}

TEST(Cycles, AreFoundAnywhere) {
  const auto ask = [](std::vector<std::uint32_t> offsets, std::vector<NodeId> neighbors,
                      std::vector<float> weights, std::vector<double> x) {
    return centrality::internal::HasCycle(CsrView{offsets, neighbors, weights, {}, {}}, x);
  };
  EXPECT_FALSE(ask({0}, {}, {}, {}));
  EXPECT_FALSE(ask({0, 0}, {}, {}, {1}));
  EXPECT_TRUE(ask({0, 1}, {0}, {}, {1}));
  EXPECT_FALSE(ask({0, 1}, {0}, {0}, {1}));                   // a weight of 0 is no arc
  EXPECT_FALSE(ask({0, 2, 3, 3}, {1, 2, 2}, {}, {1, 1, 1}));  // 0 1 2, 0 2
  EXPECT_TRUE(
      ask({0, 1, 1, 2, 3}, {1, 3, 2}, {}, {9, 9, 0, 0}));  // the walk ends at 1, 2 3 2 is elsewhere
  EXPECT_TRUE(ask({0, 1, 2, 3, 4}, {1, 2, 3, 1}, {}, {9, 1, 1, 1}));  // a tail before the cycle
  EXPECT_FALSE(ask({0, 1, 1, 2, 3}, {1, 3, 2}, {1, 1, 0}, {9, 9, 0, 0}));
}

TEST(Cycles, WithoutOneThereIsNoEigenvector) {
  CaseGraph g;
  constexpr std::size_t kLong = 20'000;
  g.AddNodes(kLong);
  for (std::size_t v = 1; v < kLong; ++v) g.Link(v - 1, kLink, v, 0.9f);
  g.Commit();
  for (const int most : {3, 16, 1000}) {
    const auto none = Eigenvector(g.snapshot(), {.max_iterations = most});
    ASSERT_TRUE(none.has_value());
    EXPECT_TRUE(none->acyclic && none->converged) << most;
    EXPECT_FALSE(none->truncated);
    EXPECT_LE(none->iterations, 16);
    EXPECT_EQ(none->eigenvalue, 0);
    EXPECT_EQ(none->scores, std::vector<double>(kLong, 0.0));
  }
  Budget budget;
  budget.edges = 5 * kLong;  // ran out before anybody looked
  const auto cut = Eigenvector(g.snapshot(), {.run = {.budget = budget}});
  EXPECT_TRUE(cut->truncated);
  EXPECT_FALSE(cut->acyclic || cut->converged);
  g.Link(kLong - 1, kLink, kLong - 2, 0.9f);
  g.Commit();
  const auto some = Eigenvector(g.snapshot());
  ASSERT_TRUE(some.has_value());
  EXPECT_FALSE(some->acyclic);
  EXPECT_GT(some->scores[kLong - 1], 0);
}

}  // namespace
}  // namespace plexus::testing
