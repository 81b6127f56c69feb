// Delta-stepping against Bellman-Ford: the same bits, whatever the width of a bucket.
#include "algorithms/common/common.h"
#include "algorithms/paths/internal/distances_csr.h"
#include "algorithms/paths/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "algorithms/paths/internal/work_sharing.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"
#include "tests/support/ordered_executor.h"

namespace plexus::testing {
using namespace builtin;
using namespace paths;
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double CostOf(const reference::FlatArc& arc, PathCost cost) {
  if (cost == PathCost::kHops) return 1;
  if (cost == PathCost::kWeight) return static_cast<double>(arc.weight);
  return arc.weight > 0 ? -std::log(static_cast<double>(arc.weight)) : -1;
}

// One reference for all widths and executors, which change nothing.
void Check(const CaseGraph& g, NodeId source, DistancesOptions options,
           const std::vector<double>& deltas) {
  const auto flat = g.Flat(options.filter.kinds, options.filter.subset, options.filter.valid_at);
  const auto arcs = reference::Walkable(flat, options.direction);
  std::vector<double> costs;
  for (const auto& arc : arcs) costs.push_back(CostOf(arc, options.cost));
  const auto want = reference::CheapestCosts(arcs, costs, flat.node_count(), source);
  const auto reached = static_cast<std::uint64_t>(
      std::ranges::count_if(want, [](double d) { return d < kInfinity; }));
  for (double delta : deltas) {
    SCOPED_TRACE(delta);
    options.delta = delta;
    options.run.executor = NextExecutor();
    const auto got = Distances(g.snapshot(), source, options);
    ASSERT_TRUE(got.has_value()) << got.error().ToString();
    EXPECT_FALSE(got->truncated);
    ASSERT_EQ(got->distances, want);
    EXPECT_EQ(got->reached, reached);
  }
}
void Check(const CaseGraph& g, NodeId source, const DistancesOptions& options) {
  Check(g, source, options, {options.delta});
}

NodeId FirstSelected(const reference::FlatGraph& flat) {
  NodeId v = 0;
  while (v < flat.node_count() && !flat.selected[v]) ++v;
  return v;
}

TEST(Distances, EqualBellmanFordBitByBit) {
  ForEachGraph([](const CaseGraph& g, Shape) {
    const NodeId source = FirstSelected(g.Flat());
    if (source == g.Flat().node_count()) return;
    for (PathCost cost : {PathCost::kHops, PathCost::kWeight, PathCost::kLogWeight})
      for (Direction direction : {Direction::kOut, Direction::kIn, Direction::kBoth}) {
        if (g.size() > 1000 && direction == Direction::kIn) continue;
        DistancesOptions options;
        options.cost = cost;
        options.direction = direction;
        Check(g, source, options, {0.0, 1e-9, 0.25, 1e9});
        if (::testing::Test::HasFatalFailure()) return;
      }
    DistancesOptions options;
    options.cost = PathCost::kWeight;
    options.filter.kinds = {kLink, kHasTag};
    const NodeId tagged = FirstSelected(g.Flat(options.filter.kinds));
    Check(g, tagged, options);
    const NodeSubset subset =
        SubsetOf(g.snapshot(), [&](NodeId v) { return v == source || v % 4 != 3; });
    options.filter.kinds = {};
    options.filter.subset = &subset;
    Check(g, source, options);
  });
}

// Costs over 60 orders of magnitude: few buckets, no memory by the range.
TEST(Distances, AnyRangeOfWeights) {
  CaseGraph g;
  g.AddNodes(40);
  for (std::size_t v = 0; v + 1 < 40; ++v)
    g.Link(v, kLink, v + 1, std::ldexp(1.0f, 120 - 6 * static_cast<int>(v)));
  for (std::size_t v = 0; v + 2 < 40; ++v)
    g.Link(v, kLink, v + 2, std::ldexp(1.0f, 119 - 6 * static_cast<int>(v)));
  g.Commit();
  for (double delta : {0.0, 1e-30, 1e30}) Check(g, 0, {.cost = PathCost::kWeight, .delta = delta});
}

TEST(Distances, ColumnsValidTimesAndErrors) {
  CaseGraph g;
  g.AddNodes(4);
  g.Link(0, kLink, 1, 2.0f);
  g.LinkValid(1, kLink, 2, 10, 20);
  g.Link(0, kLink, 3);
  g.SetF64(1, kTrust, 0.5);
  g.SetF64(2, kTrust, 0.25);
  g.Commit();
  const Snapshot s = g.snapshot();
  const auto column = Distances(s, 0, {.cost = PathCost::kColumn, .column = kTrust});
  ASSERT_TRUE(column.has_value()) << column.error().ToString();
  EXPECT_EQ(column->distances, (std::vector<double>{0, 0.5, 0.75, kInfinity}));
  EXPECT_EQ(Distances(s, 0, {.filter = {.valid_at = 15}})->distances[2], 2);
  EXPECT_EQ(Distances(s, 0, {.filter = {.valid_at = 25}})->distances[2], kInfinity);

  const auto log = Distances(s, 0, {.cost = PathCost::kLogWeight});
  ASSERT_FALSE(log.has_value());
  EXPECT_NE(log.error().message.find("at most 1"), std::string::npos);
  EXPECT_FALSE(Distances(s, 9, {}).has_value());
  EXPECT_FALSE(Distances(s, 0, {.delta = -1}).has_value());
  EXPECT_FALSE(Distances(s, 0, {.delta = kInfinity}).has_value());
  EXPECT_FALSE(Distances(s, 0, {.delta = std::nan("")}).has_value());
  EXPECT_FALSE(Distances(s, 0, {.cost = PathCost::kColumn, .column = ColumnId{60000}}).has_value());
}

TEST(Distances, StoppedKeepsOnlyWhatIsCertain) {
  const CaseGraph& g = Large(0, Shape::kClean);
  const std::atomic<bool> stop = true;
  DistancesOptions options;
  options.run.budget.cancel = &stop;
  const NodeId source = FirstSelected(g.Flat());
  const auto got = Distances(g.snapshot(), source, options);
  EXPECT_TRUE(got->truncated);
  EXPECT_EQ(got->reached, 0u);
}

// Raises the flag in the loop asked for: before it begins, or when its last task does, while
// others may be at work.
class CancelsIn final : public Executor {
 public:
  CancelsIn(Executor& threads, int loop, bool before)
      : threads_(threads), left_(loop), before_(before) {}
  int thread_count() const override { return threads_.thread_count(); }
  void Run(std::size_t blocks, BlockTask task) override {
    const bool here = left_-- == 0;
    if (here && before_) cancel = true;
    auto one = [&](std::size_t block) {
      if (here && block + 1 == blocks) cancel = true;
      task(block);
    };
    threads_.Run(blocks, BlockTask(one));
  }
  std::atomic<bool> cancel = false;

