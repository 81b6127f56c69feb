// Topology against sorted pairs: every shape of input, both widths of key, any
// executor, both directions.
#include "engine/bulk/topology.h"
#include "tests/support/fails_with.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace plexus {
namespace {

using testing::FailsWith;

using Arcs = std::vector<std::pair<NodeId, NodeId>>;

// The rows of a view as a list of arcs, in order.
Arcs ListArcs(const CsrView& view) {
  Arcs arcs;
  for (NodeId v = 0; v < view.node_count(); ++v)
    for (std::uint32_t a = view.offsets[v]; a < view.offsets[v + 1]; ++a)
      arcs.emplace_back(v, view.neighbors[a]);
  return arcs;
}

// What the rows must be: the arcs sorted, each once.
Arcs Expected(const std::vector<NodePair>& pairs, bool reversed, const TopologyOptions& options) {
  Arcs arcs;
  for (const NodePair& p : pairs) {
    if (p.source == p.target && !options.self_loops) continue;
    if (!reversed || options.symmetrize) arcs.emplace_back(p.source, p.target);
    if (reversed || options.symmetrize) arcs.emplace_back(p.target, p.source);
  }
  std::sort(arcs.begin(), arcs.end());
  arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
  return arcs;
}

void ExpectRight(NodeId nodes, const std::vector<NodePair>& pairs, TopologyOptions options) {
  SCOPED_TRACE(::testing::Message() << nodes << " nodes, " << pairs.size() << " pairs, symmetrize "
                                    << options.symmetrize << ", self_loops " << options.self_loops);
  const Arcs out = Expected(pairs, false, options), in = Expected(pairs, true, options);
  const auto three = MakeThreadExecutor(3);
  for (Executor* executor : {&SerialExecutor(), three.get(), &DefaultExecutor()}) {
    options.executor = executor;
    const Result<Topology> built = BuildTopology(nodes, pairs, options);
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_EQ(built->node_count, nodes);
    ASSERT_EQ(built->out().offsets.size(), std::size_t{nodes} + 1);
    EXPECT_TRUE(ListArcs(built->out()) == out) << "out rows";
    EXPECT_TRUE(ListArcs(built->in()) == in) << "in rows";
  }
}

void ExpectRightWithAllOptions(NodeId nodes, const std::vector<NodePair>& pairs) {
  for (const bool symmetrize : {false, true}) {
    for (const bool loops : {false, true}) {
      TopologyOptions options;
      options.symmetrize = symmetrize;
      options.self_loops = loops;
      ExpectRight(nodes, pairs, options);
    }
  }
}

std::vector<NodePair> RandomPairs(NodeId nodes, std::size_t count, std::uint64_t seed,
                                  bool skewed) {
  std::mt19937_64 random(seed);
  std::vector<NodePair> pairs(count);
  for (NodePair& p : pairs) {
    p = {static_cast<NodeId>(random() % nodes), static_cast<NodeId>(random() % nodes)};
    if (skewed) p.source /= static_cast<NodeId>(1 + random() % nodes);
  }
  return pairs;
}

TEST(Topology, SmallShapes) {
  ExpectRightWithAllOptions(0, {});
  ExpectRightWithAllOptions(1, {});
  ExpectRightWithAllOptions(1, {{0, 0}, {0, 0}});
  ExpectRightWithAllOptions(5, {});
  ExpectRightWithAllOptions(2, {{0, 1}, {1, 0}, {0, 1}});
  ExpectRightWithAllOptions(6, {{5, 0}, {0, 5}, {5, 5}, {3, 3}, {2, 4}});
}

TEST(Topology, RandomGraphs) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto nodes = static_cast<NodeId>(1 + seed * seed * 7 % 900);
    ExpectRightWithAllOptions(nodes, RandomPairs(nodes, seed * 37 % 1500, seed, seed % 2));
  }
}

// Many pairs: several chunks, hundreds of partitions, streamed lines with torn ends.
TEST(Topology, ManyPairs) {
  ExpectRightWithAllOptions(1 << 16, RandomPairs(1 << 16, 400'000, 7, false));
  ExpectRightWithAllOptions(100'003, RandomPairs(100'003, 300'000, 8, true));
}

// Above 2^22 nodes a packed arc needs 64 bits.
TEST(Topology, WideIds) {
  const NodeId nodes = 30'000'001;
  std::vector<NodePair> pairs = RandomPairs(nodes, 50'000, 9, false);
  pairs.push_back({nodes - 1, 0});
  pairs.push_back({0, nodes - 1});
  pairs.insert(pairs.end(), pairs.begin(), pairs.begin() + 1000);
  TopologyOptions options;
  options.executor = &SerialExecutor();
  const Result<Topology> built = BuildTopology(nodes, pairs, options);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(ListArcs(built->out()), Expected(pairs, false, options));
  EXPECT_EQ(ListArcs(built->in()), Expected(pairs, true, options));
}

TEST(Topology, OrderOfPairsDoesNotMatter) {
  std::vector<NodePair> pairs = RandomPairs(1000, 50'000, 3, false);
  const Topology first = *BuildTopology(1000, pairs, {});
  std::shuffle(pairs.begin(), pairs.end(), std::mt19937_64(4));
  const Topology second = *BuildTopology(1000, pairs, {});
  EXPECT_TRUE(std::ranges::equal(first.out_offsets, second.out_offsets));
  EXPECT_TRUE(std::ranges::equal(first.out_neighbors, second.out_neighbors));
  EXPECT_TRUE(std::ranges::equal(first.in_neighbors, second.in_neighbors));
}

TEST(Topology, InverseIsOptional) {
  TopologyOptions options;
  options.inverse = false;
  const std::vector<NodePair> pairs = {{0, 1}};
  const Topology built = *BuildTopology(2, pairs, options);
  EXPECT_EQ(built.arc_count(), 1u);
  EXPECT_TRUE(built.in_offsets.empty());
}

TEST(Topology, NamesTheFirstPairOutOfRange) {
  const std::vector<NodePair> pairs = {{0, 1}, {1, 4}, {9, 9}};
  const Result<Topology> built = BuildTopology(4, pairs, {});
  EXPECT_TRUE(FailsWith(built, ErrorCode::kInvalidArgument, "pair 1 (1, 4)"));
}

}  // namespace
}  // namespace plexus
