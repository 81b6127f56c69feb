// Similarity of pairs, of one node's surroundings and of the whole graph, against sets.
#include "algorithms/similarity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "algorithms/internal/keep_best.h"
#include "tests/algorithms/each_case.h"
#include "tests/reference/oracles.h"

namespace plexus::testing {
namespace {

constexpr SimilarityMeasure kMeasures[] = {SimilarityMeasure::kCommon, SimilarityMeasure::kJaccard,
                                           SimilarityMeasure::kOverlap, SimilarityMeasure::kAdamicAdar,
                                           SimilarityMeasure::kResourceAllocation};
constexpr Direction kDirections[] = {Direction::kBoth, Direction::kOut, Direction::kIn};

using Table = std::vector<std::vector<reference::SharedLikeness>>;

double Score(const reference::SharedLikeness& x, SimilarityMeasure measure) {
  switch (measure) {
    case SimilarityMeasure::kCommon: return static_cast<double>(x.shared);
    case SimilarityMeasure::kJaccard: return x.jaccard;
    case SimilarityMeasure::kOverlap: return x.overlap;
    case SimilarityMeasure::kAdamicAdar: return x.adamic_adar;
    case SimilarityMeasure::kResourceAllocation: return x.resource_allocation;
  }
  return -1;
}

std::vector<SimilarNeighbor> WantedNodes(const Table& table, const std::vector<bool>& selected, NodeId a,
                                         SimilarityMeasure measure, std::uint64_t least) {
  std::vector<SimilarNeighbor> list;
  for (NodeId b = 0; b < table.size(); ++b)
    if (b != a && selected[b] && table[a][b].shared >= least)
      list.push_back({b, Score(table[a][b], measure), table[a][b].shared, table[a][b].neighbors_b});
  return list;
}

// Scores are sums in another order than the reference's: ties may turn, scores hardly move.
void ExpectBest(const std::vector<SimilarNeighbor>& got, const std::vector<SimilarNeighbor>& all, std::size_t top,
                bool counts) {
  std::vector<double> scores;
  for (const auto& entry : all) scores.push_back(entry.score);
  std::sort(scores.rbegin(), scores.rend());
  ASSERT_EQ(got.size(), top == 0 ? all.size() : std::min(top, all.size()));
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i].score, scores[i], 1e-12 * (1 + scores[i])) << i;
    const auto at = std::ranges::find(all, got[i].node, &SimilarNeighbor::node);
    ASSERT_NE(at, all.end()) << got[i].node;
    ASSERT_NEAR(got[i].score, at->score, 1e-12 * (1 + at->score));
    ASSERT_EQ(got[i].shared, at->shared);
    if (counts) {
      ASSERT_EQ(got[i].neighbors, at->neighbors);
    }
    if (i > 0 && got[i].score == got[i - 1].score) {
      ASSERT_LT(got[i - 1].node, got[i].node);
    }
  }
}

void Check(const CaseGraph& g, SimilarityOptions options, Executor& executor) {
  options.executor = &executor;
  const auto flat = g.Flat(options.kinds, options.subset, options.valid_at);
  const Table table = reference::Similarities(flat, options.direction);
  std::vector<NodePair> pairs;
  for (NodeId a = 0; a < flat.node_count(); ++a)
    for (NodeId b = 0; b < flat.node_count(); ++b)
      if (a != b && flat.selected[a] && flat.selected[b]) pairs.push_back({a, b});
  for (const SimilarityMeasure measure : kMeasures) {
    options.measure = measure;
    const auto got = PairSimilarities(g.snapshot(), pairs, options);
    ASSERT_TRUE(got.has_value()) << got.error().ToString();
    ASSERT_FALSE(got->truncated);
    ASSERT_EQ(got->pairs.size(), pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto& want = table[pairs[i].source][pairs[i].target];
      ASSERT_NEAR(got->pairs[i].score, Score(want, measure), 1e-12 * (1 + Score(want, measure)));
      ASSERT_EQ(got->pairs[i].shared, want.shared);
      ASSERT_EQ(got->pairs[i].neighbors_a, want.neighbors_a);
      ASSERT_EQ(got->pairs[i].neighbors_b, want.neighbors_b);
    }
    for (NodeId a = 0; a < flat.node_count(); ++a) {
      if (!flat.selected[a]) continue;
      for (std::size_t top : {0u, 1u, 4u}) {
        options.top = top;
        options.least_shared = 1 + a % 2;
        const auto near = SimilarNodes(g.snapshot(), a, options);
        ASSERT_TRUE(near.has_value()) << near.error().ToString();
        ASSERT_FALSE(near->truncated);
        ASSERT_NO_FATAL_FAILURE(
            ExpectBest(near->nodes, WantedNodes(table, flat.selected, a, measure, options.least_shared), top,
                       measure == SimilarityMeasure::kJaccard || measure == SimilarityMeasure::kOverlap));
      }
    }
    options.least_shared = 1;
  }
}

