// Similarity of pairs, of one node's surroundings and of the whole graph, against sets.
#include "algorithms/similarity/similarity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "algorithms/common/internal/top_k.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace similarity;
namespace {

constexpr SimilarityMeasure kMeasures[] = {
    SimilarityMeasure::kCommon, SimilarityMeasure::kJaccard, SimilarityMeasure::kOverlap,
    SimilarityMeasure::kAdamicAdar, SimilarityMeasure::kResourceAllocation};
constexpr Direction kDirections[] = {Direction::kBoth, Direction::kOut, Direction::kIn};

using Table = std::vector<std::vector<reference::SharedLikeness>>;

double Score(const reference::SharedLikeness& x, SimilarityMeasure measure) {
  switch (measure) {
    case SimilarityMeasure::kCommon:
      return static_cast<double>(x.shared);
    case SimilarityMeasure::kJaccard:
      return x.jaccard;
    case SimilarityMeasure::kOverlap:
      return x.overlap;
    case SimilarityMeasure::kAdamicAdar:
      return x.adamic_adar;
    case SimilarityMeasure::kResourceAllocation:
      return x.resource_allocation;
  }
  return -1;
}

std::vector<SimilarNeighbor> WantedNodes(const Table& table, const std::vector<bool>& selected,
                                         NodeId a, SimilarityMeasure measure, std::uint64_t least) {
  std::vector<SimilarNeighbor> list;
  for (NodeId b = 0; b < table.size(); ++b)
    if (b != a && selected[b] && table[a][b].shared >= least)
      list.push_back({b, Score(table[a][b], measure), table[a][b].shared, table[a][b].neighbors_b});
  return list;
}

// Scores are sums in another order than the reference's: ties may turn, scores hardly move.
void ExpectBest(const std::vector<SimilarNeighbor>& got, const std::vector<SimilarNeighbor>& all,
                std::size_t top, bool counts) {
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
  options.run.executor = &executor;
  const auto flat = g.Flat(options.filter.kinds, options.filter.subset, options.filter.valid_at);
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
        options.min_shared = 1 + a % 2;
        const auto near = SimilarNodes(g.snapshot(), a, options);
        ASSERT_TRUE(near.has_value()) << near.error().ToString();
        ASSERT_FALSE(near->truncated);
        ASSERT_NO_FATAL_FAILURE(ExpectBest(
            near->hits, WantedNodes(table, flat.selected, a, measure, options.min_shared), top,
            measure == SimilarityMeasure::kJaccard || measure == SimilarityMeasure::kOverlap));
      }
    }
    options.min_shared = 1;
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
      options.filter.kinds = {kLink, kHasTag};
      Check(g, options, *executors[turn % executors.size()].executor);
      if (::testing::Test::HasFatalFailure()) return;
    }
    const NodeSubset subset = SubsetOf(g.snapshot(), [](NodeId v) { return v % 4 != 2; });
    SimilarityOptions options;
    options.filter.subset = &subset;
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
      options.filter.subset = &subset;
      const auto got = PairSimilarities(s, std::vector<NodePair>{{a, b}}, options);
      ASSERT_TRUE(got.has_value());
      EXPECT_NEAR(got->pairs[0].score, Score(want, measure), 1e-12);
      if (b % 3 == 0 || want.shared == 0) continue;  // b is a candidate: the same from a's side
      options.top = 0;
      const auto near = SimilarNodes(s, a, options);
      const auto at = std::ranges::find(near->hits, b, &SimilarNeighbor::node);
      ASSERT_NE(at, near->hits.end());
      EXPECT_EQ(at->score, got->pairs[0].score);  // the very bits
      ++compared;
    }
  }
  EXPECT_GT(compared, 10);
}

