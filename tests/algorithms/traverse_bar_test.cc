// Traverse's bar: that it cuts, that it and budgets change no proof, what it knows of weights.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <vector>

#include "algorithms/internal/weight_bound.h"
#include "algorithms/traverse.h"
#include "tests/algorithms/case_graph.h"

namespace plexus::testing {
namespace {

TraverseResult Query(const Snapshot& s, const std::vector<TraverseSeed>& seeds,
                     const TraverseOptions& options) {
  auto result = Traverse(s, seeds, options);
  if (!result) ADD_FAILURE() << result.error().ToString();
  return result ? *std::move(result) : TraverseResult{};
}

void ExpectPrefix(const TraverseResult& some, const TraverseResult& all, std::size_t top) {
  ASSERT_EQ(some.hits.size(), std::min(top, all.hits.size()));
  for (std::size_t i = 0; i < some.hits.size(); ++i) {
    ASSERT_EQ(some.hits[i].node, all.hits[i].node) << i;
    ASSERT_EQ(some.hits[i].score, all.hits[i].score) << i;
    ASSERT_EQ(some.hits[i].hops, all.hits[i].hops) << i;
    ASSERT_EQ(some.hits[i].seed, all.hits[i].seed) << i;
    ASSERT_EQ(some.hits[i].path, all.hits[i].path) << i;
  }
}

// A hub whose best neighbour leaves nothing to the others.
TEST(Traverse, TheBarCuts) {
  for (bool compact : {false, true}) {
    CaseGraph g;
    g.AddNodes(1500);
    for (std::size_t v = 1; v <= 400; ++v) {
      g.Link(0, kLink, v, v == 7 ? 1.0f : 0.25f);
      for (std::size_t k = 0; k < 3; ++k) g.Link(v, kLink, 401 + (v * 3 + k) % 1000, 0.5f);
    }
    g.Commit();
    if (compact) g.Compact();
    TraverseOptions options;
    options.top = 0;
    const TraverseResult all = Query(g.snapshot(), {{0, 1.0}}, options);
    options.top = 1;
    const TraverseResult some = Query(g.snapshot(), {{0, 1.0}}, options);
    ExpectPrefix(some, all, 1);
    EXPECT_EQ(all.edges, 1600u);
    EXPECT_LT(some.edges, 450u);
    EXPECT_LT(some.nodes, all.nodes);
  }
}

// Edges of equal weight both ways, of several kinds: a push and a pull, which the bar and a
// budget make of each other, show the same one.
TEST(Traverse, TheBarAndBudgetsKeepTheProofOfATie) {
  for (bool compact : {false, true}) {
    CaseGraph g;
    g.AddNodes(2500);
    const std::vector<TraverseSeed> seeds = {{0, 1.0}, {2400, 1.0}};  // the second: where the bar is first tried
    const KindId kinds[] = {kLink, kSupports, kRelatesTo, kCauses};
    for (std::size_t v = 1; v <= 300; ++v) {
      g.Link(0, kLink, v, v % 100 == 0 ? 1.0f : 0.5f);
      for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t to = 301 + (v * 7 + k) % 2000;
        g.Link(v, kinds[k], to);
        g.Link(to, kinds[(k + v) % 4], v);
        g.Link(to, kinds[(k + v + 1) % 4], v, 1.0f, "other");
      }
    }
    g.Commit();
    if (compact) g.Compact();
    for (Aggregate aggregate : {Aggregate::kMax, Aggregate::kMin, Aggregate::kSum, Aggregate::kNoisyOr}) {
      TraverseOptions options;
      options.direction = Direction::kBoth;
      options.aggregate = aggregate;
      options.hops = 2;
      options.top = 0;
      const TraverseResult pulled = Query(g.snapshot(), seeds, options);
      options.budget.nodes = pulled.nodes;  // no room for a pull
      const TraverseResult pushed = Query(g.snapshot(), seeds, options);
      ASSERT_FALSE(pushed.truncated);
      if (aggregate == Aggregate::kMax || aggregate == Aggregate::kMin) {
        ExpectPrefix(pushed, pulled, pulled.hits.size());
      } else {
        std::map<NodeId, const TraverseHit*> by_node;
        for (const TraverseHit& hit : pushed.hits) by_node[hit.node] = &hit;
        ASSERT_EQ(by_node.size(), pulled.hits.size());
        for (const TraverseHit& hit : pulled.hits) {
          ASSERT_NEAR(by_node.at(hit.node)->score, hit.score, 1e-12 * hit.score);
          ASSERT_EQ(by_node.at(hit.node)->path, hit.path);
        }
      }
      options.budget = {};
      options.top = 3;
      const TraverseResult some = Query(g.snapshot(), seeds, options);
      ExpectPrefix(some, pulled, 3);
      if (aggregate == Aggregate::kMax) {
        EXPECT_LT(some.edges, pulled.edges);
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// A part whose weights are known needs no look at them, so no time either; others do.
TEST(WeightBound, IsKnownOfManyGraphsAndStopsWhenAsked) {
  std::atomic<bool> cancel = true;
  Budget stopped;
  stopped.cancel = &cancel;
  std::vector<Snapshot> snapshots;
  for (int i = 0; i < 150; ++i) {
    CaseGraph g;
    g.AddNodes(2);
    g.Link(0, kLink, 1, 0.5f + static_cast<float>(i));
    g.Commit();
    if (i % 2 == 0) g.Compact();
    snapshots.push_back(g.snapshot());
    EXPECT_FALSE(internal::LargestWeight(snapshots.back(), ArcFilter(), stopped, DefaultExecutor()).has_value());
    EXPECT_TRUE(internal::LargestWeight(snapshots.back(), ArcFilter(), {}, DefaultExecutor()).has_value());
  }
  for (std::size_t i = 0; i < snapshots.size(); ++i)
    EXPECT_EQ(internal::LargestWeight(snapshots[i], ArcFilter(), stopped, DefaultExecutor()), 0.5f + static_cast<float>(i));
}

}  // namespace
}  // namespace plexus::testing