TEST(Similarity, EqualsSets) {
  const auto executors = Executors();
  std::size_t turn = 0;
  ForEachCase(SmallCases(), [&](const CaseGraph& g, Shape) {
    for (const Direction direction : kDirections) {
      SimilarityOptions options;
      options.direction = direction;
      Check(g, options, *executors[++turn % executors.size()].executor);
      options.kinds = {kLink, kHasTag};
      Check(g, options, *executors[turn % executors.size()].executor);
      if (::testing::Test::HasFatalFailure()) return;
    }
    std::vector<NodeId> some;
    for (NodeId v = 0; v < g.snapshot().node_count(); ++v)
      if (v % 4 != 2) some.push_back(v);
    const NodeSubset subset = *NodeSubset::Of(g.snapshot(), some);
    SimilarityOptions options;
    options.subset = &subset;
    Check(g, options, *executors[0].executor);
  });
}

// Who is asked about need not be in the subset: judged among it and the two.
TEST(Similarity, NodesOutsideTheSubset) {
  const CaseGraph g = Build(SmallCases()[13], Shape::kDelta);
  const Snapshot s = g.snapshot();
  int compared = 0;
  for (NodeId a = 0; a + 1 < s.node_count(); ++a) {
    const NodeId b = a + 1;
    std::vector<NodeId> inside, with;
    for (NodeId v = 0; v < s.node_count(); ++v) {
      if (v % 3 != 0) inside.push_back(v);
      if (v % 3 != 0 || v == a || v == b) with.push_back(v);
    }
    const NodeSubset subset = *NodeSubset::Of(s, inside), both = *NodeSubset::Of(s, with);
    const auto flat = g.Flat({}, &both);
    if (!flat.selected[a] || !flat.selected[b]) continue;
    const auto want = reference::Similarities(flat, Direction::kBoth)[a][b];
    for (const SimilarityMeasure measure : kMeasures) {
      SimilarityOptions options;
      options.measure = measure;
      options.subset = &subset;
      const auto got = PairSimilarities(s, std::vector<NodePair>{{a, b}}, options);
      ASSERT_TRUE(got.has_value());
      EXPECT_NEAR(got->pairs[0].score, Score(want, measure), 1e-12);
      if (b % 3 == 0 || want.shared == 0) continue;  // b is a candidate: the same from a's side
      options.top = 0;
      const auto near = SimilarNodes(s, a, options);
      const auto at = std::ranges::find(near->nodes, b, &SimilarNeighbor::node);
      ASSERT_NE(at, near->nodes.end());
      EXPECT_EQ(at->score, got->pairs[0].score);  // the very bits
      ++compared;
    }
  }
  EXPECT_GT(compared, 10);
}

