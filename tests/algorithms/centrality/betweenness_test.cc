// Betweenness against counting the paths of every pair.
#include "algorithms/centrality/centrality.h"
#include "algorithms/centrality/internal/betweenness_csr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <span>

#include "algorithms/centrality/internal/brandes.h"
#include "algorithms/centrality/internal/brandes_batch.h"
#include "engine/bulk/topology.h"
#include "tests/reference/oracles.h"
#include "tests/support/cancelling_executor.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace centrality;
namespace {

void Check(const CaseGraph& g, const BetweennessOptions& options) {
  const auto want = reference::Betweenness(
      g.Flat(options.filter.kinds, options.filter.subset, options.filter.valid_at),
      options.undirected, options.max_hops);
  const auto got = Betweenness(g.snapshot(), options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  EXPECT_TRUE(got->exact);
  EXPECT_EQ(got->bound, 0);
  EXPECT_FALSE(got->truncated);
  ASSERT_EQ(got->scores.size(), want.size());
  for (NodeId v = 0; v < want.size(); ++v)
    ASSERT_NEAR(got->scores[v], want[v], 1e-9 * (1 + want[v])) << v;
}

TEST(Betweenness, EqualsCountingPaths) {
  std::uint32_t turn = 0;
  ForEachCase(SmallCases(), [&](const CaseGraph& g, Shape) {
    for (bool undirected : {true, false}) {
      BetweennessOptions options;
      options.undirected = undirected;
      options.run.executor = NextExecutor();
      Check(g, options);
      options.filter.kinds = {kLink, kHasTag};
      Check(g, options);
      options.max_hops = 1 + turn++ % 3;
      Check(g, options);
    }
    const NodeSubset subset = SubsetOf(g.snapshot(), [](NodeId v) { return v % 4 != 2; });
    Check(g, {.filter = {.subset = &subset}});
  });
}

// Deeper than a byte counts, and branching there.
TEST(Betweenness, LongPaths) {
  const Case c{"ladder", 1, [](CaseGraph& g, int) {
                 g.AddNodes(301);
                 for (std::size_t v = 0; v < 300; v += 3) {
                   g.Link(v, kLink, v + 1);
                   g.Link(v, kLink, v + 2);
                   if (v + 3 < 301) {
                     g.Link(v + 1, kLink, v + 3);
                     g.Link(v + 2, kLink, v + 3);
                   }
                 }
                 const std::size_t tail = g.AddNodes(150);
                 g.Link(300, kLink, tail);
                 for (std::size_t v = tail; v + 1 < tail + 150; ++v) g.Link(v, kLink, v + 1);
               }};
  const CaseGraph g = Build(c, Shape::kClean);
  Check(g, {});
  Check(g, {.undirected = false});
}

// Where the hops that count end at the depths that a byte cannot tell from "not reached".
TEST(Betweenness, HopsAroundAByte) {
  const Case c{"path", 1, [](CaseGraph& g, int) {
                 g.AddNodes(270);
                 for (std::size_t v = 0; v + 1 < 270; ++v) g.Link(v, kLink, v + 1);
               }};
  const CaseGraph g = Build(c, Shape::kClean);
  for (const std::uint32_t hops : {252u, 253u, 254u, 255u, 256u})
    for (const bool undirected : {true, false}) {
      BetweennessOptions options;
      options.max_hops = hops;
      options.undirected = undirected;
      Check(g, options);
    }
}

// Sixteen sources at a time; fails when lanes give up.
std::vector<double> ByLanes(const Topology& graph, std::span<const NodeId> sources,
                            std::uint32_t max_hops, Executor& executor) {
  centrality::internal::BrandesBatch lanes(graph.out(), graph.in(), executor);
  std::vector<double> scores(graph.out().node_count(), 0);
  for (std::size_t first = 0; first < sources.size();
       first += centrality::internal::BrandesBatch::kLanes)
    EXPECT_TRUE(lanes.Add(
        sources.subspan(
            first, std::min(centrality::internal::BrandesBatch::kLanes, sources.size() - first)),
        max_hops, {}, scores));
  return scores;
}

std::vector<double> OneByOne(const Topology& graph, std::span<const NodeId> sources,
                             std::uint32_t max_hops) {
  centrality::internal::Brandes search(graph.out());
  search.Prepare(centrality::internal::Brandes::Width::kNarrow);
  std::vector<double> scores(graph.out().node_count(), 0);
  for (const NodeId source : sources) {
    std::vector<double> found(scores.size(), 0);
    EXPECT_TRUE(search.Search(source, max_hops, centrality::internal::Brandes::Width::kNarrow,
                              found.data()));
    std::ranges::transform(scores, found, scores.begin(), std::plus());
  }
  return scores;
}

// Large enough for lanes: against one source a thread, at every thread count and depth.
TEST(Betweenness, LanesEqualSingleSearches) {
  std::mt19937_64 random(5);
  constexpr NodeId kNodes = 33'000;
  std::vector<NodePair> pairs;
  for (NodeId v = 0; v < 200'000; ++v)  // hubs, and a fringe of nodes without edges
    pairs.push_back({static_cast<NodeId>(random() % (random() % 4 ? kNodes - 500 : 40)),
                     static_cast<NodeId>(random() % (kNodes - 500))});
  for (const bool symmetrize : {true, false}) {
    TopologyOptions options;
    options.symmetrize = symmetrize;
    if (!symmetrize) pairs.resize(pairs.size() * 2, {0, 1});
    if (!symmetrize)
      for (std::size_t i = pairs.size() / 2; i < pairs.size(); ++i)
        pairs[i] = {static_cast<NodeId>(random() % kNodes), static_cast<NodeId>(random() % 30'000)};
    const Topology graph = *BuildTopology(kNodes, pairs, options);
    ASSERT_GE(graph.arc_count(), std::uint64_t{kNodes} * 8);
    for (const std::size_t count : {4u, 21u}) {
      std::vector<NodeId> sources;
      for (std::size_t i = 0; i < count; ++i)
        sources.push_back(static_cast<NodeId>(random() % kNodes));
      sources[1] = sources[0];  // twice the same
      sources[2] = kNodes - 1;  // undirected: without an edge
      const auto want = BetweennessCsr(graph.out(), {}, sources).value();
      std::optional<std::vector<double>> first;
      for (const auto& e : Executors()) {
        const auto got = BetweennessCsr(graph.out(), graph.in(), sources, e.executor.get()).value();
        for (NodeId v = 0; v < kNodes; ++v) ASSERT_NEAR(got[v], want[v], 1e-9 * (1 + want[v])) << v;
        if (!first) first = got;
        ASSERT_EQ(got, *first) << e.name;
      }
      // Lanes were what gave it: the very bits of their sums.
      ASSERT_EQ(ByLanes(graph, sources, 0xFFFFFFFFu, SerialExecutor()), *first);
      for (const std::uint32_t max_hops : {0u, 1u, 2u, 3u}) {
        const auto few = OneByOne(graph, sources, max_hops),
                   lanes = ByLanes(graph, sources, max_hops, DefaultExecutor());
        for (NodeId v = 0; v < kNodes; ++v)
          ASSERT_NEAR(lanes[v], few[v], 1e-9 * (1 + few[v])) << max_hops << ", " << v;
        ASSERT_EQ(max_hops > 1, std::ranges::any_of(lanes, [](double x) { return x > 0; }));
      }
    }
  }
}

// Dense in places and deep: lanes give up, single searches take over.
TEST(Betweenness, DeepGraphsLeaveTheLanes) {
  std::mt19937_64 random(6);
  constexpr NodeId kNodes = 40'000, kTail = 300;
  std::vector<NodePair> pairs;
  for (int i = 0; i < 200'000; ++i)
    pairs.push_back({static_cast<NodeId>(random() % (kNodes - kTail)),
                     static_cast<NodeId>(random() % (kNodes - kTail))});
  for (NodeId v = kNodes - kTail; v < kNodes; ++v) pairs.push_back({v - 1, v});
  TopologyOptions options;
  options.symmetrize = true;
  const Topology graph = *BuildTopology(kNodes, pairs, options);
  const std::vector<NodeId> sources = {0, 1, 2, 3, 4, 5};
  const auto want = BetweennessCsr(graph.out(), {}, sources).value(),
             got = BetweennessCsr(graph.out(), graph.in(), sources).value();
  EXPECT_EQ(got, want);
  EXPECT_GT(got[kNodes - 2], 0);
}

// The estimate keeps its promise, and all sources make it exact.
TEST(Betweenness, TheBoundHolds) {
  const Case c{"random", 1, [](CaseGraph& graph, int) {
                 std::mt19937_64 random(8);
                 graph.AddNodes(1000);
                 for (int i = 0; i < 2500; ++i) graph.Link(random() % 1000, kLink, random() % 1000);
               }};
  const CaseGraph g = Build(c, Shape::kClean);
  const auto exact = Betweenness(g.snapshot(), {.samples = 1'000'000});
  ASSERT_TRUE(exact.has_value());
  EXPECT_TRUE(exact->exact);
  for (std::uint64_t seed : {1u, 2u, 3u}) {
    const auto got = Betweenness(g.snapshot(), {.samples = 300, .seed = seed});
    EXPECT_GT(got->bound, 0);
    EXPECT_LT(got->bound, 0.2);
    for (NodeId v = 0; v < exact->shares.size(); ++v)
      ASSERT_LE(std::abs(got->shares[v] - exact->shares[v]), got->bound);
  }
}

// n diamonds in a row: 2^n shortest paths from end to end, more than f64 holds. Between
// two junctions lie two nodes that share what passes.
TEST(Betweenness, CountsMorePathsThanF64Holds) {
  const std::size_t diamonds = 1100;
  CaseGraph g;
  g.AddNodes(3 * diamonds + 1);
  for (std::size_t d = 0; d < diamonds; ++d)
    for (std::size_t side : {1, 2}) {
      g.Link(3 * d, kLink, 3 * d + side);
      g.Link(3 * d + side, kLink, 3 * d + 3);
    }
  g.Commit();
  const auto got = Betweenness(g.snapshot(), {.samples = 1'000'000, .undirected = false});
  ASSERT_TRUE(got.has_value());
  ASSERT_TRUE(got->exact);
  // From the 3 d nodes before junction d to the 3 (diamonds - d) behind it.
  for (std::size_t d = 0; d <= diamonds; ++d) {
    const double want = static_cast<double>(3 * d) * static_cast<double>(3 * (diamonds - d));
    ASSERT_NEAR(got->scores[g.id(3 * d)], want, 1e-9 * want);
  }
}

// One source a time, in long double, which counts up to 2^16000 paths.
std::vector<double> BrandesInLongDouble(const CsrView& out, NodeId source) {
  constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> depth(out.node_count(), kFree);
  std::vector<long double> paths(out.node_count(), 0), dependency(out.node_count(), 0);
  std::vector<NodeId> queue = {source};
  depth[source] = 0;
  paths[source] = 1;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const NodeId v : out.neighbors.subspan(out.offsets[queue[i]], out.degree(queue[i]))) {
      if (depth[v] == kFree) {
        depth[v] = depth[queue[i]] + 1;
        queue.push_back(v);
      }
      if (depth[v] == depth[queue[i]] + 1) paths[v] += paths[queue[i]];
    }
  std::vector<double> scores(out.node_count(), 0);
  for (std::size_t i = queue.size(); i-- > 1;) {
    const NodeId u = queue[i];
    for (const NodeId v : out.neighbors.subspan(out.offsets[u], out.degree(u)))
      if (depth[v] == depth[u] + 1) dependency[u] += paths[u] / paths[v] * (1 + dependency[v]);
    scores[u] = static_cast<double>(dependency[u]);
  }
  return scores;
}

// Beside a row of diamonds a plain path of the same length and a row that begins later: where they
// meet, numbers are added that are far apart, or near on both sides of a power.
TEST(Betweenness, AddsNumbersOfPathsOfAnySize) {
  for (const auto& [most, fewer] : {std::pair<NodeId, NodeId>{2200, 550}, {257, 255}, {769, 767}}) {
    std::vector<NodePair> pairs;
    NodeId next = 1;
    const auto diamonds = [&](NodeId at, NodeId count) {
      for (NodeId d = 0; d < count; ++d, at = next, next += 3)
        for (const NodeId side : {next + 1, next + 2}) {
          pairs.push_back({at, side});
          pairs.push_back({side, next});
        }
      return at;
    };
    const auto path = [&](NodeId at, NodeId count) {
      for (NodeId i = 0; i < count; ++i, ++next) {
        pairs.push_back({at, next});
        at = next;
      }
      return at;
    };
    const NodeId end = diamonds(0, most);
    const NodeId plain = path(0, 2 * most - 1);
    const NodeId later = diamonds(path(0, 2 * (most - fewer) - 1), fewer);
    pairs.push_back({plain, end});
    pairs.push_back({later, end});
    path(end, 10);
    const Topology graph = *BuildTopology(next, pairs, {.symmetrize = true});
    for (const NodeId source : {NodeId{0}, NodeId{2}, end, plain}) {
      const auto want = BrandesInLongDouble(graph.out(), source);
      const auto got = BetweennessCsr(graph.out(), graph.in(), std::span(&source, 1)).value();
      ASSERT_GT(*std::ranges::max_element(want), 500.0);
      for (NodeId v = 0; v < next; ++v)
        ASSERT_NEAR(got[v], want[v], 1e-9 * (1 + want[v])) << most << ", " << source << ", " << v;
    }
  }
}

// A path has large shares: an estimate of wrong scale would be seen.
TEST(Betweenness, SamplesHaveTheRightScale) {
  CaseGraph g;
  g.AddNodes(200);
  for (std::size_t i = 0; i + 1 < 200; ++i) g.Link(i, kLink, i + 1);
  g.Commit();
  const auto exact = Betweenness(g.snapshot(), {.samples = 1'000'000});
  ASSERT_TRUE(exact.has_value());
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto got = Betweenness(g.snapshot(), {.samples = 20, .seed = seed});
    ASSERT_TRUE(got.has_value());
    for (const double share : got->shares) {
      ASSERT_GE(share, 0);
      ASSERT_LE(share, 1);
    }
    sum += got->shares[g.id(100)];
  }
  EXPECT_GT(exact->shares[g.id(100)], 0.4);
  EXPECT_NEAR(sum / 40, exact->shares[g.id(100)], 0.05);
}

// Each source is asked whether to go on; those before it count, and no others.
TEST(Betweenness, StopsBetweenTheSourcesOfAPass) {
  CaseGraph g;
  g.AddNodes(60);
  for (NodeId v = 0; v < 60; ++v)
    for (const NodeId step : {1u, 7u}) g.Link(v, kLink, (v + step) % 60);
  g.Commit();
  BetweennessOptions options;
  options.samples = 8;
  CancelsBeforeBlock whole(-1);
  options.run.executor = &whole;
  EXPECT_EQ(Betweenness(g.snapshot(), options)->sources, 8u);
  std::set<std::uint64_t> stopped_at;
  for (int block = 0; block <= whole.count; ++block) {
    CancelsBeforeBlock stops(block);
    options.run.executor = &stops;
    options.run.budget.cancel = &stops.cancel;
    const auto got = Betweenness(g.snapshot(), options);
    stopped_at.insert(got->sources);
    EXPECT_EQ(got->truncated, got->sources < 8);
    if (got->sources == 0 || got->sources == 8) continue;
    BetweennessOptions fewer;
    fewer.samples = got->sources;  // the same draw begins so
    EXPECT_EQ(got->scores, Betweenness(g.snapshot(), fewer)->scores);
  }
  EXPECT_EQ(stopped_at, (std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Betweenness, StoppedSaysTruncated) {
  const std::atomic<bool> stop = true;
  BetweennessOptions options;
  options.run.budget.cancel = &stop;
  const auto got = Betweenness(Large(0, Shape::kClean).snapshot(), options);
  EXPECT_TRUE(got->truncated);
  EXPECT_EQ(got->sources, 0u);
  EXPECT_EQ(got->bound, 1);
}

}  // namespace
}  // namespace plexus::testing
