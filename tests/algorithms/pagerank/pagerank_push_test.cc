// Forward push: its bounds hold against Eigen, and it stops where it says.
#include "algorithms/pagerank/pagerank.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>
#include <vector>

#include "engine/state.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace pagerank;
namespace {

struct Asked {
  std::vector<NodeWeight> seeds;
  std::vector<double> teleport;
};

Asked SomeSeeds(const reference::FlatGraph& flat) {
  Asked asked;
  asked.teleport.assign(flat.node_count(), 0.0);
  for (NodeId v = 0; v < flat.node_count() && asked.seeds.size() < 2; v += 3)
    if (flat.selected[v]) {
      asked.seeds.push_back({v, 1.0 + v % 2});
      asked.teleport[v] += 1.0 + v % 2;
    }
  return asked;
}

TEST(PageRankPush, BoundsTheTrueVectorOnEveryShape) {
  ForEachGraph([](const CaseGraph& g, Shape shape) {
    const auto flat = g.Flat();
    const Asked asked = SomeSeeds(flat);
    if (asked.seeds.empty()) return;
    for (const bool weighted : {true, false}) {
      if (!weighted && shape == Shape::kCompacted) continue;  // slow, and the same rows
      const auto want = reference::PageRank(flat, 0.85, weighted, asked.teleport, 0);
      for (double allowed : {0.3, 1e-2, 1e-5}) {
        PageRankPushOptions options;
        options.weighted = weighted;
        options.max_error = allowed;
        options.top = 0;
        const auto got = PageRankPush(g.snapshot(), asked.seeds, options);
        ASSERT_TRUE(got) << got.error().ToString();
        EXPECT_TRUE(got->converged);
        EXPECT_FALSE(got->truncated);
        EXPECT_LE(got->error, allowed);
        EXPECT_EQ(got->nodes, got->top.size());
        std::vector<double> p(flat.node_count(), 0.0);
        for (const ScoredNode& node : got->top) p[node.node] = node.score;
        double distance = 0;
        for (NodeId v = 0; v < flat.node_count(); ++v) {
          if (!got->whole) {
            EXPECT_LE(p[v], want[v] + 1e-12);
          }
          distance += std::abs(want[v] - p[v]);
        }
        EXPECT_LE(distance, got->error + 1e-10);
        if (!got->whole) {
          EXPECT_NEAR(distance, got->error, 1e-10);  // not a bound: the very distance
        }
      }
    }
  });
}

TEST(PageRankPush, ACertainTopIsTheTrueOne) {
  ForEachLarge([](const CaseGraph& g, Shape shape) {
    if (shape != Shape::kClean) return;
    const auto flat = g.Flat();
    const Asked asked = SomeSeeds(flat);
    const auto want = reference::PageRank(flat, 0.85, true, asked.teleport, 0);
    PageRankPushOptions options;
    options.top = 2;
    options.max_error = 1e-6;
    options.stop_at_certain_top = true;
    const auto got = PageRankPush(g.snapshot(), asked.seeds, options);
    ASSERT_TRUE(got);
    if (!got->certain_top) return;
    double least = 1;
    for (const ScoredNode& node : got->top) least = std::min(least, want[node.node]);
    std::size_t above = 0;
    for (const double x : want) above += x > least + 1e-12;
    EXPECT_LE(above, 1u);
  });
}

// Mass stays 1 whatever the seeds: repeated, of no weight, of a share that underflows.
TEST(PageRankPush, OddSeeds) {
  CaseGraph g;
  g.AddNodes(3);
  g.Link(1, kLink, 2);
  g.Commit();
  const NodeId dangling = g.id(0);
  const std::vector<NodeWeight> seeds = {
      {dangling, 1e-320}, {dangling, 1e10}, {g.id(1), 0.0}, {g.id(2), 1e-320}};
  PageRankPushOptions options;
  options.max_error = 0.1;
  options.top = 1;
  options.stop_at_certain_top = true;
  const auto got = PageRankPush(g.snapshot(), seeds, options);
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->certain_top);
  ASSERT_EQ(got->top.size(), 1u);
  EXPECT_EQ(got->top[0].node, dangling);
  EXPECT_NEAR(got->top[0].score + got->error, 1.0, 1e-12);
}

