// Traverse's threshold: that it cuts, that it and budgets change no proof, what it knows of
// weights.
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "algorithms/traversal/internal/layered_search.h"
#include "algorithms/traversal/traversal.h"
#include "tests/algorithms/traversal/traverse_query.h"
#include "tests/support/case_graph.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace traversal;
namespace {

// What is left out because it cannot be among the best is never missed.
TEST(Traverse, ThresholdChangesNoResult) {
  const auto executors = Executors();
  for (std::size_t which = 0; which < kLargeCases; ++which)
    for (Shape shape : kShapes) {
      const Snapshot s = Large(which, shape).snapshot();
      std::vector<NodeId> most;
      for (NodeId v = 0; v < s.node_count(); ++v)
        if (v % 5 != 4) most.push_back(v);
      const NodeSubset subset = *NodeSubset::Of(s, most);
      for (Direction direction : {Direction::kOut, Direction::kBoth})
        for (int variant = 0; variant < 4; ++variant) {
          TraverseOptions options;
          options.direction = direction;
          options.hops = 2 + variant;
          if (direction == Direction::kOut && variant % 2) options.direction = Direction::kIn;
          options.run.executor = executors[static_cast<std::size_t>(variant) % 3].executor.get();
          options.include_seeds = variant == 1;
          if (variant == 1) options.filter.kinds = {kLink, kSupports};
          if (variant == 2) options.filter.subset = &subset;
          if (variant == 3) options.decay = 0.75;
          std::vector<NodeWeight> seeds;
          for (NodeId v = 0; seeds.size() < (variant == 2 ? 3u : 1u); ++v)
            if (s.alive(v)) seeds.push_back({v, seeds.empty() ? 1.0 : 0.75});
          options.top = 0;
          const TraverseResult all = Query(s, seeds, options);
          for (std::size_t top : {3, 200}) {
            options.top = top;
            const TraverseResult some = Query(s, seeds, options);
            ExpectPrefix(some, all, top);
            EXPECT_LE(some.edges, all.edges);
            if (::testing::Test::HasFailure()) {
              ADD_FAILURE() << which << " " << shape << " direction " << static_cast<int>(direction)
                            << " variant " << variant << " top " << top;
              return;
            }
          }
        }
    }
}

// One weight above 1, even in a batch just added, and a walk may grow again.
TEST(Traverse, NoThresholdWhereWeightsExceedOne) {
  CaseGraph g;
  g.AddNodes(1000);
  for (std::size_t v = 1; v < 998; ++v) g.Link(0, kLink, v, 0.5f + static_cast<float>(v) / 2000.0f);
  g.Link(1, kLink, 998, 1.0f);
  g.Commit();
  g.Compact();
  TraverseOptions options;
  options.top = 3;
  EXPECT_EQ(Query(g.snapshot(), {{0, 1.0}}, options).hits[0].node, 997u);
  g.Link(998, kSupports, 999, 64.0f);
  g.Commit();
  const TraverseResult grown = Query(g.snapshot(), {{0, 1.0}}, options);
  EXPECT_EQ(grown.hits[0].node, 999u);
  EXPECT_EQ(grown.hits[0].hops, 3);
  options.filter.kinds = {kLink};
  EXPECT_EQ(Query(g.snapshot(), {{0, 1.0}}, options).hits[0].node, 997u);
}

// A hub whose best neighbour leaves nothing to the others.
TEST(Traverse, ThresholdCutsWork) {
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

// Edges of equal weight both ways, of several kinds: a push and a pull, which the threshold and a
// budget make of each other, show the same one.
TEST(Traverse, ThresholdAndBudgetsKeepTheProofOfATie) {
  for (bool compact : {false, true}) {
    CaseGraph g;
    g.AddNodes(2500);
    const std::vector<NodeWeight> seeds = {
        {0, 1.0}, {2400, 1.0}};  // the second: where the threshold is first tried
    const EdgeKindId kinds[] = {kLink, kSupports, kRelatesTo, kCauses};
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
    for (Aggregate aggregate :
         {Aggregate::kMax, Aggregate::kMin, Aggregate::kSum, Aggregate::kNoisyOr}) {
      TraverseOptions options;
      options.direction = Direction::kBoth;
      options.aggregate = aggregate;
      options.hops = 2;
      options.top = 0;
      const TraverseResult pulled = Query(g.snapshot(), seeds, options);
      options.run.budget.nodes = pulled.nodes;  // no room for a pull
      const TraverseResult pushed = Query(g.snapshot(), seeds, options);
      ASSERT_FALSE(pushed.truncated);
      ExpectPrefix(pushed, pulled, pulled.hits.size());
      options.run.budget = {};
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

// Runs, and a base whose weights are known, need no look at them, so no time either; others do.
TEST(MaxWeight, IsExactOnManyGraphsAndStopsOnCancel) {
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
    EXPECT_EQ(
        traversal::internal::MaxWeight(snapshots.back(), ArcFilter(), stopped, DefaultExecutor())
            .has_value(),
        i % 2 != 0);
    EXPECT_TRUE(traversal::internal::MaxWeight(snapshots.back(), ArcFilter(), {}, DefaultExecutor())
                    .has_value());
  }
  for (std::size_t i = 0; i < snapshots.size(); ++i)
    EXPECT_EQ(traversal::internal::MaxWeight(snapshots[i], ArcFilter(), stopped, DefaultExecutor()),
              0.5f + static_cast<float>(i));
}

}  // namespace
}  // namespace plexus::testing
