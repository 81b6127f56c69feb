// A chain of 300,000 edges: right answers, and nothing is quadratic. That nothing recurses is
// tested of every kernel (kernels/every_kernel_test.cc). Hubs are in hub_test.cc.
//
// Few tests, as each is a process of its own under ctest and makes the graph again.
#include <gtest/gtest.h>

#include "algorithms/centrality/centrality.h"
#include "algorithms/community/community.h"
#include "algorithms/connectivity/connectivity.h"
#include "algorithms/connectivity/internal/connectivity_csr.h"
#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/paths/paths.h"
#include "algorithms/similarity/similarity.h"
#include "algorithms/traversal/internal/bfs_csr.h"
#include "algorithms/traversal/traversal.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace plexus {
using namespace builtin;
using namespace centrality;
using namespace community;
using namespace connectivity;
using namespace memory;
using namespace pagerank;
using namespace paths;
using namespace similarity;
using namespace traversal;
namespace {

constexpr NodeId kLength = 300'000;

// 0 <- 1 <- 2 ... : every node supersedes the one before.
const Snapshot& Chain() {
  static const Snapshot snapshot = [] {
    auto graph = Graph::InMemory();
    WriteBatch batch(1);
    NodeRef before = batch.UpsertNode("0");
    for (NodeId v = 1; v <= kLength; ++v) {
      const NodeRef node = batch.UpsertNode(std::to_string(v));
      batch.Link(node, EdgeKindRef(kSupersedes), before, 0.5f);
      before = node;
    }
    auto applied = graph->Apply(batch);
    if (!applied) ADD_FAILURE() << applied.error().ToString();
    auto compacted = graph->Compact();
    if (!compacted) ADD_FAILURE() << compacted.error().ToString();
    return graph->snapshot();
  }();
  return snapshot;
}

TEST(LongChain, Walks) {
  EXPECT_EQ(VisibleNodes(Chain(), 0).value()->ToList(), std::vector<NodeId>{kLength});
  {
    const auto got = Bfs(Chain(), std::vector<NodeId>{kLength});
    ASSERT_EQ(got->nodes.size(), kLength + 1);
    EXPECT_EQ(got->nodes.back(), (BfsNode{0, kLength, 1}));
    const auto csr = BfsCsr(Chain().base_rows(Direction::kOut).Unweighted(),
                            Chain().base_rows(Direction::kIn).Unweighted(), kLength)
                         .value();
    EXPECT_EQ(csr.depths[0], kLength);
  }
  for (PathCost cost : {PathCost::kHops, PathCost::kWeight}) {
    ShortestPathOptions options;
    options.cost = cost;
    options.count = 2;
    const auto got = ShortestPath(Chain(), kLength, 0, options);
    ASSERT_TRUE(got.has_value());
    ASSERT_EQ(got->paths.size(), 1u);
    EXPECT_EQ(got->paths[0].edges.size(), kLength);
    EXPECT_EQ(got->paths[0].cost, cost == PathCost::kHops ? kLength : kLength * 0.5);
  }
  for (PathCost cost : {PathCost::kHops, PathCost::kWeight}) {
    DistancesOptions options;
    options.cost = cost;
    const auto got = Distances(Chain(), kLength, options);
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->distances[0], cost == PathCost::kHops ? kLength : kLength * 0.5);
  }
  {
    TraverseOptions options;
    options.hops = kMaxHops;
    const auto got = Traverse(Chain(), std::vector<NodeWeight>{{kLength, 1.0}}, options);
    EXPECT_EQ(got->hits.size(), static_cast<std::size_t>(kMaxHops));
    EXPECT_EQ(got->edges, static_cast<std::uint64_t>(kMaxHops));
  }
}

