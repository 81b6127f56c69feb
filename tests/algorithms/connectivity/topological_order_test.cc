// Topological order against its definition: every edge between sets points forward,
// sets are the strong components, cycles are real and shortest, ties go by id.
#include "algorithms/connectivity/connectivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <set>

#include "algorithms/connectivity/internal/bitmap_min_queue.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace connectivity;
namespace {

void CheckOrder(const CaseGraph& g, EdgeKindId kind, bool reverse) {
  const Snapshot s = g.snapshot();
  reference::FlatGraph flat = g.Flat({kind});
  TopologicalOrderOptions options;
  options.filter.kinds = {kind};
  options.reverse = reverse;
  const auto got = TopologicalOrder(s, options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  ComponentsOptions wanted;
  wanted.filter.kinds = {kind};
  const auto strong = StrongComponents(s, wanted);
  ASSERT_TRUE(strong.has_value());

  std::vector<bool> touched(flat.node_count());
  std::map<NodeId, std::uint64_t> sizes;
  std::map<NodeId, bool> cyclic;
  for (const auto& a : flat.arcs) touched[a.from] = touched[a.to] = true;
  std::map<NodeId, std::size_t> place;
  for (std::size_t i = 0; i < got->order.size(); ++i)
    ASSERT_TRUE(place.emplace(got->order[i].node, i).second) << "twice in the order";
  for (NodeId v = 0; v < flat.node_count(); ++v) {
    ASSERT_EQ(place.contains(v), touched[v]);
    if (touched[v]) ++sizes[strong->labels[v]];
  }
  // Levels: the longest way, sets counted once.
  std::map<NodeId, std::uint32_t> level;
  for (const OrderedNode& node : got->order) {
    const NodeId set = strong->labels[node.node];
    std::uint32_t longest = 0;
    for (const auto& a : flat.arcs) {
      const NodeId from = reverse ? a.to : a.from, to = reverse ? a.from : a.to;
      if (strong->labels[to] != set) continue;
      if (strong->labels[from] == set) {
        cyclic[set] = true;
        continue;
      }
      ASSERT_LT(place[from], place[node.node]);
      longest = std::max(longest, level.at(strong->labels[from]) + 1);
    }
    level[set] = longest;
    ASSERT_EQ(node.level, longest);
  }
  if (got->cycles.empty()) {  // of those that nothing is before any more, the smallest
    std::map<NodeId, std::uint32_t> waits;
    std::set<NodeId> ready;
    for (const auto& a : flat.arcs) ++waits[reverse ? a.from : a.to];
    for (NodeId v = 0; v < flat.node_count(); ++v)
      if (touched[v] && !waits.contains(v)) ready.insert(v);
    for (const OrderedNode& node : got->order) {
      ASSERT_EQ(node.node, *ready.begin());
      ready.erase(ready.begin());
      for (const auto& a : flat.arcs)
        if ((reverse ? a.to : a.from) == node.node && --waits[reverse ? a.from : a.to] == 0)
          ready.insert(reverse ? a.from : a.to);
    }
  }
  std::size_t next = 0;
  for (const auto& [set, is] : cyclic) {
    ASSERT_TRUE(is);
    ASSERT_LT(next, got->cycles.size());
    const OrderCycle& cycle = got->cycles[next++];
    ASSERT_EQ(cycle.nodes[0], set);
    ASSERT_EQ(cycle.size, sizes[set]);
    // Consecutive nodes are joined, and no shorter way leads back.
    for (std::size_t i = 0; i < cycle.nodes.size(); ++i) {
      const NodeId from = cycle.nodes[i], to = cycle.nodes[(i + 1) % cycle.nodes.size()];
      ASSERT_TRUE(std::any_of(flat.arcs.begin(), flat.arcs.end(),
                              [&](const auto& a) { return a.from == from && a.to == to; }));
    }
    std::size_t shortest = SIZE_MAX;
    const auto depths = reference::Depths(flat, {set}, Direction::kOut);
    for (const auto& a : flat.arcs)
      if (a.to == set && depths[a.from] != 0xFFFFFFFFu)
        shortest = std::min<std::size_t>(shortest, depths[a.from] + 1u);
    ASSERT_EQ(cycle.nodes.size(), shortest);
  }
  ASSERT_EQ(next, got->cycles.size());
}

TEST(TopologicalOrder, HoldsOnEveryGraph) {
  ForEachCase(SmallCases(), [](const CaseGraph& g, Shape) {
    for (EdgeKindId kind : {kLink, kSupports, kCauses})
      for (bool reverse : {false, true}) CheckOrder(g, kind, reverse);
  });
}

TEST(TopologicalOrder, SmallestIdFirstAndLevels) {
  // 5 -> 3 -> 1, 5 -> 1, 4 -> 1; 0 alone.
  CaseGraph g = Build({"dag", 1,
                       [](CaseGraph& c, int) {
                         c.AddNodes(6);
                         c.Link(5, kDependsOn, 3);
                         c.Link(3, kDependsOn, 1);
                         c.Link(5, kDependsOn, 1);
                         c.Link(4, kDependsOn, 1);
                         c.Link(2, kLink, 2);
                       }},
                      Shape::kRuns);
  const auto list = [](const Result<TopologicalOrderResult>& result) {
    std::string text;
    for (const OrderedNode& n : result->order)
      text += std::to_string(n.node) + ":" + std::to_string(n.level) + " ";
    return text;
  };
  // No kinds named: depends_on is declared acyclic.
  EXPECT_EQ(list(TopologicalOrder(g.snapshot())), "4:0 5:0 3:1 1:2 ");
  EXPECT_EQ(list(TopologicalOrder(g.snapshot(), {.reverse = true})), "1:0 3:1 4:1 5:2 ");
  const NodeId some[] = {5, 3, 4, 0};
  const NodeSubset subset = *NodeSubset::Of(g.snapshot(), some);
  EXPECT_EQ(list(TopologicalOrder(g.snapshot(), {.filter = {.subset = &subset}})), "5:0 3:1 ");
  const auto loop = TopologicalOrder(g.snapshot(), {.filter = {.kinds = {kLink}}});
  ASSERT_EQ(loop->cycles.size(), 1u);
  EXPECT_EQ(loop->cycles[0].nodes, (std::vector<NodeId>{2}));
  EXPECT_EQ(list(loop), "2:0 ");
}

// Wherever a deadline falls, what is told is how the whole order begins.
TEST(TopologicalOrder, TruncatedIsABeginning) {
  constexpr std::size_t kLength = 150'000;
  CaseGraph g = Build({"chain of cycles", 1,
                       [](CaseGraph& c, int) {
                         c.AddNodes(kLength);
                         for (std::size_t v = 1; v < kLength; ++v) c.Link(v - 1, kDependsOn, v);
                         for (std::size_t v = 10; v < kLength; v += 1000)
                           c.Link(v, kDependsOn, v - 5);
                       }},
                      Shape::kClean);
  const auto whole = TopologicalOrder(g.snapshot());
  ASSERT_FALSE(whole->truncated);
  ASSERT_EQ(whole->order.size(), kLength);
  const std::atomic<bool> cancel = true;
  TopologicalOrderOptions options;
  options.run.budget.cancel = &cancel;
  EXPECT_TRUE(TopologicalOrder(g.snapshot(), options)->truncated);
  EXPECT_TRUE(TopologicalOrder(g.snapshot(), options)->order.empty());
  options.run.budget.cancel = nullptr;
  for (int tenth = 1; tenth < 10; ++tenth) {
    options.run.budget.deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(3 * tenth);
    const auto got = TopologicalOrder(g.snapshot(), options);
    ASSERT_TRUE(got.has_value());
    ASSERT_EQ(got->truncated, got->order.size() < kLength);
    for (std::size_t i = 0; i < got->order.size(); ++i) {
      ASSERT_EQ(got->order[i].node, whole->order[i].node);
      ASSERT_EQ(got->order[i].level, whole->order[i].level);
    }
    ASSERT_LE(got->cycles.size(), whole->cycles.size());
    for (std::size_t i = 0; i < got->cycles.size(); ++i)
      ASSERT_EQ(got->cycles[i].nodes, whole->cycles[i].nodes);
  }
}

TEST(TopologicalOrder, RefusesWhatHasNoDirection) {
  CaseGraph g = Build({"one", 1, [](CaseGraph& c, int) { c.AddNode(); }}, Shape::kClean);
  const auto symmetric = TopologicalOrder(g.snapshot(), {.filter = {.kinds = {kSimilar}}});
  ASSERT_FALSE(symmetric.has_value());
  EXPECT_NE(symmetric.error().message.find("'similar' are symmetric"), std::string::npos);
  EXPECT_TRUE(TopologicalOrder(g.snapshot())->order.empty());
}

// Several levels of words, and the same as a sorted set.
TEST(BitmapMinQueue, PopsTheMinimum) {
  for (const NodeId bound : {1u, 64u, 65u, 5'000u, 300'000u}) {
    connectivity::internal::BitmapMinQueue ids(bound);
    std::set<NodeId> want;
    std::uint64_t random = 1;
    for (int i = 0; i < 20'000; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      if (random >> 62 == 0 && !want.empty()) {
        ASSERT_EQ(ids.PopMin(), *want.begin());
        want.erase(want.begin());
      } else {
        const auto id = static_cast<NodeId>((random >> 30) % bound);
        ids.Insert(id);
        want.insert(id);
      }
      ASSERT_EQ(ids.empty(), want.empty());
    }
    for (const NodeId id : want) ASSERT_EQ(ids.PopMin(), id);
    EXPECT_TRUE(ids.empty());
  }
}

}  // namespace
}  // namespace plexus::testing
