// Shortest paths against Bellman-Ford and against all simple paths.
#include "algorithms/paths/paths.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <set>

#include "tests/algorithms/paths/path_cases.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace paths;
namespace {

constexpr PathCost kCosts[] = {PathCost::kHops, PathCost::kLogWeight, PathCost::kWeight,
                               PathCost::kColumn};

ShortestPathResult Query(const Snapshot& s, NodeId from, NodeId to,
                         const ShortestPathOptions& options) {
  auto result = ShortestPath(s, from, to, options);
  if (!result) ADD_FAILURE() << result.error().ToString();
  return result ? *std::move(result) : ShortestPathResult{};
}

std::vector<double> CostsOf(const std::vector<reference::FlatArc>& arcs, PathCost cost,
                            const Snapshot& s, ColumnId column) {
  std::vector<double> costs;
  for (const auto& a : arcs) {
    const double w = static_cast<double>(a.weight);
    costs.push_back(cost == PathCost::kHops        ? 1.0
                    : cost == PathCost::kWeight    ? w
                    : cost == PathCost::kLogWeight ? (w == 0 ? -1.0 : -std::log(w))
                                                   : s.f64(column, a.to).value_or(-1.0));
  }
  return costs;
}

void CheckPath(const Snapshot& s, const FoundPath& path, NodeId from, NodeId to,
               const ShortestPathOptions& options) {
  ASSERT_EQ(path.nodes.size(), path.edges.size() + 1);
  ASSERT_EQ(path.nodes.front(), from);
  ASSERT_EQ(path.nodes.back(), to);
  ASSERT_EQ(std::set<NodeId>(path.nodes.begin(), path.nodes.end()).size(), path.nodes.size());
  double cost = 0;
  for (std::size_t i = 0; i < path.edges.size(); ++i) {
    const PathEdge& e = path.edges[i];
    const NodeId a = path.nodes[i], b = path.nodes[i + 1];
    const auto edge = s.FindEdge(e.source, e.kind, e.target, e.label);
    ASSERT_TRUE(edge && edge->weight == e.weight);
    const bool symmetric = s.schema().edge_kind(e.kind).symmetric;
    const bool forward = e.source == a && e.target == b;
    const bool backward = e.source == b && e.target == a;
    ASSERT_TRUE((forward && (symmetric || options.direction != Direction::kIn)) ||
                (backward && (symmetric || options.direction != Direction::kOut)));
    const double w = static_cast<double>(e.weight);
    cost += options.cost == PathCost::kHops        ? 1.0
            : options.cost == PathCost::kWeight    ? w
            : options.cost == PathCost::kLogWeight ? -std::log(w)
                                                   : *s.f64(options.column, b);
  }
  ASSERT_NEAR(cost, path.cost, 1e-12 * std::max(1.0, cost));
}

// The case's nodes get a cost column, with gaps.
CaseGraph BuildCosted(const Case& c, Shape shape) {
  CaseGraph g = Build(c, shape);
  for (std::size_t v = 0; v < g.size(); ++v)
    if (v % 7 != 6 && g.alive(v)) g.SetF64(v, kTrust, static_cast<double>(v % 5) * 0.25);
  g.Commit();
  return g;
}

TEST(ShortestPath, EqualsBellmanFord) {
  for (const std::vector<Case>& cases : {SmallCases(), LargeCases()})
    for (const Case& c : cases)
      for (Shape shape : kShapes) {
        SCOPED_TRACE(c.name);
        const CaseGraph g = BuildCosted(c, shape);
        const Snapshot s = g.snapshot();
        const auto flat = g.Flat();
        std::vector<NodeId> ends;
        for (NodeId v = 0; v < flat.node_count() && ends.size() < 5; v += flat.node_count() / 9 + 1)
          if (flat.selected[v]) ends.push_back(v);
        const bool large = flat.node_count() > 1000;
        for (PathCost cost : kCosts)
          for (Direction direction : {Direction::kOut, Direction::kIn, Direction::kBoth}) {
            if (large && (direction == Direction::kIn || shape == Shape::kRuns)) continue;
            const auto arcs = reference::Walkable(flat, direction);
            const auto costs = CostsOf(arcs, cost, s, kTrust);
            for (NodeId from : ends)
              for (NodeId to : ends) {
                if (large && from != ends[0]) continue;
                ShortestPathOptions options;
                options.cost = cost;
                options.column = kTrust;
                options.direction = direction;
                const auto want = reference::CheapestCost(arcs, costs, flat.node_count(), from, to);
                const ShortestPathResult got = Query(s, from, to, options);
                ASSERT_EQ(got.paths.size(), want.has_value() ? 1u : 0u)
                    << from << " to " << to << " cost " << static_cast<int>(cost);
                if (!want) continue;
                ASSERT_NEAR(got.paths[0].cost, *want, 1e-12 * std::max(1.0, *want));
                CheckPath(s, got.paths[0], from, to, options);
                if (::testing::Test::HasFatalFailure()) return;
              }
          }
      }
}

TEST(ShortestPath, NextBestPathsEqualTheSortedListOfAll) {
  for (const Case& c : SmallCases()) {
    if (c.name == "star" || c.steps == 0) continue;
    SCOPED_TRACE(c.name);
    const CaseGraph g = BuildCosted(c, Shape::kDelta);
    const Snapshot s = g.snapshot();
    const auto flat = g.Flat();
    for (PathCost cost : kCosts) {
      const auto arcs = reference::Walkable(flat, Direction::kOut);
      const auto costs = CostsOf(arcs, cost, s, kTrust);
      for (NodeId to = 0; to < flat.node_count(); to += 2) {
        if (!flat.selected[0] || !flat.selected[to]) continue;
        const auto want = reference::AllSimplePaths(arcs, costs, flat.node_count(), 0, to);
        ShortestPathOptions options;
        options.cost = cost;
        options.column = kTrust;
        options.count = 12;
        const ShortestPathResult got = Query(s, 0, to, options);
        ASSERT_EQ(got.paths.size(), std::min<std::size_t>(want.size(), 12));
        std::set<std::vector<NodeId>> distinct;
        for (std::size_t i = 0; i < got.paths.size(); ++i) {
          ASSERT_NEAR(got.paths[i].cost, want[i].cost, 1e-12) << "path " << i;
          CheckPath(s, got.paths[i], 0, to, options);
          ASSERT_TRUE(distinct.insert(got.paths[i].nodes).second);
        }
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

// No path is longer, and none that is as short is left out.
TEST(ShortestPath, OfAtMostSoManyHops) {
  for (const Case& c : SmallCases()) {
    SCOPED_TRACE(c.name);
    const CaseGraph g = Build(c, Shape::kDelta);
    const Snapshot s = g.snapshot();
    for (NodeId to = 0; to < std::min<NodeId>(s.node_count(), 12); ++to) {
      if (!s.alive(0) || !s.alive(to)) continue;
      for (const int count : {1, 8}) {
        ShortestPathOptions options;
        options.count = count;
        const ShortestPathResult all = Query(s, 0, to, options);
        for (options.max_hops = 0; options.max_hops < 6; ++options.max_hops) {
          std::vector<std::vector<NodeId>> want, got;
          for (const FoundPath& path : all.paths)
            if (path.edges.size() <= options.max_hops) want.push_back(path.nodes);
          for (const FoundPath& path : Query(s, 0, to, options).paths) got.push_back(path.nodes);
          ASSERT_EQ(got, want) << to << " in " << options.max_hops << " hops";
        }
      }
    }
  }
  const CaseGraph g = Build(SmallCases()[0], Shape::kDelta);
  EXPECT_EQ(
      ShortestPath(g.snapshot(), 0, 0, {.cost = PathCost::kWeight, .max_hops = 2}).error().code,
      ErrorCode::kInvalidArgument);
}

TEST(ShortestPath, SubsetsKindsAndBudgets) {
  CaseGraph g;
  g.AddNodes(5);
  g.Link(0, kLink, 1);
  g.Link(1, kLink, 4);
  g.Link(0, kSupports, 2);
  g.Link(2, kSupports, 3);
  g.Link(3, kSupports, 4);
  g.Commit();
  const Snapshot s = g.snapshot();
  ShortestPathOptions options;
  EXPECT_EQ(Query(s, 0, 4, options).paths[0].nodes, (std::vector<NodeId>{0, 1, 4}));
  options.filter.kinds = {kSupports};
  EXPECT_EQ(Query(s, 0, 4, options).paths[0].nodes, (std::vector<NodeId>{0, 2, 3, 4}));
  options.filter.kinds = {};
  const NodeSubset without = *NodeSubset::Of(s, std::vector<NodeId>{2, 3});
  options.filter.subset = &without;  // the ends need not be in it
  EXPECT_EQ(Query(s, 0, 4, options).paths[0].nodes, (std::vector<NodeId>{0, 2, 3, 4}));
  options.filter.subset = nullptr;
  options.run.budget.edges = 1;
  const ShortestPathResult cut = Query(s, 0, 4, options);
  EXPECT_TRUE(cut.truncated);
  EXPECT_TRUE(cut.paths.empty());
  EXPECT_EQ(Query(s, 3, 3, {}).paths[0].nodes, std::vector<NodeId>{3});
}

// Whatever the budget, a truncated list is the beginning of the whole one.
TEST(ShortestPath, BudgetsHoldOverAllOfYensSearches) {
  CaseGraph g;
  constexpr NodeId kSide = 5;
  g.AddNodes(kSide * kSide);
  for (NodeId v = 0; v < kSide * kSide; ++v) {
    if (v % kSide + 1 < kSide) g.Link(v, kLink, v + 1, 0.5f + static_cast<float>(v % 7) / 16);
    if (v + kSide < kSide * kSide)
      g.Link(v, kLink, v + kSide, 0.5f + static_cast<float>(v % 5) / 16);
  }
  g.Commit();
  for (const PathCost cost : {PathCost::kHops, PathCost::kWeight}) {
    ShortestPathOptions options;
    options.cost = cost;
    options.count = 1000;
    const ShortestPathResult whole = Query(g.snapshot(), 0, kSide * kSide - 1, options);
    ASSERT_EQ(whole.paths.size(), 70u);  // 8 over 4
    ASSERT_FALSE(whole.truncated);
    std::size_t most = 0;
    for (std::uint64_t edges = 1; edges < whole.edges; edges += edges / 4 + 1) {
      options.run.budget.edges = edges;
      const ShortestPathResult cut = Query(g.snapshot(), 0, kSide * kSide - 1, options);
      ASSERT_TRUE(cut.truncated) << edges;
      ASSERT_LE(cut.edges, edges);
      for (std::size_t i = 0; i < cut.paths.size(); ++i)
        ASSERT_EQ(cut.paths[i].nodes, whole.paths[i].nodes);
      most = std::max(most, cut.paths.size());
    }
    EXPECT_GT(most, 1u);
    const std::atomic<bool> stop = true;
    options.run.budget = {};
    options.run.budget.cancel = &stop;
    EXPECT_TRUE(Query(g.snapshot(), 0, kSide * kSide - 1, options).truncated);
  }
}

// All of the paths in the order of (cost, hops), cut at `count`.
void CheckNext(const CaseGraph& g, NodeId from, NodeId to, const ShortestPathOptions& options,
               bool rough) {
  const Snapshot s = g.snapshot();
  NodeSubset inside;
  if (options.filter.subset)
    inside = options.filter.subset->Unite(*NodeSubset::Of(s, std::vector<NodeId>{from, to}));
  const auto flat = g.Flat(options.filter.kinds, options.filter.subset ? &inside : nullptr,
                           options.filter.valid_at);
  const auto arcs = reference::Walkable(flat, options.direction);
  const auto costs = CostsOf(arcs, options.cost, s, options.column);
  auto want = flat.node_count() < 20
                  ? reference::AllSimplePaths(arcs, costs, flat.node_count(), from, to)
                  : reference::PlainYen(arcs, costs, flat.node_count(), from, to,
                                        static_cast<std::size_t>(options.count));
  std::stable_sort(want.begin(), want.end(), [](const auto& a, const auto& b) {
    return std::pair(a.cost, a.nodes.size()) < std::pair(b.cost, b.nodes.size());
  });
  const ShortestPathResult got = Query(s, from, to, options);
  ASSERT_EQ(got.paths.size(), std::min(want.size(), static_cast<std::size_t>(options.count)));
  std::set<std::vector<NodeId>> distinct;
  for (std::size_t i = 0; i < got.paths.size(); ++i) {
    ASSERT_NEAR(got.paths[i].cost, want[i].cost, 1e-12 * std::max(1.0, want[i].cost))
        << "path " << i;
    if (options.cost != PathCost::kLogWeight && !rough) {  // sums are exact
      ASSERT_EQ(got.paths[i].nodes.size(), want[i].nodes.size()) << "path " << i;
    }
    CheckPath(s, got.paths[i], from, to, options);
    ASSERT_TRUE(distinct.insert(got.paths[i].nodes).second);
  }
}

TEST(ShortestPath, NextBestPathsOfTangles) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const bool rough = seed % 6 == 5;
    SCOPED_TRACE(seed);
    const CaseGraph g = BuildCosted(Tangle(seed, rough), kShapes[seed % 4]);
    const auto last = static_cast<NodeId>(g.size() - 1 - (seed % 5 == 0));
    for (PathCost cost : kCosts) {
      if (rough && cost != PathCost::kWeight) continue;
      for (Direction direction : {Direction::kOut, Direction::kIn, Direction::kBoth}) {
        ShortestPathOptions options;
        options.cost = cost;
        options.column = kTrust;
        options.direction = direction;
        options.count = seed % 2 ? 1000 : 7;
        if (seed % 3 == 1) options.filter.kinds = {kLink, kRelatesTo};
        if (seed % 7 == 3) options.filter.valid_at = seed % 2 ? 150 : 250;
        const NodeSubset odd = *NodeSubset::Of(g.snapshot(), std::vector<NodeId>{1, 3, 4});
        if (seed % 4 == 2) options.filter.subset = &odd;
        CheckNext(g, 0, last, options, rough);
        CheckNext(g, last, 1, options, rough);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(ShortestPath, NextBestPathsThroughAHall) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const CaseGraph g = Build(Hall(seed), Shape::kCompacted);
    for (PathCost cost : {PathCost::kHops, PathCost::kWeight}) {
      ShortestPathOptions options;
      options.cost = cost;
      options.direction = Direction::kBoth;
      options.count = 12;
      const auto last = static_cast<NodeId>(g.size() - 1);
      CheckNext(g, last - 11, last, options, false);
      CheckNext(g, last, last - 11, options, false);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(ShortestPath, NextBestPathsAcrossBridges) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    const CaseGraph g = BuildCosted(Parts(seed), kShapes[seed % 4]);
    for (PathCost cost : kCosts)
      for (Direction direction : {Direction::kOut, Direction::kBoth}) {
        ShortestPathOptions options;
        options.cost = cost;
        options.column = kTrust;
        options.direction = direction;
        options.count = 25;
        CheckNext(g, 0, static_cast<NodeId>(g.size() - 1), options, false);
        if (::testing::Test::HasFatalFailure()) return;
      }
  }
}

// Diamonds in a row, 100,000 edges; the lower way round diamond i costs i + 1 units more.
TEST(ShortestPath, NextBestPathsOfALongLadder) {
  constexpr std::size_t kDiamonds = 25'000;
  constexpr double kUnit = 1.0 / 65536;
  CaseGraph g;
  g.AddNodes(3 * kDiamonds + 1);
  for (std::size_t i = 0; i < kDiamonds; ++i) {
    g.Link(3 * i, kLink, 3 * i + 1);
    g.Link(3 * i, kLink, 3 * i + 2, 1 + static_cast<float>(i + 1) / 65536);
    g.Link(3 * i + 1, kLink, 3 * i + 3);
    g.Link(3 * i + 2, kLink, 3 * i + 3);
  }
  g.Commit();
  g.Compact();
  ShortestPathOptions options;
  options.count = 20;
  // Sums of distinct numbers: one way to make 0, 1, 2, two to make 3 and 4, three, four, five.
  const std::vector<int> extra = {0, 1, 2, 3, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 7, 8};
  for (const PathCost cost : {PathCost::kHops, PathCost::kWeight}) {
    options.cost = cost;
    const ShortestPathResult got = Query(g.snapshot(), 0, 3 * kDiamonds, options);
    ASSERT_EQ(got.paths.size(), 20u);
    std::set<std::vector<NodeId>> distinct;
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_EQ(got.paths[i].cost,
                2 * kDiamonds + (cost == PathCost::kHops ? 0 : extra[i] * kUnit));
      EXPECT_EQ(got.paths[i].edges.size(), 2 * kDiamonds);
      EXPECT_TRUE(distinct.insert(got.paths[i].nodes).second);
    }
    EXPECT_LT(got.edges, 60 * 4 * kDiamonds);  // some rounds over the edges for each path
  }
}

// What is far away, or leads nowhere, is not looked at as long as there are better paths.
TEST(ShortestPath, NextBestPathsNearbyAreCheap) {
  constexpr NodeId kSide = 150;
  CaseGraph g;
  g.AddNodes(kSide * kSide + 20'000);
  for (NodeId v = 0; v < kSide * kSide; ++v) {
    if (v % kSide + 1 < kSide) g.Link(v, kLink, v + 1, 0.5f);
    if (v + kSide < kSide * kSide) g.Link(v, kLink, v + kSide, 0.5f);
  }
  const NodeId from = kSide * 70 + 70, to = from + 2 * kSide + 1;
  for (NodeId v = kSide * kSide; v < g.size(); ++v) g.Link(from, kLink, v, 0.5f);
  for (NodeId v = kSide * kSide; v + 1 < g.size(); ++v) g.Link(v, kSupports, v + 1, 0.5f);
  g.Commit();
  g.Compact();
  ShortestPathOptions options;
  options.filter.kinds = {kLink, kSupports};
  for (const PathCost cost : {PathCost::kHops, PathCost::kWeight}) {
    options.cost = cost;
    options.count = 1;
    const std::uint64_t first = Query(g.snapshot(), from, to, options).edges;
    options.count = 3;
    const ShortestPathResult got = Query(g.snapshot(), from, to, options);
    ASSERT_EQ(got.paths.size(), 3u);
    EXPECT_EQ(got.paths[2].edges.size(), 3u);
    EXPECT_LT(got.edges, 8 * first + 20'000) << first;  // the hub's row a few times
    options.count = 4;                                  // none is left in the grid of three edges
    EXPECT_EQ(Query(g.snapshot(), from, to, options).paths.size(), 3u);
  }
}

TEST(ShortestPath, RefusesBadInput) {
  CaseGraph g;
  g.AddNodes(3);
  g.Link(0, kLink, 1, 2.0f);
  g.SetF64(1, kStability, -1.0);
  g.Commit();
  g.Remove(2);
  g.Commit();
  auto run = [&](NodeId from, NodeId to, PathCost cost, int count = 1,
                 ColumnId column = kStability) {
    ShortestPathOptions options;
    options.cost = cost;
    options.count = count;
    options.column = column;
    return ShortestPath(g.snapshot(), from, to, options);
  };
  EXPECT_NE(run(0, 1, PathCost::kLogWeight).error().message.find("'n0'"), std::string::npos);
  EXPECT_NE(run(0, 1, PathCost::kColumn).error().message.find("'n1'"), std::string::npos);
  EXPECT_EQ(run(0, 2, PathCost::kHops).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(run(7, 1, PathCost::kHops).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(run(0, 1, PathCost::kHops, 0).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(run(0, 1, PathCost::kColumn, 1, kCreatedAt).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace plexus::testing