// The whole graph's best pairs, by walking wedges and by the miner, against all pairs.
TEST(Similarity, PairsEqualComparingAll) {
  const auto executors = Executors();
  std::size_t turn = 0;
  ForEachCase(SmallCases(), [&](const CaseGraph& g, Shape) {
    for (const Direction direction : kDirections) {
      SimilarityOptions options;
      options.direction = direction;
      if (turn % 2) options.filter.kinds = {kLink, kHasTag};
      const Table table = reference::Similarities(g.Flat(options.filter.kinds), direction);
      for (const SimilarityMeasure measure : kMeasures)
        for (const std::uint64_t limit : {std::uint64_t{1} << 33, std::uint64_t{0}}) {
          options.measure = measure;
          options.wedge_limit = limit;
          options.top = 1 + ++turn % 7;
          options.min_shared = 1 + turn % 2;
          options.run.executor = executors[turn % executors.size()].executor.get();
          std::vector<PairSimilarity> all;
          for (NodeId a = 0; a < table.size(); ++a)
            for (NodeId b = a + 1; b < table.size(); ++b)
              if (table[a][b].shared >= options.min_shared)
                all.push_back({a, b, Score(table[a][b], measure), table[a][b].shared,
                               table[a][b].neighbors_a, table[a][b].neighbors_b});
          const auto got = SimilarPairs(g.snapshot(), options);
          if (!got && limit == 0) {
            ASSERT_TRUE(measure == SimilarityMeasure::kJaccard ||
                        measure == SimilarityMeasure::kOverlap);
            ASSERT_EQ(got.error().code, ErrorCode::kResourceExhausted);
            continue;
          }
          ASSERT_TRUE(got.has_value()) << got.error().ToString();
          ASSERT_FALSE(got->truncated);
          ASSERT_EQ(got->pairs.size(), std::min(options.top, all.size()));
          std::vector<double> scores;
          for (const auto& pair : all) scores.push_back(pair.score);
          std::sort(scores.rbegin(), scores.rend());
          for (std::size_t i = 0; i < got->pairs.size(); ++i) {
            const PairSimilarity& pair = got->pairs[i];
            ASSERT_NEAR(pair.score, scores[i], 1e-12 * (1 + scores[i]));
            const auto at = std::ranges::find_if(
                all, [&](const auto& x) { return x.a == pair.a && x.b == pair.b; });
            ASSERT_NE(at, all.end());
            ASSERT_NEAR(pair.score, at->score, 1e-12 * (1 + scores[i]));
            ASSERT_EQ(pair.shared, at->shared);
            ASSERT_EQ(pair.neighbors_a, at->neighbors_a);
            ASSERT_EQ(pair.neighbors_b, at->neighbors_b);
            // Counts and ratios have no rounding: ties are in order.
            if (measure != SimilarityMeasure::kAdamicAdar &&
                measure != SimilarityMeasure::kResourceAllocation) {
              std::size_t better = 0;
              for (const auto& x : all)
                better += x.score > pair.score || (x.score == pair.score &&
                                                   std::pair(x.a, x.b) < std::pair(pair.a, pair.b));
              ASSERT_EQ(better, i);
            }
          }
        }
    }
  });
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
  options.run.budget.edges = 5000;
  std::optional<std::size_t> cut;
  for (const auto& e : executors) {
    options.run.executor = e.executor.get();
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
  options.run.budget.edges = 1000;
  const auto near = SimilarNodes(star, 5, options);
  EXPECT_TRUE(near->truncated);
  EXPECT_TRUE(near->hits.empty());
  EXPECT_LE(near->edges, 1000u);
  options.run.budget.edges = 100'000;
  const auto all = SimilarNodes(star, 5, options);
  EXPECT_FALSE(all->truncated);
  EXPECT_EQ(all->candidates, 19'999u);
  ASSERT_EQ(all->hits.size(), 20u);
  EXPECT_EQ(all->hits[0].node, 1u);
  EXPECT_EQ(all->hits[0].score, 1);
  EXPECT_LT(all->edges, 41'000u);  // of 19,999 equal candidates few rows are read
  const std::atomic<bool> stop = true;
  options.run.budget.cancel = &stop;
  EXPECT_TRUE(SimilarNodes(star, 5, options)->truncated);
  EXPECT_TRUE(PairSimilarities(star, std::vector<NodePair>{{1, 2}}, options)->truncated);
}

// A star of 1,000 leaves, filtered by time, so that lengths of rows have to be read.
CaseGraph TimedStar() {
  CaseGraph star;
  star.AddNodes(1001);
  for (std::size_t leaf = 1; leaf <= 1000; ++leaf) star.LinkValid(0, kLink, leaf, 0, 100);
  star.Commit();
  return star;
}

TEST(Similarity, WhatIsReadIsCounted) {
  const CaseGraph star = TimedStar();
  SimilarityOptions options;
  options.measure = SimilarityMeasure::kAdamicAdar;
  options.filter.valid_at = 50;
  std::vector<NodePair> pairs;
  for (NodeId v = 1; v <= 64; ++v) pairs.push_back({v, v + 1});
  // A row of one arc for each of the two, and the hub's once for its length, once for its degree.
  options.run.budget.edges = 2 * 64 + 2 * 1000;
  EXPECT_FALSE(PairSimilarities(star.snapshot(), pairs, options)->truncated);
  options.run.budget.edges -= 1;
  EXPECT_EQ(PairSimilarities(star.snapshot(), pairs, options)->pairs.size(), 63u);
  options.run.budget.edges = 2 + 1000;
  EXPECT_TRUE(PairSimilarities(star.snapshot(), pairs, options)->pairs.empty());
  // Of the hub: its row, then every leaf's for its length and for who shares it.
  options.run.budget.edges = 3000;
  const auto whole = SimilarNodes(star.snapshot(), 0, options);
  EXPECT_FALSE(whole->truncated);
  EXPECT_EQ(whole->edges, 3000u);
  EXPECT_EQ(whole->neighbors, 1000u);
  for (const std::uint64_t edges : {0u, 999u, 1500u, 2999u}) {
    options.run.budget.edges = edges;
    const auto cut = SimilarNodes(star.snapshot(), 0, options);
    EXPECT_TRUE(cut->truncated) << edges;
    EXPECT_LE(cut->edges, edges);
    EXPECT_EQ(cut->neighbors, edges < 1000 ? 0u : 1000u);
  }
  // Jaccard reads the candidates' rows as well.
  options.measure = SimilarityMeasure::kJaccard;
  for (const std::uint64_t edges : {1u, 1000u, 2001u, 2005u}) {
    options.run.budget.edges = edges;
    const auto cut = SimilarNodes(star.snapshot(), 5, options);
    EXPECT_TRUE(cut->truncated) << edges;
    EXPECT_LE(cut->edges, edges);
  }
}

// Runs the blocks in turn and cancels after the first.
class CancelAfterOne : public Executor {
 public:
  int thread_count() const override { return 1; }
  void Run(std::size_t blocks, BlockTask task) override {
    for (std::size_t b = 0; b < blocks; ++b) {
      task(b);
      stop = true;
    }
  }
  std::atomic<bool> stop = false;
};

TEST(Similarity, CancelledBetweenBlocksOfPairs) {
  const CaseGraph star = TimedStar();
  std::vector<NodePair> pairs;
  for (NodeId v = 1; v <= 640; ++v) pairs.push_back({v, v + 1});
  CancelAfterOne executor;
  SimilarityOptions options;
  options.run.executor = &executor;
  options.run.budget.cancel = &executor.stop;
  const auto got = PairSimilarities(star.snapshot(), pairs, options);
  ASSERT_TRUE(got.has_value());
  EXPECT_TRUE(got->truncated);
  EXPECT_EQ(got->pairs.size(), 64u);
}

// Everything ties: the walk gives up with a full list, and the miner's joins it.
TEST(Similarity, LongListsOfTies) {
  const CaseGraph star = TimedStar();
  SimilarityOptions options;
  options.measure = SimilarityMeasure::kAdamicAdar;
  options.wedge_limit = 100'000;
  options.top = 20'000;
  const auto whole = SimilarPairs(star.snapshot(), options);
  ASSERT_TRUE(whole.has_value()) << whole.error().ToString();
  EXPECT_FALSE(whole->truncated);
  EXPECT_GT(whole->compared, 0u);
  options.run.budget.edges = whole->wedges + 1;
  const auto cut = SimilarPairs(star.snapshot(), options);
  ASSERT_TRUE(cut.has_value()) << cut.error().ToString();
  EXPECT_TRUE(cut->truncated);
  for (const auto* got : {&*whole, &*cut}) {
    ASSERT_EQ(got->pairs.size(), 20'000u);
    for (std::size_t i = 1; i < got->pairs.size(); ++i)
      ASSERT_LT(std::pair(got->pairs[i - 1].a, got->pairs[i - 1].b),
                std::pair(got->pairs[i].a, got->pairs[i].b));
  }
  EXPECT_EQ(whole->pairs.back().a, 21u);  // 999 + 998 + ... + 980 = 19,790 before
  EXPECT_EQ(whole->pairs.back().b, 231u);
}

// Two rows so heavy that the miner's units saturate far from their ends.
TEST(Similarity, RowsBeyondTheRangeOfBounds) {
  constexpr std::size_t kShared = 12'000;
  CaseGraph g;
  g.AddNodes(2 + kShared);
  for (std::size_t w = 0; w < kShared; ++w)
    for (std::size_t v = 0; v < 2; ++v) g.Link(v, kLink, 2 + w);
  g.Commit();
  SimilarityOptions options;
  options.measure = SimilarityMeasure::kAdamicAdar;
  options.direction = Direction::kOut;
  options.wedge_limit = 0;
  const auto got = SimilarPairs(g.snapshot(), options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  EXPECT_GT(got->compared, 0u);
  ASSERT_EQ(got->pairs.size(), 1u);
  EXPECT_NEAR(got->pairs[0].score, kShared / std::log(2), 1e-7);
  EXPECT_EQ(got->pairs[0].shared, kShared);
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
  EXPECT_EQ(PairSimilarities(s, std::vector<NodePair>{{0, 0}}).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(PairSimilarities(s, std::vector<NodePair>{{0, 3}}).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(PairSimilarities(s, {})->pairs.empty());
  EXPECT_FALSE(SimilarPairs(s, {.top = kMaxSimilarTop + 1}).has_value());
  EXPECT_EQ(SimilarNodes(s, 0)->hits, (std::vector<SimilarNeighbor>{{2, 1.0, 1, 1}}));
}

}  // namespace
}  // namespace plexus::testing
