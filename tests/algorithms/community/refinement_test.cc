// Leiden's refinement by itself, against the conditions of the paper; and the sums it uses.
#include "algorithms/community/internal/refinement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "algorithms/community/internal/node_ordering.h"
#include "algorithms/community/internal/undirected_graph.h"
#include "engine/parallel.h"

namespace plexus::testing {
namespace {

// Nodes that joined one by one, each by links worth more than chance (gamma-connected).
bool GrewByGains(const std::vector<std::vector<double>>& a, const std::vector<double>& strengths,
                 const std::vector<NodeId>& part, double scale) {
  const std::size_t all = std::size_t{1} << part.size();
  std::vector<bool> grown(all);
  for (std::size_t i = 0; i < part.size(); ++i) grown[std::size_t{1} << i] = true;
  for (std::size_t mask = 1; mask < all; ++mask)
    for (std::size_t i = 0; i < part.size() && !grown[mask]; ++i) {
      const std::size_t rest = mask & ~(std::size_t{1} << i);
      if (rest == mask || !grown[rest]) continue;
      double links = 0, strength = 0;
      for (std::size_t j = 0; j < part.size(); ++j)
        if (rest >> j & 1) {
          links += a[part[i]][part[j]];
          strength += strengths[part[j]];
        }
      grown[mask] = links > scale * strengths[part[i]] * strength - 1e-12;
    }
  return grown[all - 1];
}

// The parts of any communities, by the conditions of the paper, tried out.
TEST(Refinement, PartsStayInsideLinkedAndWellConnected) {
  std::mt19937_64 random(11);
  int joined = 0, split = 0;
  for (int round = 0; round < 300; ++round) {
    const auto n = static_cast<NodeId>(2 + random() % 20);
    const bool unit = round % 2 == 0;
    std::vector<std::vector<double>> a(n, std::vector<double>(n, 0.0));
    for (NodeId i = 0; i < 2 * n; ++i) {
      const NodeId u = static_cast<NodeId>(random() % n), v = static_cast<NodeId>(random() % n);
      if (unit && u == v) continue;
      a[u][v] = a[v][u] = unit ? 1.0 : static_cast<double>(1 + random() % 5);
    }
    const auto graph = community::internal::SumRows(
        std::vector<std::uint64_t>(n, n), DefaultExecutor(), nullptr, [&](NodeId v, auto&& fn) {
          for (NodeId u = 0; u < n; ++u) fn(u, a[v][u]);
        });
    ASSERT_TRUE(graph.has_value());
    if (!(graph->total > 0)) continue;
    std::vector<double> strengths(n, 0.0);
    for (NodeId v = 0; v < n; ++v) strengths[v] = std::accumulate(a[v].begin(), a[v].end(), 0.0);
    std::vector<NodeId> communities(n), scratch, parts;
    const NodeId kinds = 1 + n / 10;
    for (NodeId& c : communities) c = static_cast<NodeId>(random() % kinds);
    const NodeId count = community::internal::Renumber(communities, scratch);
    community::internal::Groups groups;
    community::internal::MakeGroups(*graph, communities, count, groups);
    common_internal::ObjectPool<community::internal::SparseAccumulator> accumulators;
    accumulators.Reserve(DefaultExecutor(), n);
    for (auto& accumulator : accumulators.idle())
      graph->unit ? accumulator->Resize<true>(n) : accumulator->Resize<false>(n);
    const double resolution = 0.5 * static_cast<double>(1 + random() % 3);
    const double scale = resolution / std::accumulate(strengths.begin(), strengths.end(), 0.0);
    community::internal::Refinement().Run(*graph, communities, groups, resolution,
                                          DefaultExecutor(), accumulators, nullptr, parts);
    ASSERT_EQ(parts.size(), n);
    std::map<NodeId, std::vector<NodeId>> members;
    for (NodeId v = 0; v < n; ++v) {
      ASSERT_LT(parts[v], n);
      ASSERT_EQ(parts[parts[v]], parts[v]);
      ASSERT_EQ(communities[parts[v]], communities[v]);
      members[parts[v]].push_back(v);
    }
    split += members.size() > count;
    for (const auto& [name, part] : members) {
      if (part.size() == 1) continue;
      ++joined;
      if (part.size() <= 12) {
        ASSERT_TRUE(GrewByGains(a, strengths, part, scale)) << round << ": " << name;
      }
      for (NodeId v : part) {  // well connected to its community when it was alone
        double outside = 0, rest = -strengths[v];
        for (NodeId u = 0; u < n; ++u)
          if (communities[u] == communities[v]) {
            rest += strengths[u];
            if (u != v) outside += a[v][u];
          }
        ASSERT_GE(outside, scale * strengths[v] * rest - 1e-12) << round << ": " << v;
      }
    }
  }
  EXPECT_GT(joined, 100);
  EXPECT_GT(split, 100);
}

// Two cliques in one community come apart, whether or not a link holds them.
TEST(Refinement, CliquesOfOneCommunityAreItsParts) {
  for (const double bridge : {0.0, 1.0}) {
    const auto graph = community::internal::SumRows(
        std::vector<std::uint64_t>(8, 8), DefaultExecutor(), nullptr, [&](NodeId v, auto&& fn) {
          for (NodeId u = 0; u < 8; ++u)
            if (u != v && u / 4 == v / 4) fn(u, 3.0);
          if (v == 0 || v == 4) fn(4 - v, bridge);
        });
    ASSERT_TRUE(graph.has_value());
    const std::vector<NodeId> together(8, 0);
    community::internal::Groups groups;
    community::internal::MakeGroups(*graph, together, 1, groups);
    common_internal::ObjectPool<community::internal::SparseAccumulator> accumulators;
    accumulators.Reserve(DefaultExecutor(), 8);
    for (auto& accumulator : accumulators.idle())
      graph->unit ? accumulator->Resize<true>(8) : accumulator->Resize<false>(8);
    std::vector<NodeId> parts, scratch;
    community::internal::Refinement().Run(*graph, together, groups, 0.5, DefaultExecutor(),
                                          accumulators, nullptr, parts);
    EXPECT_EQ(community::internal::Renumber(parts, scratch), 2u);
    EXPECT_EQ(parts, (std::vector<NodeId>{0, 0, 0, 0, 1, 1, 1, 1}));
  }
}

// Raises the flag in the block asked for.
class CancelsAtBlock final : public Executor {
 public:
  explicit CancelsAtBlock(std::size_t at) : at_(at) {}
  int thread_count() const override { return 1; }
  void Run(std::size_t blocks, BlockTask task) override {
    for (std::size_t block = 0; block < blocks; ++block) {
      if (block == at_) cancel = true;
      task(block);
    }
  }
  std::atomic<bool> cancel = false;