TEST(PageRankPush, StaysNearItsSeeds) {
  CaseGraph g;  // a long path: the mass falls by a factor a step
  const std::size_t n = 20'000;
  g.AddNodes(n);
  for (std::size_t i = 0; i + 1 < n; ++i) g.Link(i, kLink, i + 1);
  g.Commit();
  const std::vector<NodeWeight> seeds = {{g.id(0), 1.0}};
  const auto got = PageRankPush(g.snapshot(), seeds);
  ASSERT_TRUE(got);
  EXPECT_LT(got->nodes, 100u);
  EXPECT_LT(got->edges, 1000u);
}

TEST(PageRankPush, StopsWhenTheBudgetIsSpentAndRefusesNonsense) {
  const CaseGraph& g = Large(0, Shape::kDelta);
  const Asked asked = SomeSeeds(g.Flat());
  PageRankPushOptions options;
  options.max_error = 1e-6;
  options.run.budget.edges = 1000;
  const auto some = PageRankPush(g.snapshot(), asked.seeds, options);
  ASSERT_TRUE(some);
  EXPECT_LE(some->edges, 1000u);
  EXPECT_TRUE(some->truncated);
  EXPECT_FALSE(some->converged);
  EXPECT_GT(some->error, options.max_error);
  options.run.budget = {};
  options.run.budget.nodes = 50;
  const auto few = PageRankPush(g.snapshot(), asked.seeds, options);
  ASSERT_TRUE(few);
  EXPECT_TRUE(few->truncated);
  EXPECT_LE(few->nodes, 50u);
  std::atomic<bool> cancel = true;
  options.run.budget = {};
  options.run.budget.cancel = &cancel;
  EXPECT_EQ(PageRankPush(g.snapshot(), asked.seeds, options)->pushes, 0u);

  auto message = [&](std::vector<NodeWeight> seeds, auto change) {
    PageRankPushOptions o;
    change(o);
    const auto result = PageRankPush(g.snapshot(), seeds, o);
    return result ? std::string() : result.error().message;
  };
  using O = PageRankPushOptions;
  auto nothing = [](O&) {};
  EXPECT_NE(message({}, nothing).find("seeds"), std::string::npos);
  EXPECT_NE(message({{kNoNode - 1, 1.0}}, nothing).find("is not below"), std::string::npos);
  EXPECT_NE(message({{asked.seeds[0].node, -1.0}}, nothing).find("weight"), std::string::npos);
  EXPECT_NE(message({{asked.seeds[0].node, 0.0}}, nothing).find("sum"), std::string::npos);
  EXPECT_NE(message(asked.seeds, [](O& o) { o.max_error = 0; }).find("error"), std::string::npos);
  EXPECT_NE(message(asked.seeds, [](O& o) { o.damping = 1; }).find("damping"), std::string::npos);
  EXPECT_NE(message(asked.seeds, [](O& o) { o.filter.kinds = {EdgeKindId{40000}}; }).find("40000"),
            std::string::npos);
}

// A hub that all point at and that points at all: each push moves residual to everyone.
void AddWheel(CaseGraph& g, std::size_t spokes) {
  g.AddNodes(spokes + 1);
  for (std::size_t i = 1; i <= spokes; ++i) {
    g.Link(0, kLink, i);
    g.Link(i, kLink, 0);
  }
  g.Commit();
}

// Near damping 1 a ranking needs far fewer iterations than damping^n = max_error allows.
TEST(PageRankPush, GivesUpInTimeNearDampingOne) {
  CaseGraph g;
  constexpr std::size_t kNodes = 3000;
  g.AddNodes(kNodes);
  std::mt19937_64 random(5);
  std::vector<std::size_t> ends = {0, 1};  // those that many point at come often
  for (std::size_t v = 2; v < kNodes; ++v) {
    for (int k = 0; k < 6; ++k) {
      ends.push_back(ends[random() % ends.size()]);
      g.Link(v, kLink, ends.back());
    }
    ends.push_back(v);
    if (v % 5 == 0) g.Link(ends[random() % ends.size()], kLink, v);
  }
  g.Commit();
  const Snapshot snapshot = g.snapshot();
  const NodeWeight seed{g.id(7), 1.0};
  PageRankPushOptions options;
  options.damping = 0.99;
  options.max_error = 1e-5;
  const auto got = PageRankPush(snapshot, {&seed, 1}, options);
  ASSERT_TRUE(got);
  EXPECT_LE(got->error, 1e-5);
  PageRankOptions whole;
  whole.damping = options.damping;
  whole.seeds = {seed};
  whole.tolerance = options.max_error;
  whole.max_iterations = 1000;
  const auto want = PageRank(snapshot, whole);
  ASSERT_TRUE(want);
  EXPECT_LE(got->edges,
            (1 << 14) + want->edges * (4 + static_cast<std::uint64_t>(want->iterations)));
}

