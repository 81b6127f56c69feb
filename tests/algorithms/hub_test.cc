// A hub of 300,000 arcs: right answers, and no kernel does more for a pair of its neighbours than
// once.
//
// Two tests, as each is a process of its own under ctest and makes the graph anew.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "algorithms/community/community.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/paths/paths.h"
#include "algorithms/traversal/traversal.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace plexus {
using namespace builtin;
using namespace community;
using namespace connectivity;
using namespace pagerank;
using namespace paths;
using namespace traversal;
namespace {

constexpr NodeId kLeaves = 300'000, kNodes = kLeaves + 2;

// 0 -> 2, 3, ..., and of these the even ones -> 1: two hubs, half of the leaves between them.
const Snapshot& Hubs() {
  static const Snapshot snapshot = [] {
    auto graph = Graph::InMemory();
    WriteBatch batch(1);
    const NodeRef from = batch.UpsertNode("from"), to = batch.UpsertNode("to");
    for (NodeId v = 2; v < kNodes; ++v) {
      const NodeRef leaf = batch.UpsertNode(std::to_string(v));
      batch.Link(from, EdgeKindRef(kSupports), leaf, 1.0f);
      if (v % 2 == 0) batch.Link(leaf, EdgeKindRef(kSupports), to, 0.5f);
    }
    auto applied = graph->Apply(batch);
    if (!applied) ADD_FAILURE() << applied.error().ToString();
    return graph->snapshot();
  }();
  return snapshot;
}

// What every node of a kind scores: the first leaf of either kind, and all leaves alike.
void ExpectRanks(const PageRankResult& got, double tolerance) {
  constexpr double d = 0.85, n = kLeaves;
  // b: what teleports to a node, dangling mass included; everything else is a multiple of it.
  const double leaf = 1 + d / n, to = 1 + d * n / 2 * leaf;
  const double b = 1 / (1 + n * leaf + to);
  EXPECT_NEAR(got.scores[0] / b, 1, tolerance);
  EXPECT_NEAR(got.scores[1] / (b * to), 1, tolerance);
  for (const NodeId v : {2u, 3u, kNodes / 2, kNodes - 1})
    EXPECT_NEAR(got.scores[v] / (b * leaf), 1, tolerance) << v;
  EXPECT_EQ(got.edges, kLeaves + kLeaves / 2);
}

TEST(HubGraphs, RanksSearchesAndCounts) {
  const Snapshot& s = Hubs();
  PageRankOptions rank;
  rank.tolerance = 1e-9;
  ExpectRanks(*PageRank(s, rank), 1e-6);
  rank.precision = Precision::kF32;
  rank.tolerance = 1e-5;
  ExpectRanks(*PageRank(s, rank), 1e-4);

  const auto found = Bfs(s, std::vector<NodeId>{0});
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->nodes.size(), kNodes);
  EXPECT_EQ(found->nodes[1], (BfsNode{2, 1, 0}));
  EXPECT_EQ(found->nodes.back(), (BfsNode{1, 2, 2}));
  const auto components = Components(s);
  EXPECT_EQ(components->count, 1u);
  EXPECT_EQ(components->largest, kNodes);
  DistancesOptions length;
  length.cost = PathCost::kWeight;
  const auto distances = Distances(s, 0, length);
  EXPECT_EQ(distances->reached, kNodes);
  EXPECT_EQ(distances->distances[kNodes - 1], 1);
  EXPECT_EQ(distances->distances[1], 1.5);

  TraverseOptions walk;
  walk.direction = Direction::kBoth;
  walk.hops = 2;
  walk.top = 3;
  for (const Aggregate aggregate : {Aggregate::kMax, Aggregate::kSum}) {
    walk.aggregate = aggregate;
    const auto hits = Traverse(s, std::vector<NodeWeight>{{2, 1.0}}, walk);
    ASSERT_TRUE(hits.has_value());
    ASSERT_EQ(hits->hits.size(), 3u);
    // All leaves by way of 0; the even ones by way of 1, too.
    const bool sum = aggregate == Aggregate::kSum;
    EXPECT_EQ(hits->hits[0].node, sum ? 4u : 0u);
    EXPECT_EQ(hits->hits[0].score, sum ? 1.25 : 1);
    EXPECT_EQ(hits->hits[2].node, sum ? 8u : 4u);
  }

  const auto triangles = Triangles(s);
  EXPECT_EQ(triangles->triangles, 0u);
  constexpr std::uint64_t n = kLeaves, half = kLeaves / 2;
  EXPECT_EQ(triangles->wedges, n * (n - 1) / 2 + half * (half - 1) / 2 + half);
  const auto cores = KCore(s);
  EXPECT_EQ(cores->degeneracy, 2u);
  EXPECT_EQ(cores->sizes, (std::vector<std::uint64_t>{0, half, half + 2}));
  const auto labels = LabelPropagation(s, {.iterations = 1});
  EXPECT_EQ(labels->labels[0], 2u);
  EXPECT_EQ(labels->labels[1], 2u);
  EXPECT_EQ(labels->count, 2u);
}

TEST(HubGraphs, PathsCutsDominatorsAndFlow) {
  ShortestPathOptions length;
  length.cost = PathCost::kWeight;
  for (const Direction direction : {Direction::kOut, Direction::kBoth}) {
    length.direction = direction;
    const auto got = ShortestPath(Hubs(), 0, 1, length);
    ASSERT_TRUE(got.has_value());
    ASSERT_EQ(got->paths.size(), 1u);
    EXPECT_EQ(got->paths[0].cost, 1.5);
    EXPECT_EQ(got->paths[0].nodes, (std::vector<NodeId>{0, 2, 1}));
    EXPECT_LE(got->edges, 4ull * kLeaves);
  }
  const auto cuts = CutPoints(Hubs());
  ASSERT_TRUE(cuts.has_value());
  EXPECT_EQ(cuts->points, std::vector<NodeId>{0});
  EXPECT_EQ(cuts->bridges.size(), kLeaves / 2);
  EXPECT_EQ(cuts->blocks, kLeaves / 2 + 1);
  const auto dominators = Dominators(Hubs(), 0);
  ASSERT_TRUE(dominators.has_value());
  EXPECT_EQ(dominators->dominators[1], 0u);
  EXPECT_EQ(dominators->dominated[0], kLeaves + 1);
  const auto flow = MaxFlow(Hubs(), 0, 1);
  ASSERT_TRUE(flow.has_value());
  EXPECT_EQ(flow->flow, kLeaves / 4.0);
  EXPECT_EQ(flow->cut.size(), kLeaves / 2);
  MaxFlowOptions units;
  units.unit_capacities = units.undirected = true;
  EXPECT_EQ(MaxFlow(Hubs(), 1, 0, units)->flow, kLeaves / 2.0);
}

}  // namespace
}  // namespace plexus