// All walks spelled out would be 5 * 10^10 steps.
TEST(LongChain, Patterns) {
  const auto pattern = PathPattern::Parse("supersedes+", Chain().schema());
  ASSERT_TRUE(pattern.has_value());
  PatternOptions options;
  options.top = 0;
  const auto got =
      MatchPattern(Chain(), *pattern, std::vector<NodeWeight>{{kLength, 1.0}}, options);
  ASSERT_TRUE(got.has_value());
  ASSERT_EQ(got->hits.size(), kLength);
  std::uint64_t steps = 0, without = 0;
  for (std::size_t i = 0; i < got->hits.size(); ++i) {
    const TraverseHit& hit = got->hits[i];
    if (hit.hops != static_cast<int>(i) + 1 || hit.seed != kLength) ADD_FAILURE() << i;
    if (hit.path.empty()) ++without;
    steps += hit.path.size();
    if (!hit.path.empty() && hit.path.size() != i + 1) ADD_FAILURE() << i;
  }
  EXPECT_GT(steps, PatternOptions::kMaxPathSteps - 2000);
  EXPECT_LE(steps, PatternOptions::kMaxPathSteps);
  EXPECT_EQ(without, got->paths_left_out);
  EXPECT_FALSE(got->truncated);
  options.paths = false;
  EXPECT_EQ(MatchPattern(Chain(), *pattern, std::vector<NodeWeight>{{kLength, 1.0}}, options)
                ->paths_left_out,
            0u);
}

TEST(LongChain, Parts) {
  {
    const auto got = Components(Chain());
    EXPECT_EQ(got->count, 1u);
    EXPECT_EQ(got->largest, kLength + 1);
  }
  {
    const auto got = StrongComponents(Chain());
    EXPECT_EQ(got->count, kLength + 1);
    EXPECT_EQ(got->largest, 1u);
    EXPECT_EQ(got->labels[kLength], kLength);
  }
  {
    const auto got = TopologicalOrder(Chain(), {.filter = {.kinds = {kSupersedes}}});
    EXPECT_TRUE(got->cycles.empty());
    ASSERT_EQ(got->order.size(), kLength + 1);
    EXPECT_EQ(got->order.front().node, kLength);
    EXPECT_EQ(got->order.back().node, 0u);
    EXPECT_EQ(got->order.back().level, kLength);
  }
  {
    EXPECT_EQ(Triangles(Chain())->wedges, kLength - 1);
    EXPECT_EQ(KCore(Chain())->sizes, (std::vector<std::uint64_t>{0, kLength + 1}));
    const auto lanes = MultiBfs(Chain(), std::vector<NodeId>{kLength, kLength / 2});
    EXPECT_EQ(lanes->levels[0].size(), kLength + 1);
    EXPECT_EQ(lanes->levels[1].size(), kLength / 2 + 1);
  }
  {
    const auto forest = SpanningForest(Chain());
    EXPECT_EQ(forest->edges.size(), kLength);
    EXPECT_EQ(forest->weight, kLength * 0.5);
    CutPointsOptions listed;
    listed.list_blocks = true;
    const auto cuts = CutPoints(Chain(), listed);
    EXPECT_EQ(cuts->points.size(), kLength - 1);
    EXPECT_EQ(cuts->bridges.size(), kLength);
    EXPECT_EQ(cuts->blocks, kLength);
    const auto dominators = Dominators(Chain(), kLength);
    EXPECT_EQ(dominators->dominators[0], 1u);
    EXPECT_EQ(dominators->dominated[kLength], kLength);
  }
  {
    const auto got = MaxFlow(Chain(), kLength, 0);
    EXPECT_EQ(got->flow, 0.5);
    EXPECT_EQ(got->cut, (std::vector<PathEdge>{{kLength, kLength - 1, kSupersedes, 0, 0.5f}}));
  }
}

// The best partition of a chain of n edges is some sqrt(2n) pieces; two rounds of moves to
// neighbours get well above what pairs have.
TEST(LongChain, Communities) {
  LeidenOptions options;
  options.iterations = 1;
  const auto leiden = Leiden(Chain(), options);
  ASSERT_TRUE(leiden.has_value());
  EXPECT_FALSE(leiden->truncated);
  EXPECT_GT(leiden->modularity, 0.99);
  std::uint32_t joints = 0;  // pieces are connected: as many ends as pieces
  for (NodeId v = 1; v <= kLength; ++v)
    joints += leiden->communities[v] != leiden->communities[v - 1];
  EXPECT_EQ(joints + 1, leiden->count);
  const auto labels = LabelPropagation(Chain(), {.iterations = 3});
  ASSERT_TRUE(labels.has_value());
  EXPECT_EQ(labels->iterations, 3);
  EXPECT_EQ(labels->labels[kLength / 2],
            kLength / 2 - 3);  // the smallest of two wins: a step a round
}