TEST(PageRankPush, RunsTheWholeRankingWhereThatCostsLess) {
  CaseGraph g;
  AddWheel(g, 2000);
  const Snapshot snapshot = g.snapshot();
  const NodeWeight seed{g.id(7), 1.0};
  PageRankPushOptions options;
  options.max_error = 1e-7;
  const auto got = PageRankPush(snapshot, {&seed, 1}, options);
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->whole);
  EXPECT_TRUE(got->converged);
  EXPECT_LE(got->error, 1e-7);
  // About as many arcs as the ranking alone.
  PageRankOptions whole;
  whole.seeds = {seed};
  whole.tolerance = options.max_error;
  const auto want = PageRank(snapshot, whole);
  ASSERT_TRUE(want);
  EXPECT_LE(got->edges, 2 * want->edges * static_cast<std::uint64_t>(want->iterations));
  for (const ScoredNode& node : got->top) EXPECT_EQ(node.score, want->scores[node.node]);
  EXPECT_EQ(got->top[0].node, g.id(0));
  // A large error is reached nearby, and a budget of nodes keeps it there.
  options.max_error = 0.5;
  const auto nearby = PageRankPush(snapshot, {&seed, 1}, options);
  ASSERT_TRUE(nearby);
  EXPECT_FALSE(nearby->whole);
  options.max_error = 1e-7;
  options.run.budget.nodes = 5000;
  const auto pushed = PageRankPush(snapshot, {&seed, 1}, options);
  ASSERT_TRUE(pushed);
  EXPECT_FALSE(pushed->whole);
  EXPECT_TRUE(pushed->converged);
  // A budget of arcs that does not pay for a whole run is spent on pushes: more is never worse.
  options.run.budget = {};
  double error = 2;
  for (std::uint64_t edges = got->edges / 16; edges < 16 * got->edges; edges += edges / 2) {
    options.run.budget.edges = edges;
    const auto cut = PageRankPush(snapshot, {&seed, 1}, options);
    ASSERT_TRUE(cut);
    EXPECT_LE(cut->error, error) << edges;
    EXPECT_NE(cut->truncated, cut->converged) << edges;
    error = cut->error;
  }
  EXPECT_LE(error, 1e-7);
}

// What the header says that push follows before a whole run begins.
std::uint64_t ArcsUntilWhole(const Snapshot& snapshot, const PageRankPushOptions& o) {
  const double iterations = std::min(128.0, std::log(o.max_error) / std::log(o.damping));
  std::uint64_t arcs = 0;  // of edges of the fact plane, which the empty filter takes
  for (const std::uint64_t edges : snapshot.state().edges_by_kind) arcs += edges;
  return (1 << 14) + static_cast<std::uint64_t>(static_cast<double>(arcs) * iterations / 32);
}

