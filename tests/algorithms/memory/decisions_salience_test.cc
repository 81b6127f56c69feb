// Salience against the iteration of PageRank(), in like places, and when it is cancelled.
#include "algorithms/memory/decisions/decisions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "algorithms/pagerank/pagerank.h"
#include "engine/vocabulary.h"
#include "tests/algorithms/memory/decision_graph.h"
#include "tests/support/case_graph.h"

namespace plexus::testing {
using namespace builtin;
using namespace memory;
using namespace pagerank;
namespace {

// Long chains, a large cycle, weights of 0, decisions that nothing holds: against the
// iteration of PageRank(), at any damping.
TEST(Salience, IsPageRank) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::mt19937_64 random(seed);
    CaseGraph g;
    constexpr std::size_t kNodes = 6000;
    g.AddNodes(kNodes, kDecision);
    const EdgeKindId kinds[] = {kDependsOn, kRefines, kCauses, kSupports};
    for (std::size_t v = 1; v < kNodes; ++v) {
      if (v % 7 != 0) g.Link(v, kDependsOn, v - 1, static_cast<float>(random() % 3));
      g.Link(v, kinds[random() % 4], random() % v, static_cast<float>(1 + random() % 9) / 8);
    }
    if (seed > 2) g.Link(0, kDependsOn, kNodes * seed / 5 - 1);  // most of it becomes a cycle
    g.Commit();
    PageRankOptions rank;
    rank.tolerance = 1e-12;
    rank.filter.kinds = {kDependsOn, kRefines, kCauses, kSupports};
    rank.reversed = {kCauses, kSupports};
    for (const double damping : {0.0, 0.5, 0.85, 0.97}) {
      rank.damping = damping;
      const PageRankResult want = PageRank(g.snapshot(), rank).value();
      const SalienceResult got =
          Salience(g.snapshot(), {.decisions = At(1), .damping = damping}).value();
      double apart = 0, sum = 0;
      for (NodeId v = 0; v < kNodes; ++v) {
        apart += std::abs(got.scores[v] - want.scores[v]);
        sum += got.scores[v];
      }
      EXPECT_LT(apart, 3e-12) << seed << " " << damping;
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
  CaseGraph none;
  EXPECT_TRUE(Salience(none.snapshot()).value().scores.empty());
  for (const double damping : {-0.1, 1.0, std::nan("")})
    EXPECT_EQ(Salience(none.snapshot(), {.damping = damping}).error().code,
              ErrorCode::kInvalidArgument);
  for (const double tolerance : {0.0, std::nan("")})
    EXPECT_EQ(Salience(none.snapshot(), {.tolerance = tolerance}).error().code,
              ErrorCode::kInvalidArgument);
}

// d1 holds d2 and d3 alike, and the one of them is in a cycle with it: they tie.
TEST(Salience, ACycleAndWhatHangsOnItTie) {
  CaseGraph g;
  g.AddNodes(6, kDecision);
  g.Link(1, kDependsOn, 2);
  g.Link(1, kDependsOn, 3);
  g.Link(2, kDependsOn, 1);
  g.Commit();
  const SalienceResult r = Salience(g.snapshot(), {.decisions = At(1)}).value();
  EXPECT_EQ(r.scores[2], r.scores[3]);
  EXPECT_DOUBLE_EQ(r.percentiles[2], 0.7);
  EXPECT_DOUBLE_EQ(r.percentiles[3], 0.7);
  CaseGraph one;
  one.AddNodes(1, kDecision);
  one.Commit();
  EXPECT_EQ(Salience(one.snapshot(), {.decisions = At(1)}).value().percentiles[0], 0.5);
}

// What the ranking gives equally ties, wherever it comes from: 4 is in a cycle, 2 is not.
TEST(Salience, EqualValuesTieInsideAndOutsideOfCycles) {
  CaseGraph g;
  g.AddNodes(6, kDecision);
  for (const auto& [from, to] : {std::pair(4, 5), {2, 1}, {3, 4}, {5, 2}, {4, 3}})
    g.Link(static_cast<NodeId>(from), kDependsOn, static_cast<NodeId>(to));
  g.Commit();
  const SalienceResult r = Salience(g.snapshot(), {.decisions = At(1)}).value();
  EXPECT_EQ(r.scores[2], r.scores[4]);
  EXPECT_EQ(r.percentiles[2], r.percentiles[4]);
}

// Against plain iteration: nodes that are equal there have one percentile.
TEST(Salience, PercentilesFollowTheExactRanking) {
  std::mt19937_64 random(31);
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = 2 + random() % 9;
    CaseGraph g;
    g.AddNodes(count, kDecision);
    std::vector<std::vector<std::size_t>> out(count);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 0; b < count; ++b)
        if (a != b && random() % 4 == 0) {
          out[a].push_back(b);
          g.Link(static_cast<NodeId>(a), kDependsOn, static_cast<NodeId>(b));
        }
    g.Commit();
    std::vector<long double> exact(count, 1);  // up to a factor
    for (int step = 0; step < 400; ++step) {
      std::vector<long double> next(count, 1);
      for (std::size_t a = 0; a < count; ++a)
        for (const std::size_t b : out[a]) next[b] += 0.85L * exact[a] / out[a].size();
      exact = std::move(next);
    }
    const SalienceResult r = Salience(g.snapshot(), {.decisions = At(1)}).value();
    for (std::size_t v = 0; v < count; ++v) {
      double below = 0, equal = 0;
      for (std::size_t u = 0; u < count; ++u) {
        const bool ties = std::abs(exact[u] - exact[v]) < 1e-12L * exact[v];
        below += !ties && exact[u] < exact[v];
        equal += ties && u != v;
      }
      EXPECT_DOUBLE_EQ(r.percentiles[v], (below + equal / 2) / static_cast<double>(count - 1))
          << "round " << round << ", node " << v;
    }
  }
}