TEST(LongChain, Ranks) {
  {
    BetweennessOptions options;
    options.samples = 2;
    const auto got = Betweenness(Chain(), options);
    EXPECT_EQ(got->sources, 2u);
    EXPECT_GT(got->shares[kLength / 2], 0);
  }
  {
    ClosenessOptions closeness;
    closeness.direction = Direction::kOut;
    closeness.of = {kLength};
    const auto near = Closeness(Chain(), closeness);
    EXPECT_EQ(near->reached[kLength], kLength);
    EXPECT_DOUBLE_EQ(near->closeness[kLength], 2 / (kLength + 1.0));
    closeness.of = {};
    closeness.samples = 2;
    const auto sampled = Closeness(Chain(), closeness);
    EXPECT_EQ(sampled->longest, kLength);
    EXPECT_GT(sampled->reached[kLength], 0);
    const auto katz = Katz(Chain(), {.alpha = 1});
    EXPECT_NEAR(katz->scores[0], 2, 1e-8);  // 1 + 0.5 + 0.25 ...
    EXPECT_TRUE(Hits(Chain())->converged);
    EigenvectorOptions eigenvector;
    eigenvector.direction = Direction::kBoth;
    eigenvector.max_iterations = 3;
    const auto bonacich = Eigenvector(Chain(), eigenvector);
    EXPECT_TRUE(bonacich->truncated);
    EXPECT_GT(bonacich->scores[kLength / 2], bonacich->scores[0]);
    EXPECT_NEAR(bonacich->eigenvalue, 1, 1e-3);  // 2 * 0.5 * cos(pi / (n + 1))
    const auto similar = SimilarNodes(Chain(), 5);
    EXPECT_EQ(similar->hits.size(), 2u);
    EXPECT_LE(similar->edges, 20u);
  }
  {
    PageRankOptions options;
    options.iterations = 5;
    const auto got = PageRank(Chain(), options);
    EXPECT_GT(got->scores[0], got->scores[kLength]);
    PageRankPushOptions pushed;
    pushed.max_error = 1e-6;
    const auto push = PageRankPush(Chain(), std::vector<NodeWeight>{{kLength, 1.0}}, pushed);
    EXPECT_TRUE(push->converged);
    EXPECT_LT(push->nodes, 1000u);
    ASSERT_FALSE(push->top.empty());
    EXPECT_EQ(push->top[0].node, kLength);
  }
}

// A chain that is joined from its high end downwards, so that trees hang as deep as they
// can, beside so many heavier arcs that there is a second round.
TEST(LongChain, SpanningForestFilters) {
  constexpr NodeId kNodes = 200'000, kDense = 2'000;
  std::vector<std::uint32_t> offsets{0};
  std::vector<NodeId> neighbors;
  std::vector<float> weights;
  for (NodeId v = 0; v < kNodes; ++v) {
    for (NodeId k = 0; v < kDense && k < 4 * kNodes / kDense; ++k) {
      neighbors.push_back((v + 1 + k) % kDense);
      weights.push_back(1e7f);
    }
    if (v >= kDense && v + 1 < kNodes) {
      neighbors.push_back(v - 1);
      weights.push_back(static_cast<float>(kNodes - v));
    }
    offsets.push_back(static_cast<std::uint32_t>(neighbors.size()));
  }
  const SpanningForestCsrResult forest =
      SpanningForestCsr({offsets, neighbors, weights, {}, {}}, {}).value();
  EXPECT_EQ(forest.arcs.size(), kNodes - 2);  // the last node stands alone
}

}  // namespace
}  // namespace plexus
