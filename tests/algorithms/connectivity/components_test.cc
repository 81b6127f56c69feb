// Weakly connected components against depth-first search.
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/connectivity/internal/connectivity_csr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "engine/bulk/topology.h"
#include "tests/reference/oracles.h"
#include "tests/support/cancelling_executor.h"
#include "tests/support/for_each_case.h"
#include "tests/support/ordered_executor.h"

namespace plexus::testing {
using namespace builtin;
using namespace connectivity;
namespace {

void CheckComponents(const CaseGraph& g, const ComponentsOptions& options) {
  const auto want = reference::Components(g.Flat(options.filter.kinds, options.filter.subset));
  const auto got = Components(g.snapshot(), options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  ASSERT_EQ(got->labels, want);
  std::map<NodeId, std::uint64_t> sizes;
  for (NodeId label : want)
    if (label != kNoNode) ++sizes[label];
  EXPECT_EQ(got->count, sizes.size());
  std::uint64_t largest = 0;
  NodeId label = kNoNode;
  for (auto [l, size] : sizes)
    if (size > largest) {
      largest = size;
      label = l;
    }
  EXPECT_EQ(got->largest, largest);
  EXPECT_EQ(got->largest_label, label);
}

TEST(Components, EqualsDepthFirstSearchAtAnyThreadCount) {
  ForEachGraph([](const CaseGraph& g, Shape) {
    ComponentsOptions options;
    options.run.executor = NextExecutor();
    CheckComponents(g, options);
    options.filter.kinds = {kSupports, kSimilar};
    CheckComponents(g, options);
    options.filter.kinds = {kHasTag};
    CheckComponents(g, options);
    const NodeSubset subset = SubsetOf(g.snapshot(), [](NodeId v) { return v % 3 != 0; });
    options.filter.kinds = {};
    options.filter.subset = &subset;
    CheckComponents(g, options);
  });
}

// The base arrays as they are, index plane and removed nodes included.
TEST(ComponentsCsr, EqualsDepthFirstSearchAtAnyThreadCount) {
  const auto executors = Executors();
  const auto check = [&](const CaseGraph& g, Shape shape) {
    if (shape != Shape::kClean) return;
    EdgeKinds all = {kHasTag};
    for (const auto& [identity, edge] : g.edges()) all.push_back(std::get<1>(identity));
    const auto want = reference::Components(g.Flat(all));
    const Snapshot s = g.snapshot();
    for (const auto& e : executors) {
      const auto got = ComponentsCsr(s.base_rows(Direction::kOut).Unweighted(),
                                     s.base_rows(Direction::kIn).Unweighted(), e.executor.get())
                           .value();
      ASSERT_EQ(got.size(), want.size());
      for (NodeId v = 0; v < got.size(); ++v)
        ASSERT_EQ(got[v], want[v] == kNoNode ? v : want[v]) << e.name;
    }
  };
  ForEachCase(SmallCases(), check);
  ForEachLarge(check);
}

// Sparse enough for many components of middling size, where the sampled arcs do
// not suffice and the largest one is not the first.
TEST(Components, ManyOfMiddlingSize) {
  const Case c{"paths", 1, [](CaseGraph& g, int) {
                 g.AddNodes(20000);
                 for (std::size_t v = 0; v < 20000; ++v) {
                   const std::size_t w = (v * 7919 + 13) % 20000;
                   if (v % 97 > 40 && v != w) g.Link(v, kLink, w);
                 }
               }};
  for (Shape shape : {Shape::kClean, Shape::kRuns}) CheckComponents(Build(c, shape), {});
}

// The smallest id of each node's component, by joining the pairs one by one.
std::vector<NodeId> ByUnions(NodeId nodes, const std::vector<NodePair>& pairs) {
  std::vector<NodeId> labels(nodes);
  std::iota(labels.begin(), labels.end(), NodeId{0});
  auto root = [&](NodeId v) {
    while (labels[v] != v) v = labels[v] = labels[labels[v]];
    return v;
  };
  for (const NodePair& pair : pairs) {
    const NodeId a = root(pair.source), b = root(pair.target);
    labels[std::max(a, b)] = std::min(a, b);
  }
  for (NodeId v = 0; v < nodes; ++v) labels[v] = root(v);
  return labels;
}

// Several blocks of nodes, few arcs each: near ids, far ids, chains against the order, and
// hubs, directed and not, against joining the pairs one by one: one thread's, all threads',
// and more arcs than the loops for small graphs take.
TEST(ComponentsCsr, FewArcsNearAndFar) {
  struct Size {
    NodeId nodes;
    std::size_t pairs;
  };
  std::mt19937_64 random(3);
  for (const auto [nodes, count] : {Size{70000, 30000}, Size{70000, 250000}, Size{140000, 100000},
                                    Size{140000, 250000}, Size{180000, 620000}})
    for (NodeId reach : {NodeId{3}, NodeId{40}, nodes}) {
      std::vector<NodePair> pairs;
      for (std::size_t i = 0; i < count; ++i) {
        const auto v = static_cast<NodeId>(random() % nodes);
        auto w = static_cast<NodeId>((v + 1 + random() % reach) % nodes);
        if (random() % 1000 == 0) w = static_cast<NodeId>(random() % 5);
        pairs.push_back(random() % 2 ? NodePair{v, w} : NodePair{w, v});
      }
      for (NodeId v = 20000; v < 40000; ++v) pairs.push_back({v, v - 1});
      const std::vector<NodeId> want = ByUnions(nodes, pairs);
      for (bool symmetrize : {false, true}) {
        if (symmetrize && count > 600000) continue;
        const auto graph = BuildTopology(nodes, pairs, {.symmetrize = symmetrize});
        ASSERT_TRUE(graph.has_value());
        for (const auto& e : Executors()) {
          const auto got = ComponentsCsr(graph->out(), graph->in(), e.executor.get()).value();
          ASSERT_TRUE(std::ranges::equal(got.span(), want))
              << e.name << ", " << reach << ", " << count << ", " << symmetrize;
        }
      }
    }
}

// Arcs enough that nodes take turns at linking their second ones: with a largest component and with
// many alike, islands of several nodes, nodes without arcs, rows that only lead up, nodes that only
// a hub leads to.
TEST(ComponentsCsr, ManyArcs) {
  constexpr NodeId kNodes = 40000;
  std::mt19937_64 random(11);
  for (NodeId parts : {1u, 7u, 900u})
    for (bool up : {false, true}) {
      std::vector<NodePair> pairs;
      for (std::size_t i = 0; i < 10 * kNodes; ++i) {
        auto v = static_cast<NodeId>(random() % kNodes), w = static_cast<NodeId>(random() % kNodes);
        if (v % 5 == 4 || w % 5 == 4) continue;  // nothing, or an island, see below
        w = w - w % parts + v % parts;
        if (w >= kNodes || w % 5 == 4) continue;
        if (random() % 500 == 0) v = v % parts;
        pairs.push_back(up ? NodePair{std::min(v, w), std::max(v, w)} : NodePair{v, w});
      }
      const NodeId hub = kNodes - 2;
      for (NodeId v = 4; v + 120 < kNodes; v += 70) {
        pairs.insert(pairs.end(), {{v, v + 5}, {v + 10, v + 5}});
        pairs.push_back({v + 120, v + 50});  // a chain through several blocks
        pairs.push_back({hub, v + 15});      // seen from its own side only by its in row
        // Two stars: their centres' third arcs.
        pairs.insert(pairs.end(), {{v + 60, v + 20},
                                   {v + 60, v + 25},
                                   {v + 65, v + 30},
                                   {v + 65, v + 55},
                                   {v + 65, v + 60}});
      }
      const std::vector<NodeId> want = ByUnions(kNodes, pairs);
      for (bool symmetrize : {false, true}) {
        const auto graph = BuildTopology(kNodes, pairs, {.symmetrize = symmetrize});
        ASSERT_TRUE(graph.has_value());
        ASSERT_GT(graph->out().arc_count(), 4 * kNodes);
        OrderedExecutor backwards(true);  // ways to the root get long
        const auto named = Executors();
        std::vector<Executor*> executors = {&backwards};
        for (const auto& e : named) executors.push_back(e.executor.get());
        for (Executor* executor : executors) {
          const auto got = ComponentsCsr(graph->out(), graph->in(), executor).value();
          ASSERT_TRUE(std::ranges::equal(got.span(), want))
              << parts << ", " << up << ", " << symmetrize;
        }
      }
    }
}

// A tree that grows at its root while others ask for it from below: ways to the root must
// get shorter by being walked, or this takes minutes.
TEST(ComponentsCsr, ChainsThatGrowAtTheRoot) {
  for (const NodeId m : {70000u, 120000u}) {  // the former goes the way of small graphs
    std::vector<NodePair> pairs;
    for (NodeId i = 0; i < m; ++i) {
      if (i + 1 < m) pairs.push_back({m + i, m - 2 - i});
      pairs.push_back({m + i, m - 1 - i});
      pairs.push_back({2 * m + i, m - 1 - i});
    }
    for (NodeId v = 3 * m + 1; v < 8 * m; ++v)
      pairs.push_back({v, v - 1});  // near: every edge is looked at
    const auto graph = BuildTopology(8 * m, pairs, {});
    ASSERT_TRUE(graph.has_value());
    const auto got = ComponentsCsr(graph->out(), graph->in()).value();
    for (NodeId v = 0; v < 8 * m; ++v) ASSERT_EQ(got[v], v < 3 * m ? 0 : 3 * m) << v;
  }
}

// A chain of several blocks, with a delta and without one, stopped after each of the parallel
// loops in turn: nothing or all is told.
TEST(Components, BudgetStopsBetweenBlocks) {
  for (Shape shape : {Shape::kClean, Shape::kRuns}) {
    const CaseGraph g = Build({"chain", 1,
                               [](CaseGraph& c, int) {
                                 c.AddNodes(40000);
                                 for (std::size_t v = 1; v < 40000; ++v)
                                   c.Link(v * 7 % 40000, kLink, (v - 1) * 7 % 40000);
                               }},
                              shape);
    const auto whole = Components(g.snapshot());
    int loops = 0;
    for (bool truncated = true; truncated; ++loops) {
      ASSERT_LT(loops, 100);
      CancelsAt executor(loops);
      ComponentsOptions options;
      options.run.executor = &executor;
      options.run.budget.cancel = &executor.cancel;
      const auto got = Components(g.snapshot(), options);
      ASSERT_TRUE(got.has_value());
      truncated = got->truncated;
      EXPECT_EQ(got->labels, truncated ? std::vector<NodeId>(40000, kNoNode) : whole->labels);
      EXPECT_EQ(got->count, truncated ? 0 : whole->count);
      EXPECT_EQ(got->largest, truncated ? 0 : whole->largest);
    }
    EXPECT_GE(loops, 3);
    const std::atomic<bool> cancel = true;
    const auto strong = StrongComponents(g.snapshot(), {.run = {.budget = {.cancel = &cancel}}});
    ASSERT_TRUE(strong.has_value());
    EXPECT_EQ(strong->labels, std::vector<NodeId>(40000, kNoNode));
  }
}

}  // namespace
}  // namespace plexus::testing
