// Maximum flows and minimum cuts against augmenting paths; where the search may stop, and
// that the network is the same at any thread count.
#include "algorithms/connectivity/connectivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

#include "algorithms/connectivity/internal/flow_network.h"
#include "tests/reference/oracles.h"
#include "tests/support/cancelling_executor.h"
#include "tests/support/edge_keys.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace connectivity;
namespace {

void CheckFlow(const CaseGraph& g, NodeId source, NodeId sink, const MaxFlowOptions& options) {
  const auto flat = g.Flat(options.filter.kinds, options.filter.subset, options.filter.valid_at);
  if (source == sink || !flat.selected[source] || !flat.selected[sink]) return;
  auto arcs = Walkable(flat, options.undirected ? Direction::kBoth : Direction::kOut);
  const double want =
      reference::MaxFlow(arcs, flat.node_count(), source, sink, options.unit_capacities);
  const auto got = MaxFlow(g.snapshot(), source, sink, options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  ASSERT_EQ(got->flow, want) << source << " to " << sink;
  ASSERT_EQ(got->error, 0);
  // The cut carries as much, and without it nothing comes through.
  double cut = 0;
  for (const PathEdge& e : got->cut)
    cut += options.unit_capacities ? 1.0 : static_cast<double>(e.weight);
  ASSERT_EQ(cut, want);
  auto gone = Keys(got->cut);
  std::erase_if(arcs, [&](const auto& a) {
    return std::binary_search(gone.begin(), gone.end(), KeyOf(a.from, a.to, a));
  });
  ASSERT_EQ(reference::MaxFlow(arcs, flat.node_count(), source, sink, options.unit_capacities), 0);
  ASSERT_EQ(got->cut.empty(), want == 0);
}

TEST(MaxFlow, EqualsAugmentingPathsAndItsCut) {
  ForEachGraph([](const CaseGraph& g, Shape shape) {
    const NodeId n = g.snapshot().node_count();
    if (n > 100) {  // the oracle is slow
      if (shape != Shape::kRuns) return;
      CheckFlow(g, 0, n - 1, {});
      CheckFlow(g, 1, n / 2, {.undirected = true});
      return;
    }
    const NodeSubset subset = SubsetOf(g.snapshot(), [](NodeId v) { return v % 3 != 1; });
    std::mt19937_64 random(3);
    for (int pair = 0; pair < 4 && n > 1; ++pair) {
      const auto source = static_cast<NodeId>(pair ? random() % n : 0),
                 sink = static_cast<NodeId>(pair ? random() % n : n - 1);
      CheckFlow(g, source, sink, {});
      CheckFlow(g, source, sink, {.unit_capacities = true});
      CheckFlow(g, source, sink, {.undirected = true});
      CheckFlow(g, source, sink,
                {.unit_capacities = true,
                 .undirected = true,
                 .filter = {.kinds = {kHasTag, kLink, kSimilar}}});
      if (source % 3 != 1 && sink % 3 != 1)
        CheckFlow(g, source, sink, {.undirected = true, .filter = {.subset = &subset}});
    }
  });
}

TEST(MaxFlow, WeightsFarApart) {
  CaseGraph g;
  g.AddNodes(4);
  g.Link(0, kLink, 1, 3e38f);
  g.Link(1, kLink, 3, 3e38f);
  g.Link(0, kLink, 2, 1e-30f);
  g.Link(2, kLink, 3, 0.25f);
  g.Commit();
  const auto got = MaxFlow(g.snapshot(), 0, 3);
  ASSERT_TRUE(got.has_value());
  EXPECT_NEAR(got->flow, 3e38, 1e32);
  EXPECT_GT(got->error, 0);
  EXPECT_LT(got->error, 1e22);
  EXPECT_EQ(got->cut.size(), 2u);
  EXPECT_EQ(MaxFlow(g.snapshot(), 2, 3)->flow, 0.25);
  EXPECT_EQ(MaxFlow(g.snapshot(), 0, 2)->flow, static_cast<double>(1e-30f));
}

// A narrow place in the middle, at the source, at the sink.
TEST(MaxFlow, WhereverTheNarrowPlaceIs) {
  constexpr std::size_t kWide = 200;
  struct Round {
    float first, middle;  // of an arc from the source, of the one in the middle
    double flow;
    std::size_t cut, source_side;
  };
  for (const Round& round :
       {Round{0.25f, 0.5f, 0.5, 1, kWide + 2}, Round{0.25f, 100, 25, kWide, 2 * kWide + 3},
        Round{0.0625f, 100, 12.5, kWide, 1}}) {
    CaseGraph g;
    g.AddNodes(2 * kWide + 4);
    const std::size_t in = 2 * kWide, out = in + 1, source = in + 2, sink = in + 3;
    for (std::size_t i = 0; i < kWide; ++i) {
      g.Link(source, kLink, i, round.first);
      g.Link(i, kLink, in, 1.0f);
      g.Link(out, kLink, kWide + i, 1.0f);
      g.Link(kWide + i, kLink, sink, 0.125f);
    }
    g.Link(in, kLink, out, round.middle);
    g.Commit();
    const auto got = MaxFlow(g.snapshot(), static_cast<NodeId>(source), static_cast<NodeId>(sink));
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->flow, round.flow);
    EXPECT_EQ(got->source_side, round.source_side);
    EXPECT_EQ(got->nodes, 2 * kWide + 4);
    EXPECT_EQ(got->pairs, 4 * kWide + 1);
    EXPECT_EQ(got->cut.size(), round.cut);
  }
}

// Boost's own search hears of a cancel, too: the network is long enough for it to look.
TEST(MaxFlow, TheSearchItselfCanBeStopped) {
  constexpr std::uint32_t kNodes = 150'000;
  std::vector<std::uint32_t> offsets = {0}, targets, reverse;
  std::vector<std::int64_t> capacities;
  for (std::uint32_t v = 0; v < kNodes; ++v) {
    if (v > 0) {
      targets.push_back(v - 1);
      capacities.push_back(0);
      reverse.push_back(offsets[v - 1] + (v > 1 ? 1 : 0));
    }
    if (v + 1 < kNodes) {
      targets.push_back(v + 1);
      capacities.push_back(7 + v % 3);
      reverse.push_back(static_cast<std::uint32_t>(targets.size()));
    }
    offsets.push_back(static_cast<std::uint32_t>(targets.size()));
  }
  const auto chain = [&] {
    connectivity::internal::FlowNetwork network;
    network.sink = kNodes - 1;
    network.offsets = offsets;
    network.targets = AlignedArray<std::uint32_t>(targets);
    network.reverse = AlignedArray<std::uint32_t>(reverse);
    network.capacities = AlignedArray<std::int64_t>(capacities);
    return network;
  };
  std::int64_t flow = 0;
  connectivity::internal::FlowNetwork network = chain(), other = chain();
  EXPECT_TRUE(connectivity::internal::AugmentPaths(network, {}, flow));
  EXPECT_EQ(flow, 7);
  EXPECT_EQ(network.capacities[0], 0);  // 7 before
  EXPECT_EQ(network.capacities[1], 7);  // the way back of it
  EXPECT_FALSE(connectivity::internal::AugmentPaths(other, kStopped, flow));
}

// A cancel in any loop of making the network: no flow and no cut, and never a wrong one.
TEST(MaxFlow, HearsCancelInEveryStep) {
  CaseGraph g;
  constexpr std::size_t n = 10'000;  // more than a block of nodes asked and of rows made
  g.AddNodes(n);
  std::mt19937_64 random(5);
  for (std::size_t i = 0; i < 4 * n; ++i)
    g.Link(random() % n, kLink, random() % n, static_cast<float>(1 + random() % 4));
  for (std::size_t i = 1; i < 40; ++i) {
    g.Link(0, kLink, 10 * i, 1.0f);
    g.Link(10 * i + 5, kLink, n - 1, 2.0f);
  }
  g.Commit();
  const auto whole = MaxFlow(g.snapshot(), 0, n - 1);
  ASSERT_TRUE(whole.has_value());
  ASSERT_GT(whole->flow, 30);
  int truncated = 0;
  for (bool cancelled = true; cancelled;) {
    CancelsAt executor(truncated);
    MaxFlowOptions options;
    options.run.executor = &executor;
    options.run.budget.cancel = &executor.cancel;
    const auto got = MaxFlow(g.snapshot(), 0, n - 1, options);
    ASSERT_TRUE(got.has_value());
    cancelled = executor.cancel;
    ASSERT_LE(executor.after, 1) << truncated;  // the next loop begins, looks and is left
    ASSERT_EQ(got->truncated, cancelled) << truncated;
    EXPECT_EQ(got->flow, cancelled ? 0 : whole->flow);
    EXPECT_EQ(Keys(got->cut), cancelled ? std::vector<Key>() : Keys(whole->cut));
    truncated += cancelled;
  }
  EXPECT_GE(truncated, 4);  // asking from both ends, and the two passes over rows
}

TEST(MaxFlow, ErrorsAndBudget) {
  const CaseGraph& g = Large(0, Shape::kRuns);
  const Snapshot s = g.snapshot();
  EXPECT_EQ(MaxFlow(s, 2, 2).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(MaxFlow(s, 0, s.node_count()).error().code, ErrorCode::kInvalidArgument);
  NodeId removed = 0, alive = 0;
  while (s.alive(removed)) ++removed;
  while (!s.alive(alive)) ++alive;
  NodeId other = alive + 1;
  while (!s.alive(other)) ++other;
  EXPECT_EQ(MaxFlow(s, alive, removed).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(MaxFlow(s, alive, other, {.run = {.budget = kStopped}})->truncated);
}

}  // namespace
}  // namespace plexus::testing