// Push against the sweep that it becomes: the same bits at any thread count, and never more arcs
// than its bound and the sweep's own.
TEST(PageRankPush, BecomesTheSweepAtItsPriceWithTheSameBits) {
  std::mt19937_64 random(37);
  for (int round = 0; round < 6; ++round) {
    CaseGraph g;
    const std::size_t nodes = 500 + random() % 2000, hubs = 1 + random() % 4;
    g.AddNodes(nodes);
    for (std::size_t v = 0; v < nodes; ++v) {
      g.Link(v, kLink, random() % hubs, static_cast<float>(1 + random() % 3));
      if (v >= hubs) g.Link(random() % hubs, kLink, v);
      g.Link(v, kLink, random() % nodes);
    }
    g.Commit();
    const Snapshot snapshot = g.snapshot();
    const std::vector<NodeWeight> seeds = {{g.id(random() % nodes), 1.0},
                                           {g.id(random() % nodes), 2.0}};
    PageRankPushOptions options;
    options.max_error = 1e-7;
    options.top = 0;
    PageRankOptions sweep;
    sweep.seeds = seeds;
    sweep.tolerance = options.max_error;
    sweep.max_iterations = 1000;
    const auto want = PageRank(snapshot, sweep);
    ASSERT_TRUE(want);
    const std::uint64_t swept = want->edges * static_cast<std::uint64_t>(want->iterations);
    std::uint64_t edges = 0;
    for (const NamedExecutor& e : Executors()) {
      options.run.executor = e.executor.get();
      const auto got = PageRankPush(snapshot, seeds, options);
      ASSERT_TRUE(got) << e.name;
      ASSERT_TRUE(got->whole) << round;
      EXPECT_LE(got->edges, ArcsUntilWhole(snapshot, options) + swept);
      if (edges == 0) edges = got->edges;
      EXPECT_EQ(got->edges, edges) << e.name;
      for (const ScoredNode& node : got->top)
        EXPECT_EQ(node.score, want->scores[node.node]) << e.name;
    }
  }
}

// most_arcs ends push with what was placed by then: lower bounds, their error, and fewer left with
// more arcs. A whole run that is due before still runs.
TEST(PageRankPush, MostArcsAreKept) {
  CaseGraph g;
  AddWheel(g, 3000);
  const Snapshot snapshot = g.snapshot();
  const std::vector<NodeWeight> seeds = {{g.id(7), 1.0}, {g.id(0), 0.5}};
  PageRankPushOptions options;
  options.max_error = 1e-7;
  options.top = 0;
  PageRankOptions sweep;
  sweep.seeds = seeds;
  sweep.tolerance = 1e-12;
  sweep.max_iterations = 1000;
  const auto want = PageRank(snapshot, sweep);
  ASSERT_TRUE(want);
  const std::uint64_t whole = ArcsUntilWhole(snapshot, options);
  double error = 1;
  for (std::uint64_t most = 1; most < whole; most *= 4) {
    options.most_arcs = most;
    const auto got = PageRankPush(snapshot, seeds, options);
    ASSERT_TRUE(got);
    EXPECT_LE(got->edges, most);
    EXPECT_FALSE(got->whole || got->converged || got->truncated) << most;
    double placed = 0;
    for (const ScoredNode& node : got->top) {
      EXPECT_LE(node.score, want->scores[node.node] + 1e-12);
      placed += node.score;
    }
    EXPECT_NEAR(placed + got->error, 1.0, 1e-9);
    EXPECT_LE(got->error, error + 1e-12);
    error = got->error;
  }
  EXPECT_LT(error, 0.6);
  // The hub alone: its row is longer than the limit.
  options.most_arcs = 100;
  const auto hub = PageRankPush(snapshot, std::vector<NodeWeight>{{g.id(0), 1.0}}, options);
  ASSERT_TRUE(hub && !hub->top.empty());
  EXPECT_EQ(hub->top[0].node, g.id(0));
  EXPECT_GE(hub->top[0].score, (1 - options.damping) - 1e-12);
  options.most_arcs = whole;
  const auto got = PageRankPush(snapshot, seeds, options);
  ASSERT_TRUE(got);
  EXPECT_TRUE(got->whole && got->converged);
  // The budget's own end is told apart.
  options.most_arcs = 1000;
  options.run.budget.edges = 500;
  EXPECT_TRUE(PageRankPush(snapshot, seeds, options)->truncated);
}

TEST(PageRankPush, ListsTheNodesAskedForAlone) {
  CaseGraph g;
  AddWheel(g, 20);
  const Snapshot snapshot = g.snapshot();
  const NodeWeight seed{g.id(0), 1.0};
  const NodeId some[] = {g.id(3), g.id(4)};
  const auto listed = NodeSubset::Of(snapshot, some);
  ASSERT_TRUE(listed);
  PageRankPushOptions options;
  options.listed = &*listed;
  options.top = 2;
  const auto got = PageRankPush(snapshot, {&seed, 1}, options);
  ASSERT_TRUE(got);
  ASSERT_EQ(got->top.size(), 2U);
  EXPECT_EQ(got->top[0].node, some[0]);
  EXPECT_EQ(got->top[1].node, some[1]);
}

}  // namespace
}  // namespace plexus::testing