 private:
  std::size_t at_;
};

// A cancel flag that the work itself raises, where it writes a 1 over a 0: a byte of its
// result. So it is raised in the middle of a block, always at the same place.
Budget CancelledBy(const NodeId& written, std::size_t byte) {
  static_assert(sizeof(std::atomic<bool>) == 1 && std::endian::native == std::endian::little);
  Budget budget;
  budget.cancel = reinterpret_cast<const std::atomic<bool>*>(
      reinterpret_cast<const unsigned char*>(&written) + byte);
  return budget;
}

// A ring of many small communities: what comes after a cancel is left as it was. And of one
// large community, which is one block: a cancel is heard inside.
TEST(Refinement, CancelStopsRefinementAndAggregation) {
  constexpr NodeId n = 60'000, kUntouched = kNoNode;
  const auto graph = community::internal::SumRows(
      std::vector<std::uint64_t>(n, 2), DefaultExecutor(), nullptr, [&](NodeId v, auto&& fn) {
        fn((v + 1) % n, 1.0);
        fn((v + n - 1) % n, 1.0);
      });
  ASSERT_TRUE(graph.has_value());
  common_internal::ObjectPool<community::internal::SparseAccumulator> accumulators;
  accumulators.Reserve(DefaultExecutor(), n);
  for (auto& accumulator : accumulators.idle()) accumulator->Resize<true>(n);
  community::internal::Groups groups;
  community::internal::CommunityGraph coarse;
  std::vector<NodeId> communities(n);
  for (NodeId v = 0; v < n; ++v) communities[v] = v / 10;
  community::internal::MakeGroups(*graph, communities, n / 10, groups);
  ASSERT_GT(groups.block_count(), 3u);
  for (const std::size_t block : {0u, 2u}) {
    CancelsAtBlock executor(block);
    Budget budget;
    budget.cancel = &executor.cancel;
    std::vector<NodeId> parts(n, kUntouched);
    EXPECT_FALSE(community::internal::Refinement().Run(*graph, communities, groups, 1, executor,
                                                       accumulators, &budget, parts));
    EXPECT_EQ(static_cast<NodeId>(std::ranges::count(parts, kUntouched)),
              n - 10 * groups.blocks[block]);
    executor.cancel = false;
    EXPECT_FALSE(community::internal::Aggregate(*graph, communities, groups, executor, accumulators,
                                                &budget, coarse));
    executor.cancel = false;
    EXPECT_TRUE(community::internal::Aggregate(*graph, communities, groups, DefaultExecutor(),
                                               accumulators, &budget, coarse));
  }
  communities.assign(n, 0);
  community::internal::MakeGroups(*graph, communities, 1, groups);
  ASSERT_EQ(groups.block_count(), 1u);
  constexpr NodeId kPollInterval = 4095;  // nodes done when it is asked for the first time
  std::vector<NodeId> parts(n, 0);
  Budget budget = CancelledBy(parts[256], 1);  // raised when node 256 begins alone
  EXPECT_FALSE(community::internal::Refinement().Run(
      *graph, communities, groups, 1, DefaultExecutor(), accumulators, &budget, parts));
  for (NodeId v = 0; v < n; ++v) ASSERT_EQ(parts[v], v < kPollInterval ? v : 0) << v;
  parts.assign(n, 0);
  budget = CancelledBy(parts[0], 0);  // raised when node 0 joins node 1
  EXPECT_FALSE(community::internal::Refinement().Run(
      *graph, communities, groups, 1, DefaultExecutor(), accumulators, &budget, parts));
  EXPECT_EQ(parts[0], 1u);
  for (NodeId v = kPollInterval; v < n; ++v) ASSERT_EQ(parts[v], v) << v;
  // The same of aggregating: community 0 is written, and heard of in the large community 1.
  for (NodeId v = 0; v < n; ++v) communities[v] = v < 10 ? 0 : 1;
  community::internal::MakeGroups(*graph, communities, 2, groups);
  ASSERT_EQ(groups.block_count(), 1u);
  EXPECT_TRUE(community::internal::Aggregate(*graph, communities, groups, DefaultExecutor(),
                                             accumulators, nullptr, coarse));
  EXPECT_EQ(coarse.neighbors[0], 1u);
  EXPECT_EQ(coarse.strengths[1], 2.0 * (n - 10));
  coarse.neighbors[0] = 0;
  budget = CancelledBy(coarse.neighbors[0], 0);
  EXPECT_FALSE(community::internal::Aggregate(*graph, communities, groups, DefaultExecutor(),
                                              accumulators, &budget, coarse));
  EXPECT_EQ(coarse.strengths[1], 2.0 * kPollInterval);
  communities.assign(n, 0);
  community::internal::MakeGroups(*graph, communities, 1, groups);
  // What was left half done did not spoil the tallies.
  EXPECT_TRUE(community::internal::Aggregate(*graph, communities, groups, DefaultExecutor(),
                                             accumulators, nullptr, coarse));
  EXPECT_EQ(coarse.loops[0], 2.0 * n);
}

// A kind of row has an array of its own, which is made when it is asked for.
TEST(SparseAccumulator, HoldsWhatIsInUse) {
  community::internal::SparseAccumulator counts, sums;
  counts.Resize<true>(1000);
  EXPECT_LT(counts.bytes(), 9000u);
  sums.Resize<false>(1000);
  EXPECT_LT(sums.bytes(), 13000u);
  counts.Resize<false>(10);
  community::internal::SparseAccumulator::Row<false> row(counts);
  row.Add(9, 0.5);
  row.ForEachAndClear([](NodeId label, double sum) {
    EXPECT_EQ(label, 9u);
    EXPECT_EQ(sum, 0.5);
  });
}

// A short row in a list and the dense array say the same.
TEST(SparseAccumulator, SmallAndDenseAccumulatorsAgree) {
  std::mt19937_64 random(5);
  community::internal::SparseAccumulator accumulator;
  accumulator.Resize<false>(20);
  for (int round = 0; round < 500; ++round) {
    community::internal::SparseAccumulator::Row<false> dense(accumulator);
    community::internal::SmallAccumulator<false> list;
    for (std::uint64_t i = random() % (community::internal::SmallAccumulator<false>::kMaxArcs + 1);
         i > 0; --i) {
      const auto label = static_cast<NodeId>(random() % 20);
      const auto weight = static_cast<double>(1 + random() % 9);
      dense.Add(label, weight);
      list.Add(label, weight);
    }
    ASSERT_EQ(list.count(), dense.count());
    for (NodeId label = 0; label < 20; ++label) ASSERT_EQ(list.sum(label), dense.sum(label));
    std::vector<std::pair<NodeId, double>> a, b;
    dense.ForEachAndClear([&](NodeId label, double sum) { a.emplace_back(label, sum); });
    list.ForEachAndClear([&](NodeId label, double sum) { b.emplace_back(label, sum); });
    ASSERT_EQ(a, b);
  }
}

// Who shares a row: one neighbour by at most 8 arcs, and no loop, and something between the two.
TEST(PendantFolding, LeavesShareTheirNeighboursRow) {
  using community::internal::NodeOrdering;
  const std::vector<std::vector<std::pair<NodeId, double>>> arcs = {
      {{1, 1}, {2, 1}, {3, 2}, {3, 1}, {4, 0}},  // 0: a hub
      {{0, 1}, {2, 1}},                          // 1
      {{0, 1}, {1, 1}, {5, 1}},                  // 2
      {{0, 2}, {0, 1}},                          // 3: a leaf of 0, by two arcs
      {{0, 0}},                                  // 4: nothing holds it
      {{2, 1}, {5, 3}, {5, 3}},                  // 5: a leaf with a loop
      {{7, 1}},                                  // 6 and 7: each other's only one
      {{6, 1}},
      {},                // 8
      {{9, 4}, {9, 4}},  // 9: a loop alone
      {{11, 1}},         // 10 to 12: not symmetric, a ring
      {{12, 1}},
      {{10, 1}},
      std::vector<std::pair<NodeId, double>>(
          9, {0, 1}),  // 13: one neighbour, by more arcs than are asked
      std::vector<std::pair<NodeId, double>>(8, {0, 1}),  // 14: by as many as are
  };
  const auto n = static_cast<NodeId>(arcs.size());
  std::vector<NodeId> selected;
  std::vector<std::uint64_t> degrees;
  for (NodeId v = 0; v < n; ++v) {
    if (v == 11) continue;  // not selected
    selected.push_back(v);
    degrees.push_back(arcs[v].size());
  }
  const auto walk = [&](NodeId v, auto&& fn) {
    for (const auto& [u, weight] : arcs[v])
      if (u != 11) fn(u, weight);
  };
  const auto folded = community::internal::MakeNodeOrdering(n, selected, degrees, true,
                                                            DefaultExecutor(), nullptr, walk);
  ASSERT_TRUE(folded.has_value());
  EXPECT_EQ(folded->rows[3], folded->rows[0]);
  EXPECT_NE(folded->rows[13], folded->rows[0]);
  EXPECT_EQ(folded->rows[14], folded->rows[0]);
  EXPECT_EQ(folded->rows[7], folded->rows[6]);
  EXPECT_EQ(folded->nodes[folded->rows[6]], 6u);
  EXPECT_EQ(folded->rows[8], NodeOrdering::kIsolated);
  EXPECT_EQ(folded->rows[11], kNoNode);
  EXPECT_EQ(folded->rows[12], folded->rows[10]);
  std::vector<NodeId> named(folded->nodes.begin(), folded->nodes.end());
  std::ranges::sort(named);
  EXPECT_EQ(named, (std::vector<NodeId>{0, 1, 2, 4, 5, 6, 9, 10, 13}));
  for (NodeId row = 0; row < folded->nodes.size(); ++row)
    EXPECT_EQ(folded->rows[folded->nodes[row]], row);
  const auto plain = community::internal::MakeNodeOrdering(n, selected, degrees, false,
                                                           DefaultExecutor(), nullptr, walk);
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->nodes.size(), selected.size());
}

// Over several blocks: by id where degrees are even; else the busiest first, by id where they
// differ by less than a quarter octave.
TEST(NodeOrdering, EvenDegreesKeepTheirOrderAndHubsComeFirst) {
  const NodeId n = 20000;
  std::vector<NodeId> selected;
  for (NodeId v = 0; v < n; ++v)
    if (v % 7 != 3) selected.push_back(v);
  const auto places = [&](const std::vector<std::uint64_t>& degrees, Executor& executor) {
    return *community::internal::MakeNodeOrdering(n, selected, degrees, false, executor, nullptr,
                                                  [](NodeId, auto&&) {});
  };
  std::vector<std::uint64_t> degrees(selected.size());
  for (std::size_t i = 0; i < degrees.size(); ++i) degrees[i] = 3 + i % 4;
  const community::internal::NodeOrdering even = places(degrees, DefaultExecutor());
  EXPECT_TRUE(std::ranges::equal(even.nodes, selected));
  EXPECT_TRUE(std::ranges::equal(even.degrees, degrees));
  for (std::size_t i = 0; i < degrees.size(); ++i) degrees[i] = i % 50 == 7 ? 64 + i % 16 : i % 3;
  const community::internal::NodeOrdering skewed = places(degrees, DefaultExecutor()),
                                          alone = places(degrees, SerialExecutor());
  EXPECT_TRUE(std::ranges::equal(skewed.nodes, alone.nodes));
  std::vector<std::size_t> order(selected.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t i) { return std::min<std::uint64_t>(degrees[i], 64); });
  for (NodeId row = 0; row < order.size(); ++row) {
    ASSERT_EQ(skewed.nodes[row], selected[order[row]]) << row;
    EXPECT_EQ(skewed.degrees[row], degrees[order[row]]);
    EXPECT_EQ(skewed.rows[selected[order[row]]], row);
  }
  EXPECT_EQ(skewed.rows[3], kNoNode);
}

}  // namespace
}  // namespace plexus::testing