 private:
  Executor& threads_;
  int left_;
  const bool before_;
};

TEST(Distances, StoppedOnTheWayKeepsCheapestOnesOnly) {
  const Case c{"wide", 1, [&](CaseGraph& g, int) {
                 std::mt19937_64 random(9);
                 g.AddNodes(20000);  // buckets of thousands: too many for one thread alone
                 for (int i = 0; i < 160000; ++i)
                   g.Link(random() % 20000, kLink, random() % 20000,
                          static_cast<float>(1 + random() % 255));
               }};
  const CaseGraph g = Build(c, Shape::kClean);
  const auto all = Distances(g.snapshot(), 7, {.cost = PathCost::kWeight, .delta = 48});
  ASSERT_FALSE(all->truncated);
  int cut = 0;
  for (const auto& e : Executors())
    for (int part = 0;; ++part) {
      DistancesOptions options{.cost = PathCost::kWeight, .delta = 48};
      CancelsIn executor(*e.executor, part / 2, part % 2 == 0);
      options.run.budget.cancel = &executor.cancel;
      options.run.executor = &executor;
      const auto got = Distances(g.snapshot(), 7, options);
      ASSERT_TRUE(got.has_value());
      std::uint64_t finite = 0;
      double last = 0, first_missing = kInfinity;
      for (NodeId v = 0; v < g.size(); ++v) {
        if (got->distances[v] == kInfinity) {
          first_missing = std::min(first_missing, all->distances[v]);
          continue;
        }
        ASSERT_EQ(got->distances[v], all->distances[v]) << v << ", " << e.name << ", " << part;
        last = std::max(last, got->distances[v]);
        ++finite;
      }
      EXPECT_EQ(got->reached, finite);
      EXPECT_EQ(got->truncated, finite < all->reached) << e.name << ", " << part;
      if (!executor.cancel) break;
      EXPECT_LE(last, first_missing);  // nothing cheaper is missing
      cut += finite > 1;
    }
  EXPECT_GE(cut, 2);  // before the first loop a part is done, whoever runs it
}

// Claims eight threads and has two: two begin at once, the others when these are done.
class InWaves : public Executor {
 public:
  int thread_count() const override { return 8; }
  void Run(std::size_t blocks, BlockTask task) override {
    for (std::size_t b = 0; b < blocks; b += 2) {
      std::thread other([&] { task(b); });
      if (b + 1 < blocks) task(b + 1);
      other.join();
    }
  }
};

// What a loop leaves behind is neither lost nor in the way of the next.
TEST(WorkSharing, UntakenListsAreReturned) {
  paths::internal::WorkSharing<int> exchange;
  exchange.Open();
  exchange.Join();
  exchange.Share({1, 2});
  exchange.Share({3});
  exchange.Leave();
  EXPECT_EQ(exchange.DrainLists(), (std::vector<std::vector<int>>{{1, 2}, {3}}));
  EXPECT_TRUE(exchange.DrainLists().empty());
  exchange.Open();
  exchange.Join();
  bool wanted = false;
  EXPECT_TRUE(exchange.Request([&] { return wanted = exchange.wanted(), !wanted; }).empty());
  EXPECT_TRUE(wanted);
  exchange.Leave();
}

// One bucket in which every node is made cheaper many times.
TEST(DistancesCsr, NodesThatComeAgainAndAgain) {
  constexpr NodeId kChain = 3000;  // node i > 0 leads to i - 1, 0 to all
  std::vector<std::uint32_t> offsets = {0};
  std::vector<NodeId> neighbors;
  std::vector<float> weights;
  for (NodeId v = 1; v <= kChain; ++v) {
    neighbors.push_back(v);
    weights.push_back(2.0f * static_cast<float>(kChain + 1 - v));
  }
  offsets.push_back(kChain);
  for (NodeId v = 1; v <= kChain; ++v) {
    if (v > 1) {
      neighbors.push_back(v - 1);
      weights.push_back(1);
    }
    offsets.push_back(static_cast<std::uint32_t>(neighbors.size()));
  }
  const CsrView out{offsets, neighbors, weights, {}, {}};
  for (const auto& e : Executors()) {
    const auto got = DistancesCsr(out, 0, {.delta = 1e9f, .executor = e.executor.get()}).value();
    for (NodeId v = 1; v <= kChain; ++v)
      ASSERT_EQ(got[v], 2.0f + static_cast<float>(kChain - v)) << e.name;
  }
}

// A road network, whose frontier is handed from thread to thread, in pieces with a bottleneck
// between them.
TEST(DistancesCsr, SharedWorkGivesTheSameCosts) {
  constexpr NodeId kSide = 250, kGrids = 2;
  std::mt19937_64 random(5);
  const Case c{"grids", 1, [&](CaseGraph& g, int) {
                 g.AddNodes(kSide * kSide * kGrids + 2000);
                 auto join = [&](NodeId a, NodeId b) {
                   const auto weight = static_cast<float>(1 + random() % 255);
                   g.Link(a, kLink, b, weight);
                   g.Link(b, kLink, a, weight);
                 };
                 for (NodeId piece = 0; piece < kGrids; ++piece)
                   for (NodeId i = 0; i < kSide * kSide; ++i) {
                     const NodeId v = piece * (kSide * kSide + 1000) + i;
                     if (i % kSide + 1 < kSide && random() % 5) join(v, v + 1);
                     if (i + kSide < kSide * kSide && random() % 5) join(v, v + kSide);
                   }
                 // A chain: one node wide, long enough for helpers to lose patience.
                 for (NodeId i = kSide * kSide - 1; i < kSide * kSide + 1000; ++i) join(i, i + 1);
               }};
  const CaseGraph g = Build(c, Shape::kClean);
  const DenseView view = DenseView::Make(g.snapshot()).value();
  const CsrView out = view.out();
  const auto want = DistancesCsr(out, 3, {.executor = &SerialExecutor()}).value();
  std::uint64_t reached = 0;
  for (float d : want) reached += d < std::numeric_limits<float>::infinity();
  EXPECT_GT(reached, kSide * kSide * kGrids * 9 / 10);
  OrderedExecutor forwards(false), backwards(true);
  InWaves waves;
  std::vector<Executor*> executors = {&forwards, &backwards, &waves};
  const auto named = Executors();
  for (const auto& e : named) executors.push_back(e.executor.get());
  for (Executor* executor : executors)
    for (float delta : {0.0f, 2.0f, 4000.0f}) {
      const auto got = DistancesCsr(out, 3, {.delta = delta, .executor = executor}).value();
      ASSERT_TRUE(std::ranges::equal(got.span(), want.span())) << delta;
    }
}

// Bare arrays in f32: whole numbers add exactly.
TEST(DistancesCsr, EqualsF64AtAnyThreadCount) {
  std::mt19937_64 random(4);
  const Case c{"whole weights", 1, [&](CaseGraph& g, int) {
                 g.AddNodes(2000);
                 for (int i = 0; i < 12000; ++i)
                   g.Link(random() % 2000, kLink, random() % 2000,
                          static_cast<float>(1 + random() % 255));
               }};
  const CaseGraph g = Build(c, Shape::kClean);
  const auto want = Distances(g.snapshot(), 5, {.cost = PathCost::kWeight});
  ASSERT_TRUE(want.has_value());
  const DenseView view = DenseView::Make(g.snapshot()).value();
  for (const auto& e : Executors())
    for (float delta : {0.0f, 1.0f, 64.0f}) {
      const auto got =
          DistancesCsr(view.out(), 5, {.delta = delta, .executor = e.executor.get()}).value();
      EXPECT_TRUE(std::ranges::equal(got.span(), want->distances, [](float a, double b) {
        return static_cast<double>(a) == b;
      })) << e.name;
    }
}

// More arcs than are taken to lie in the caches: rows are fetched ahead and none is copied. Short
// rows and hubs, against Bellman-Ford in f32.
TEST(DistancesCsr, RowsThatAreFetchedAhead) {
  constexpr NodeId kNodes = 60'000;
  std::mt19937 random(7);
  std::vector<std::uint32_t> offsets = {0};
  std::vector<NodeId> neighbors;
  std::vector<float> weights;
  for (NodeId v = 0; v < kNodes; ++v) {
    const std::size_t degree = v % 5000 == 17 ? 20'000 : v % 7 == 0 ? 0 : random() % 40;
    for (std::size_t i = 0; i < degree; ++i) {
      neighbors.push_back(random() % kNodes);
      weights.push_back(static_cast<float>(random() % 256));
    }
    offsets.push_back(static_cast<std::uint32_t>(neighbors.size()));
  }
  ASSERT_GT(neighbors.size(), std::size_t{1} << 20);
  std::vector<float> want(kNodes, std::numeric_limits<float>::infinity());
  want[17] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId v = 0; v < kNodes; ++v)
      for (std::uint32_t a = offsets[v]; a < offsets[v + 1]; ++a)
        if (const float cost = want[v] + weights[a]; cost < want[neighbors[a]]) {
          want[neighbors[a]] = cost;
          changed = true;
        }
  }
  const CsrView out{offsets, neighbors, weights, {}, {}};
  for (const auto& e : Executors())
    for (float delta : {0.0f, 1.0f, 500.0f}) {
      const auto got =
          DistancesCsr(out, 17, {.delta = delta, .executor = e.executor.get()}).value();
      ASSERT_TRUE(std::ranges::equal(got.span(), want)) << e.name << " " << delta;
    }
}

// A few of many are in reach of the buckets at any time: each waits in a heap, not in a list that
// is looked through again for every few.
TEST(Distances, CostsOverThirtyOrdersOfMagnitude) {
  constexpr NodeId kLeaves = 100'000;
  std::vector<std::uint32_t> offsets(kLeaves + 2, kLeaves);
  offsets[0] = 0;
  std::vector<NodeId> neighbors(kLeaves);
  std::vector<float> weights(kLeaves);
  std::mt19937 random(3);
  for (NodeId v = 0; v < kLeaves; ++v) {
    neighbors[v] = v + 1;
    weights[v] = std::pow(10.0f, 30.0f * static_cast<float>(random() % 1'000'000) / 1e6f);
  }
  const auto got = DistancesCsr({offsets, neighbors, weights, {}, {}}, 0, {}).value();
  for (NodeId v = 0; v < kLeaves; ++v) ASSERT_EQ(got[v + 1], weights[v]);
}

}  // namespace
}  // namespace plexus::testing
