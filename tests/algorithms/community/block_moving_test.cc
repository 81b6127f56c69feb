// Moving in blocks against the definition: gains, rest inside a block, who waits, the same bits.
#include "algorithms/community/internal/blockwise_moving.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "algorithms/community/internal/undirected_graph.h"
#include "engine/parallel.h"

namespace plexus::testing {
namespace {

using community::internal::BlockwiseMoving;
using community::internal::CommunityGraph;
using community::internal::CommunitySums;

// A ring of nodes with chords to near ids, a few to far ones, and a hub now and then.
CommunityGraph ShortLinks(NodeId n, bool unit, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::pair<NodeId, double>>> rows(n);
  auto link = [&](NodeId u, NodeId v) {
    const double weight = unit ? 1 : static_cast<double>(1 + random() % 4);
    if (u == v) return;
    for (const auto& [other, w] : rows[u])
      if (other == v) return;
    rows[u].emplace_back(v, weight);
    rows[v].emplace_back(u, weight);
  };
  for (NodeId v = 0; v < n; ++v) {
    if (v % 97 == 5) continue;  // often alone
    if (random() % 3 != 0) link(v, (v + 1) % n);
    for (int i = 0; i < 2; ++i) link(v, (v + 2 + static_cast<NodeId>(random() % 30)) % n);
    if (random() % 300 == 0) link(v, static_cast<NodeId>(random() % n));
    if (v % 1000 == 0)
      for (NodeId i = 1; i < 25; ++i) link(v, (v + 3 * i) % n);
  }
  std::vector<std::uint64_t> degrees(n);
  for (NodeId v = 0; v < n; ++v) degrees[v] = rows[v].size();
  return *community::internal::SumRows(degrees, DefaultExecutor(), nullptr,
                                       [&](NodeId v, auto&& fn) {
                                         for (const auto& [u, weight] : rows[v]) fn(u, weight);
                                       });
}

struct Moved {
  std::vector<NodeId> communities;
  std::vector<std::uint8_t> waiting;
  BlockwiseMoving::Report report;
};

CommunitySums SumsOf(const CommunityGraph& graph, const std::vector<NodeId>& communities) {
  CommunitySums sums;
  sums.totals.assign(graph.nodes, 0.0);
  sums.sizes.assign(graph.nodes, 0);
  for (NodeId v = 0; v < graph.nodes; ++v) {
    sums.totals[communities[v]] += graph.strengths[v];
    ++sums.sizes[communities[v]];
  }
  return sums;
}

Moved Move(const CommunityGraph& graph, std::vector<NodeId> start, BlockwiseMoving::Plan plan,
           Executor& executor, const Budget* budget = nullptr) {
  Moved moved{.communities = std::move(start), .waiting = {}, .report = {}};
  CommunitySums sums = SumsOf(graph, moved.communities);
  common_internal::ObjectPool<community::internal::SparseAccumulator> accumulators;
  accumulators.Reserve(executor, graph.nodes);
  for (auto& accumulator : accumulators.idle())
    graph.unit ? accumulator->Resize<true>(graph.nodes) : accumulator->Resize<false>(graph.nodes);
  BlockwiseMoving blocks;
  moved.report = blocks.Run(graph, moved.communities.data(), sums, plan, executor, accumulators,
                            budget, moved.waiting);
  const CommunitySums after = SumsOf(graph, moved.communities);
  EXPECT_EQ(sums.sizes, after.sizes);
  for (NodeId c = 0; c < graph.nodes; ++c) EXPECT_NEAR(sums.totals[c], after.totals[c], 1e-9) << c;
  return moved;
}

// What v gains by going to `label`, by the definition; an empty one is being alone.
double GainOf(const CommunityGraph& graph, const std::vector<NodeId>& communities,
              const CommunitySums& sums, double scale, NodeId v, NodeId label) {
  double there = 0, here = 0;
  for (std::uint64_t a = graph.rows[v].begin; a < graph.rows[v].end; ++a) {
    const double weight = graph.unit ? 1.0 : graph.weights[a];
    if (communities[graph.neighbors[a]] == label) there += weight;
    if (communities[graph.neighbors[a]] == communities[v]) here += weight;
  }
  const double k = graph.strengths[v];
  return there - scale * k * sums.totals[label] -
         (here - scale * k * (sums.totals[communities[v]] - k));
}

TEST(BlockwiseMoving, GainsAreExactAndOtherNodesAreSettled) {
  const auto two = MakeTbbExecutor(2);
  for (NodeId n : {3u, 700u, 2048u, 2049u, 9001u})
    for (bool unit : {true, false})
      for (double resolution : {0.0, 1.0, 40.0}) {
        SCOPED_TRACE(::testing::Message() << n << (unit ? " unit " : " weighted ") << resolution);
        const CommunityGraph graph = ShortLinks(n, unit, n + unit);
        if (!(graph.total > 0)) continue;
        std::vector<NodeId> start(n);
        std::iota(start.begin(), start.end(), NodeId{0});
        std::mt19937_64 random(n);
        for (int turn = 0; turn < 2;
             ++turn) {  // from single nodes; from any labels, some across blocks
          const BlockwiseMoving::Plan plan{resolution / graph.total, 0, turn == 1, 5,
                                           Budget::kUnlimited};
          const Moved moved = Move(graph, start, plan, SerialExecutor());
          const Moved again = Move(graph, start, plan, *two);
          EXPECT_EQ(moved.communities, again.communities);
          EXPECT_EQ(moved.waiting, again.waiting);
          EXPECT_EQ(moved.report.gain, again.report.gain);
          EXPECT_EQ(moved.report.moves, again.report.moves);
          const double before =
              community::internal::Modularity(graph, start, n, resolution, SerialExecutor());
          const double after = community::internal::Modularity(graph, moved.communities, n,
                                                               resolution, SerialExecutor());
          EXPECT_NEAR(2 * moved.report.gain / graph.total, after - before, 1e-9);
          if (n > 3 && turn == 0 && resolution <= 1) {
            EXPECT_GT(moved.report.moves, n / 4);
          }
          const CommunitySums sums = SumsOf(graph, moved.communities);
          const auto empty =
              static_cast<NodeId>(std::ranges::find(sums.sizes, 0u) - sums.sizes.begin());
          // Nobody asks again when a community's total changed, but when links did: so rest is
          // exact where totals have no price, and nearly so where they have one.
          NodeId free = 0, restless = 0;
          const auto stretch = static_cast<NodeId>((n - 1) / moved.report.blocks + 1);
          for (NodeId v = 0; v < n; ++v) {
            if (moved.waiting[v]) continue;
            ++free;
            for (std::uint64_t a = graph.rows[v].begin; a < graph.rows[v].end; ++a)
              ASSERT_EQ(graph.neighbors[a] / stretch, v / stretch)
                  << v << " is free beside a node of another stretch";
            bool wants =
                empty < n && GainOf(graph, moved.communities, sums, plan.scale, v, empty) > 1e-9;
            for (std::uint64_t a = graph.rows[v].begin; a < graph.rows[v].end; ++a)
              wants |= GainOf(graph, moved.communities, sums, plan.scale, v,
                              moved.communities[graph.neighbors[a]]) > 1e-9;
            restless += wants;
          }
          if (resolution <= 1) {
            EXPECT_LE(restless, resolution > 0 ? n / 25 : 0);
          }
          if (moved.report.blocks == 1) {
            EXPECT_EQ(free, n);
          }
          if (turn == 0 && n > 3) {
            EXPECT_GT(free, n / 2);
          }
          for (NodeId& label : start) label = random() % 4 == 0 ? label / 300 * 300 : label;
        }
      }
}

// A spent budget leaves everybody who was not looked at waiting, and the same at any thread count.
TEST(BlockwiseMoving, StopsWhereTheBudgetSays) {
  const CommunityGraph graph = ShortLinks(20'000, true, 3);
  std::vector<NodeId> start(graph.nodes);
  std::iota(start.begin(), start.end(), NodeId{0});
  const auto two = MakeTbbExecutor(2);
  for (std::uint64_t arcs : {0u, 1000u, 30'000u}) {
    const BlockwiseMoving::Plan plan{1 / graph.total, 1e-4, false, 1, arcs};
    const Moved moved = Move(graph, start, plan, SerialExecutor());
    EXPECT_EQ(moved.communities, Move(graph, start, plan, *two).communities);
    EXPECT_LE(moved.report.arcs, arcs + 100 * moved.report.blocks);
    EXPECT_EQ(moved.report.moves > 0, arcs > 0);
    for (NodeId v = 0; v < graph.nodes && arcs == 0; ++v)
      ASSERT_EQ(moved.waiting[v], graph.degree(v) > 0) << v;
  }
  std::atomic<bool> stop = true;
  Budget budget;
  budget.cancel = &stop;
  EXPECT_EQ(Move(graph, start, {1 / graph.total, 0, false, 1, Budget::kUnlimited}, *two, &budget)
                .report.moves,
            0u);
}

TEST(BlockwiseMoving, IsWorthwhileOnGraphsOfShortLinks) {
  EXPECT_TRUE(BlockwiseMoving::IsWorthwhile(ShortLinks(20'000, true, 1)));
  std::mt19937_64 random(2);
  constexpr NodeId kNodes = 20'000;
  std::vector<std::vector<NodeId>> rows(kNodes);
  for (NodeId i = 0; i < 3 * kNodes; ++i) {
    const auto u = static_cast<NodeId>(random() % kNodes),
               v = static_cast<NodeId>(random() % kNodes);
    rows[u].push_back(v);
    rows[v].push_back(u);
  }
  std::vector<std::uint64_t> degrees;
  for (const auto& row : rows) degrees.push_back(row.size());
  const auto graph =
      community::internal::SumRows(degrees, DefaultExecutor(), nullptr, [&](NodeId v, auto&& fn) {
        for (NodeId u : rows[v]) fn(u, 1.0);
      });
  EXPECT_FALSE(BlockwiseMoving::IsWorthwhile(*graph));
}

}  // namespace
}  // namespace plexus::testing