TEST(Similarity, SameBitsAnywhere) {
  const auto executors = Executors();
  for (std::size_t which : {1u, 2u, 3u}) {
    std::optional<std::vector<SimilarNeighbor>> first;
    std::optional<std::vector<double>> first_pairs;
    for (Shape shape : kShapes)
      for (const auto& e : executors) {
        const Snapshot s = Large(which, shape).snapshot();
        SimilarityOptions options;
        options.measure = SimilarityMeasure::kAdamicAdar;
        options.executor = e.executor.get();
        const auto near = SimilarNodes(s, 7, options);
        ASSERT_TRUE(near.has_value());
        std::vector<NodePair> pairs;
        for (NodeId v = 0; v < 1000; ++v)
          if (s.alive(v) && s.alive(v + 1)) pairs.push_back({v, v + 1});
        const auto judged = PairSimilarities(s, pairs, options);
        ASSERT_TRUE(judged.has_value());
        std::vector<double> scores;
        for (const auto& pair : judged->pairs) scores.push_back(pair.score);
        if (!first) {
          first = near->nodes;
          first_pairs = scores;
        }
        ASSERT_EQ(near->nodes, *first) << which << ", " << shape << ", " << e.name;
        ASSERT_EQ(scores, *first_pairs);
      }
  }
}

// The budget cuts at the same place whoever works, and says so.
TEST(Similarity, Budgets) {
  const auto executors = Executors();
  const Snapshot s = Large(1, Shape::kDelta).snapshot();
  std::vector<NodePair> pairs;
  for (NodeId v = 0; v < 1000; ++v)
    if (s.alive(v) && s.alive(v + 1)) pairs.push_back({v, v + 1});
  SimilarityOptions options;
  options.measure = SimilarityMeasure::kResourceAllocation;
  const auto whole = PairSimilarities(s, pairs, options);
  options.budget.edges = 5000;
  std::optional<std::size_t> cut;
  for (const auto& e : executors) {
    options.executor = e.executor.get();
    const auto got = PairSimilarities(s, pairs, options);
    ASSERT_TRUE(got->truncated);
    if (!cut) cut = got->pairs.size();
    ASSERT_EQ(got->pairs.size(), *cut);
    ASSERT_GT(*cut, 0u);
    ASSERT_LT(*cut, pairs.size());
    for (std::size_t i = 0; i < *cut; ++i) ASSERT_EQ(got->pairs[i].score, whole->pairs[i].score);
  }
  // A star: leaves share the hub, whose row does not fit.
  const Snapshot star = Large(2, Shape::kClean).snapshot();
  options = {};
  options.budget.edges = 1000;
  const auto near = SimilarNodes(star, 5, options);
  EXPECT_TRUE(near->truncated);
  EXPECT_TRUE(near->nodes.empty());
  EXPECT_LE(near->edges, 1000u);
  options.budget.edges = 100'000;
  const auto all = SimilarNodes(star, 5, options);
  EXPECT_FALSE(all->truncated);
  EXPECT_EQ(all->candidates, 19'999u);
  ASSERT_EQ(all->nodes.size(), 20u);
  EXPECT_EQ(all->nodes[0].node, 1u);
  EXPECT_EQ(all->nodes[0].score, 1);
  EXPECT_LT(all->edges, 41'000u);  // of 19,999 equal candidates few rows are read
  const std::atomic<bool> stop = true;
  options.budget.cancel = &stop;
  EXPECT_TRUE(SimilarNodes(star, 5, options)->truncated);
  EXPECT_TRUE(PairSimilarities(star, std::vector<NodePair>{{1, 2}}, options)->truncated);
}

TEST(Similarity, Errors) {
  CaseGraph g;
  g.AddNodes(4);
  g.Link(0, kLink, 1);
  g.Link(2, kLink, 1);
  g.Link(3, kLink, 1);
  g.Commit();
  g.Remove(3);
  g.Commit();
  const Snapshot s = g.snapshot();
  EXPECT_EQ(SimilarNodes(s, 3).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(SimilarNodes(s, 4).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(SimilarNodes(s, 0, {.kinds = {63}}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(PairSimilarities(s, std::vector<NodePair>{{0, 0}}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(PairSimilarities(s, std::vector<NodePair>{{0, 3}}).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(PairSimilarities(s, {})->pairs.empty());
  EXPECT_EQ(SimilarNodes(s, 0)->nodes, (std::vector<SimilarNeighbor>{{2, 1.0, 1, 1}}));
}

}  // namespace
}  // namespace plexus::testing