// Decisions in like places tie to the last bit, though their rows are in other orders.
TEST(Salience, LikePlacesTie) {
  std::vector<double> first;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::size_t> place(60);
    std::iota(place.begin(), place.end(), std::size_t{0});
    std::ranges::shuffle(place, random);
    CaseGraph g;
    g.AddNodes(place.size(), kDecision);
    for (std::size_t v = 3; v < place.size(); ++v)
      for (std::size_t k = 1; k <= 3; ++k)
        g.Link(place[v], kDependsOn, place[(v * k + k * k) % v], static_cast<float>(k) / 7);
    for (std::size_t v = 20; v < 25; ++v) g.Link(place[v - 20], kRefines, place[v]);  // cycles
    g.Commit();
    const SalienceResult r = Salience(g.snapshot(), {.decisions = At(1)}).value();
    std::vector<double> scores;
    for (const std::size_t v : place) scores.push_back(r.percentiles[v]);
    if (first.empty()) first = scores;
    EXPECT_EQ(scores, first);
  }
}

// Only the shares of a decision's edges count: a row whose weights are all N times as large, too.
TEST(Salience, WeightsThatDifferByAFactorTie) {
  for (const std::size_t size : {1, 2, 3, 5}) {
    CaseGraph g;
    constexpr std::size_t kRows = 12;
    g.AddNodes(kRows * (size + 1), kDecision);
    for (std::size_t row = 0; row < kRows; ++row)
      for (std::size_t k = 1; k <= size; ++k)
        g.Link(row * (size + 1), kDependsOn, row * (size + 1) + k,
               static_cast<float>(k * (2 * row + 1)));
    g.Commit();
    const SalienceResult r = Salience(g.snapshot(), {.decisions = At(1)}).value();
    for (std::size_t v = size + 1; v < kRows * (size + 1); ++v)
      EXPECT_EQ(r.scores[v], r.scores[v % (size + 1)]) << size << " " << v;
  }
}

// The scores of a budget that is spent are not exact, and still sum to 1.
TEST(Salience, StopsWhenItIsCancelled) {
  CaseGraph g;
  constexpr std::size_t kNodes = 9000;
  g.AddNodes(kNodes, kDecision);
  for (std::size_t v = 1; v < kNodes; ++v) g.Link(v, kDependsOn, v - 1);
  g.Commit();
  const std::atomic<bool> cancel = true;
  SalienceOptions options{.decisions = At(1)};
  options.decisions.run.budget.cancel = &cancel;
  const SalienceResult r = Salience(g.snapshot(), options).value();
  EXPECT_TRUE(r.truncated);
  EXPECT_NEAR(std::accumulate(r.scores.begin(), r.scores.end(), 0.0), 1, 1e-9);
}

}  // namespace
}  // namespace plexus::testing
