// What the searches are made of: one order of sums, heads of rows, a threshold by counting, a row
// that is heard arc by arc. Each against the plain way.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "algorithms/common/internal/interruptible_arcs.h"
#include "algorithms/traversal/internal/row_descriptors.h"
#include "algorithms/traversal/internal/top_k_threshold.h"
#include "algorithms/traversal/traversal.h"
#include "tests/algorithms/traversal/traverse_query.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace traversal;
namespace {

// Sums of irregular weights over several kinds: a layer pushed because of a budget, pulled
// without one, and cut and gone on with, to the last bit.
TEST(TraverseParts, SumsHaveOneOrder) {
  std::mt19937 random(7);
  for (bool compact : {false, true}) {
    CaseGraph g;
    constexpr std::size_t kNodes = 2200;
    g.AddNodes(kNodes);
    const EdgeKindId kinds[] = {kLink, kSupports, kRelatesTo, kCauses};
    auto weight = [&] { return static_cast<float>(1 + random() % 1000) / 1009.0f; };
    for (std::size_t i = 0; i < 9000; ++i) {
      const std::size_t v = i < 300 ? 0 : random() % kNodes;
      g.Link(v, kinds[random() % 4], (v + 1 + random() % (kNodes - 1)) % kNodes, weight(),
             random() % 8 == 0 ? "other" : "");
      if (i == 6000) {
        g.Commit();
        g.Compact();
      }
    }
    g.Commit();
    if (compact) g.Compact();
    const auto two = MakeTbbExecutor(2);
    for (Aggregate aggregate : {Aggregate::kSum, Aggregate::kNoisyOr, Aggregate::kMax})
      for (Direction direction : {Direction::kOut, Direction::kIn, Direction::kBoth}) {
        SCOPED_TRACE(::testing::Message()
                     << "aggregate " << static_cast<int>(aggregate) << " direction "
                     << static_cast<int>(direction) << (compact ? " compacted" : " delta"));
        TraverseOptions options;
        options.aggregate = aggregate;
        options.direction = direction;
        options.top = 0;
        options.decay = 0.9;
        const std::vector<NodeWeight> seeds = {{0, 0.7}, {1, 0.3}};
        const TraverseResult pulled = Query(g.snapshot(), seeds, options);
        options.run.budget.nodes = pulled.nodes;  // no room for a pull
        const TraverseResult pushed = Query(g.snapshot(), seeds, options);
        ASSERT_FALSE(pushed.truncated);
        ExpectPrefix(pushed, pulled, pulled.hits.size());
        options.run.budget = {};
        options.run.budget.edges = pulled.edges / 5 + 1;
        options.run.executor = two.get();
        TraverseResult part = Query(g.snapshot(), seeds, options);
        int calls = 1;
        for (; part.truncated && calls < 20; ++calls) {
          options.resume = part.resume;
          part = Query(g.snapshot(), seeds, options);
        }
        EXPECT_GE(calls, 4);
        ASSERT_FALSE(part.truncated);
        ExpectPrefix(part, pulled, pulled.hits.size());
        if (::testing::Test::HasFailure()) return;
      }
  }
}

// Sessions with a few links across, as heads are made for; with and without a delta.
TEST(TraverseParts, RowDescriptorsChangeNoResult) {
  CaseGraph g;
  constexpr std::size_t kNodes = 1500;
  g.AddNodes(kNodes);
  std::mt19937 random(3);
  for (std::size_t v = 0; v + 1 < kNodes; ++v)
    if (v % 6 != 5) g.Link(v, kLink, v + 1, 0.8f + static_cast<float>(random() % 100) / 500.0f);
  for (std::size_t i = 0; i < 500; ++i)
    g.Link(i < 300 ? 9 : random() % kNodes, i % 3 ? kSupports : kLink, random() % kNodes, 0.5f);
  g.Commit();
  g.Compact();
  const Snapshot clean = g.snapshot();
  g.Link(3, kLink, kNodes - 1, 0.9f);
  g.Unlink(12, kLink, 13);
  g.AddNode();
  g.Link(9, kLink, kNodes, 0.9f);
  g.Link(kNodes, kLink, 7, 0.9f);
  g.Commit();
  const Snapshot delta = g.snapshot();
  std::atomic<bool> cancel = false;
  auto all = [&] {
    std::vector<TraverseResult> hits;
    std::vector<BfsResult> levels;
    for (const Snapshot& s : {clean, delta})
      for (Direction direction : {Direction::kOut, Direction::kIn})
        for (NodeId v = 0; v < 40; ++v)
          for (int kinds = 0; kinds < 2; ++kinds) {
            TraverseOptions options;
            options.hops = 4;
            options.top = 20;
            options.direction = direction;
            options.run.budget.cancel = &cancel;
            if (kinds) options.filter.kinds = {kLink};
            hits.push_back(Query(s, {{v, 1.0}}, options));
            BfsOptions far;
            far.max_depth = 3;
            far.direction = direction;
            far.filter.kinds = options.filter.kinds;
            far.run.budget.cancel = &cancel;
            levels.push_back(*Bfs(s, {&v, 1}, far));
          }
    return std::pair(std::move(hits), std::move(levels));
  };
  const auto descriptors = traversal::internal::RowDescriptors::Of(clean);
  ASSERT_EQ(descriptors, traversal::internal::RowDescriptors::Of(delta));
  // Paid for, but interrupted: not made.
  cancel = true;
  Budget stopped;
  stopped.cancel = &cancel;
  descriptors->AddTraversedArcs(clean.base(), Direction::kOut, 1'000'000, stopped,
                                DefaultExecutor());
  EXPECT_EQ(descriptors->get(Direction::kOut), nullptr);
  cancel = false;
  Budget few;
  descriptors->AddTraversedArcs(clean.base(), Direction::kOut, 1, few, DefaultExecutor());
  EXPECT_EQ(descriptors->get(Direction::kOut), nullptr);
  const auto before = all();
  ASSERT_NE(descriptors->get(Direction::kOut), nullptr);
  ASSERT_NE(descriptors->get(Direction::kIn), nullptr);
  const auto after = all();
  for (std::size_t i = 0; i < before.first.size(); ++i) {
    const TraverseResult &a = before.first[i], &b = after.first[i];
    ExpectPrefix(a, b, b.hits.size());
    ASSERT_EQ(a.nodes, b.nodes) << i;
    ASSERT_EQ(a.edges, b.edges) << i;
    ASSERT_EQ(before.second[i].nodes, after.second[i].nodes) << i;
    ASSERT_EQ(before.second[i].edges, after.second[i].edges) << i;
  }
}

TEST(TraverseParts, NoRowDescriptorsWhereRowsAreLong) {
  CaseGraph g;
  g.AddNodes(20);
  for (std::size_t v = 0; v < 20; ++v)
    for (std::size_t k = 1; k <= 3; ++k) g.Link(v, kLink, (v + k) % 20);
  g.Commit();
  g.Compact();
  EXPECT_EQ(traversal::internal::RowDescriptors::Of(g.snapshot()), nullptr);
}

// Never above the top-th best of what is there, and close to it once enough came.
TEST(TraverseParts, ThresholdIsAtMostTheTopthBest) {
  std::mt19937 random(11);
  for (double spread : {0.5, 1e-3, 1e-300})
    for (std::size_t top : {std::size_t{1}, std::size_t{7}, std::size_t{100}}) {
      traversal::internal::TopKThreshold threshold;
      threshold.Reset();
      std::multiset<double> values;
      auto start = [&] {
        double least = 1;
        for (double v : values)
          if (v >= threshold.value()) least = std::min(least, v);
        threshold.Start(top, least, 1);
        for (double v : values)
          if (v >= threshold.value()) threshold.Add(v);
        threshold.Started();
      };
      start();
      for (int i = 0; i < 4000; ++i) {
        double value = std::pow(spread, static_cast<double>(random()) / 4294967296.0);
        if (i % 50 == 0) value = i % 100 ? 0.0 : -0.0;
        if (i % 3 == 0 && !values.empty()) {  // a node's value rises
          const auto at =
              std::next(values.begin(), static_cast<std::ptrdiff_t>(random() % values.size()));
          value = std::max(value, *at);
          threshold.Drop(*at);
          values.erase(at);
        }
        values.insert(value);
        if (threshold.Add(value)) start();
        if (values.size() >= top) {
          ASSERT_LE(threshold.value(),
                    *std::next(values.rbegin(), static_cast<std::ptrdiff_t>(top) - 1));
        } else {
          ASSERT_LT(threshold.value(), 0);
        }
      }
      if (spread > 1e-100) {
        EXPECT_GE(threshold.value(),
                  0.9 * *std::next(values.rbegin(), static_cast<std::ptrdiff_t>(top) - 1))
            << spread << " " << top;
      }
    }
}

// The arcs of ForEachArc, and a look at every stored one, whatever is hidden.
TEST(TraverseParts, EveryArcOfARowIsPolled) {
  ForEachCase(SmallCases(), [](const CaseGraph& g, Shape) {
    const Snapshot s = g.snapshot();
    const EdgeKindId named[] = {kLink};
    const ArcFilter filters[] = {ArcFilter::All(), ArcFilter::Kinds(s.schema(), named),
                                 ArcFilter::Kinds(s.schema(), {}),
                                 ArcFilter::Kinds(s.schema(), {}).ValidAt(150)};
    using Seen = std::tuple<NodeId, EdgeKindId, float, std::uint32_t, std::uint32_t>;
    auto seen = [](const Arc& a) {
      return Seen{a.neighbor, a.kind, a.weight, a.ref.run, a.ref.position};
    };
    for (NodeId v = 0; v < s.node_count(); ++v)
      for (Direction direction : {Direction::kOut, Direction::kIn, Direction::kBoth})
        for (const ArcFilter& filter : filters) {
          std::vector<Seen> want, got;
          s.ForEachArc(direction, v, filter, [&](const Arc& arc) { want.push_back(seen(arc)); });
          std::uint64_t stored = 0, looks = 0;
          for (Direction d : {Direction::kOut, Direction::kIn})
            if (direction == d || direction == Direction::kBoth)
              stored += s.Degree(d, v, ArcFilter::All());
          auto take = [&](const Arc& arc) {
            got.push_back(seen(arc));
            return true;
          };
          EXPECT_TRUE(common_internal::ForEachArcInterruptible(
              s, direction, v, filter, [&] { return ++looks > 0; }, take));
          ASSERT_EQ(got, want);
          ASSERT_EQ(looks, stored);
          if (stored < 2) continue;
          looks = 0;
          EXPECT_FALSE(common_internal::ForEachArcInterruptible(
              s, direction, v, filter, [&] { return ++looks < 2; }, take));
          ASSERT_EQ(looks, 2u);
        }
  });
}

}  // namespace
}  // namespace plexus::testing
