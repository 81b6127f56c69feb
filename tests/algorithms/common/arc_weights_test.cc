// Factors by kind and half-lives by age: every PageRank weighs as the formula of
// common.h says, on every shape, and refuses what it cannot weigh.
#include "algorithms/common/common.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "algorithms/pagerank/pagerank.h"
#include "tests/algorithms/pagerank/pagerank_query.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace pagerank;
namespace {

constexpr std::int64_t kNow = 1'000'000'000'000;
constexpr std::int64_t kHour = 3'600'000;

// Four kinds, one symmetric, one that ages by itself (the first of the user's); edges of
// many ages, some from the future; a removed node, parallel kinds, loops.
Case AgedEdges() {
  return {"aged edges", 2, [](CaseGraph& g, int step) {
            std::mt19937 random(static_cast<unsigned>(7 + step));
            if (step == 0) {
              EdgeKind visits;
              visits.name = "visits";
              visits.half_life_ms = 2 * kHour;
              EXPECT_EQ(g.DefineKind(visits), kFirstUserEdgeKind);
              g.AddNodes(60);
            }
            const EdgeKindId kinds[] = {kLink, kCauses, kSimilar, kFirstUserEdgeKind};
            for (int i = 0; i < 120; ++i) {
              const std::size_t a = random() % 60, b = random() % 60;
              const EdgeKindId kind = kinds[random() % 4];
              if (a == b && kind != kLink) continue;
              g.Link(a, kind, b, 0.25f * static_cast<float>(random() % 8), "",
                     kNow - static_cast<std::int64_t>(random() % 20) * kHour + 4 * kHour);
            }
            if (step == 1) g.Remove(5);
          }};
}

EdgeWeighting Weights() {
  return {.factors = {{kCauses, 3.0}, {kLink, 0.5}, {kSimilar, 0.0}},
          .now_ms = kNow,
          .half_life_ms = 6 * kHour};
}

// The arcs as the formula weighs them, in f32 as it says.
reference::FlatGraph Weighed(reference::FlatGraph flat, const EdgeWeighting& weights) {
  for (reference::FlatArc& a : flat.arcs) {
    double w = static_cast<double>(a.weight);
    for (const KindFactor& f : weights.factors)
      if (f.kind == a.kind) w *= f.factor;
    const std::int64_t half_life = a.kind == kFirstUserEdgeKind ? 2 * kHour : weights.half_life_ms;
    if (weights.now_ms != kNoTime && half_life > 0 && a.created_at < weights.now_ms)
      w *= std::pow(
          0.5, static_cast<double>(weights.now_ms - a.created_at) / static_cast<double>(half_life));
    a.weight = static_cast<float>(w);
  }
  return flat;
}

EdgeWeighting Factors(std::vector<KindFactor> factors) {
  EdgeWeighting weights;
  weights.factors = std::move(factors);
  return weights;
}

std::vector<EdgeWeighting> Cases() {
  EdgeWeighting factors = Weights(), own = Weights(), both = Weights();
  factors.now_ms = kNoTime, factors.half_life_ms = 0;
  own.factors.clear(), own.half_life_ms = 0;  // kinds with a half-life of their own alone
  return {factors, own, both};
}

TEST(EdgeWeighting, EveryPageRankWeighsByTheFormula) {
  ForEachCase({AgedEdges()}, [](const CaseGraph& g, Shape) {
    const auto plain = reference::PageRank(g.Flat(), 0.85, true, {}, 0);
    for (const EdgeWeighting& weights : Cases()) {
      const auto flat = Weighed(g.Flat(), weights);
      const auto want = reference::PageRank(flat, 0.85, true, {}, 0);
      EXPECT_GT(Distance(want, plain), 1e-3);
      PageRankOptions options;
      options.tolerance = 1e-12;
      options.arc_weights = weights;
      const PageRankResult got = Rank(g.snapshot(), options);
      EXPECT_LE(Distance(got.scores, want), 1e-6);  // exp2 against pow, rounded to f32
      EXPECT_EQ(got.scores, Rank(g.snapshot(), options).scores);
      // Kept for other weights, it must not be taken for these.
      PageRankOptions stored = options;
      stored.arc_weights = {};
      EXPECT_LE(Distance(Rank(g.snapshot(), stored).scores, plain), 1e-11);
      // From other scores, and with a hint that does not hold here.
      PageRankOptions refresh = options;
      refresh.tolerance = 1e-9;
      const Snapshot same = g.snapshot();
      const auto refreshed = RefreshPageRank(g.snapshot(), {plain, &same}, refresh);
      EXPECT_LE(Distance(refreshed.value().scores, want), 1e-6);

      const std::vector<std::vector<NodeWeight>> sets = {{}, {{1, 1.0}}};
      PageRankOptions batch = options;
      batch.precision = Precision::kF32;
      batch.tolerance = 1e-5;
      const auto sixteen = PageRankBatch(g.snapshot(), sets, batch);
      ASSERT_TRUE(sixteen) << sixteen.error().ToString();
      std::vector<double> home(flat.node_count());
      home[1] = 1;
      const auto seeded = reference::PageRank(flat, 0.85, true, home, 0);
      PageRankPushOptions push;
      push.arc_weights = weights;
      push.max_error = 1e-6;
      push.top = 0;
      const auto pushed = PageRankPush(g.snapshot(), sets[1], push);
      ASSERT_TRUE(pushed) << pushed.error().ToString();
      std::vector<double> near(flat.node_count());
      for (const ScoredNode& node : pushed->top) near[node.node] = node.score;
      EXPECT_LE(Distance(near, seeded), 3e-6);
      for (NodeId v = 0; v < flat.node_count(); ++v) {
        EXPECT_NEAR(static_cast<double>(sixteen->score(v, 0)), want[v], 2e-5);
        EXPECT_NEAR(static_cast<double>(sixteen->score(v, 1)), seeded[v], 2e-5);
      }
    }
  });
}

TEST(EdgeWeighting, RowsAreThoseOfTheFormula) {
  ForEachCase({AgedEdges()}, [](const CaseGraph& g, Shape) {
    const auto flat = Weighed(g.Flat(), Weights());
    DenseViewOptions options;
    options.arc_weights = Weights();
    const auto view = DenseView::Make(g.snapshot(), options);
    ASSERT_TRUE(view);
    for (const Direction direction : {Direction::kOut, Direction::kIn}) {
      const CsrView rows = direction == Direction::kOut ? view->out() : view->in();
      std::vector<std::vector<std::pair<NodeId, float>>> want(view->node_count());
      for (const auto& a : flat.arcs) {
        const NodeId row = view->dense(direction == Direction::kOut ? a.from : a.to);
        want[row].push_back({view->dense(direction == Direction::kOut ? a.to : a.from), a.weight});
      }
      for (NodeId v = 0; v < view->node_count(); ++v) {
        std::vector<std::pair<NodeId, float>> got;
        for (std::uint32_t i = rows.offsets[v]; i < rows.offsets[v + 1]; ++i)
          got.push_back({rows.neighbors[i], rows.weight(i)});
        std::sort(got.begin(), got.end());
        std::sort(want[v].begin(), want[v].end());
        ASSERT_EQ(got.size(), want[v].size());
        for (std::size_t i = 0; i < got.size(); ++i) {
          EXPECT_EQ(got[i].first, want[v][i].first);
          EXPECT_FLOAT_EQ(got[i].second, want[v][i].second);
        }
      }
    }
  });
}

// Salience: along depends_on, against causes. A symmetric kind has no direction to reverse.
TEST(EdgeWeighting, ReversedKindsFlowFromTargetToSource) {
  ForEachCase({AgedEdges()}, [](const CaseGraph& g, Shape) {
    const auto reversed = [](reference::FlatGraph flat) {
      for (reference::FlatArc& a : flat.arcs)
        if (a.kind == kCauses || a.kind == kFirstUserEdgeKind) std::swap(a.from, a.to);
      return flat;
    };
    const EdgeKinds named = {kCauses, kLink, kFirstUserEdgeKind};
    for (const EdgeKinds& kinds : {EdgeKinds(), named})
      for (const EdgeWeighting& weights : {EdgeWeighting{}, Weights()}) {
        const auto flat = reversed(Weighed(g.Flat(kinds), weights));
        const auto want = reference::PageRank(flat, 0.85, true, {}, 0);
        PageRankOptions options;
        options.tolerance = 1e-12;
        options.filter.kinds = kinds;
        options.reversed = {kCauses, kFirstUserEdgeKind};
        if (!kinds.given()) options.reversed.push_back(kSimilar);
        options.arc_weights = weights;
        const double close = weights.as_stored() ? 1e-11 : 1e-6;
        EXPECT_LE(Distance(Rank(g.snapshot(), options).scores, want), close);
        PageRankOptions straight = options;
        straight.reversed.clear();
        EXPECT_GT(Distance(Rank(g.snapshot(), straight).scores, want), 1e-3);
        PageRankOptions refresh = options;
        refresh.tolerance = 1e-9;
        const auto refreshed = RefreshPageRank(g.snapshot(), {.scores = want}, refresh);
        EXPECT_LE(Distance(refreshed.value().scores, want), 1e-6);
        PageRankPushOptions push;
        push.filter.kinds = options.filter.kinds, push.reversed = options.reversed,
        push.arc_weights = weights;
        push.max_error = 1e-6, push.top = 0;
        std::vector<double> home(flat.node_count()), near(flat.node_count());
        home[1] = 1;
        const auto pushed = PageRankPush(g.snapshot(), std::vector<NodeWeight>{{1, 1.0}}, push);
        ASSERT_TRUE(pushed) << pushed.error().ToString();
        for (const ScoredNode& node : pushed->top) near[node.node] = node.score;
        EXPECT_LE(Distance(near, reference::PageRank(flat, 0.85, true, home, 0)), 3e-6);
      }
    PageRankOptions wrong;
    wrong.reversed = {EdgeKindId{4000}};
    EXPECT_FALSE(PageRank(g.snapshot(), wrong));
    wrong.filter.kinds = {kLink}, wrong.reversed = {kCauses};  // not followed
    EXPECT_FALSE(PageRank(g.snapshot(), wrong));
    wrong.filter.kinds = {}, wrong.reversed = {kHasTag};
    EXPECT_FALSE(PageRank(g.snapshot(), wrong));
  });
}

TEST(EdgeWeighting, WhatCannotBeWeighedIsRefused) {
  const CaseGraph g = Build(AgedEdges(), Shape::kDelta);
  const auto refused = [&](EdgeWeighting weights, const std::string& mentions) {
    PageRankOptions options;
    options.arc_weights = std::move(weights);
    const auto got = PageRank(g.snapshot(), options);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(got.error().message.find(mentions), std::string::npos) << got.error().message;
    PageRankPushOptions push;
    push.arc_weights = options.arc_weights;
    EXPECT_FALSE(PageRankPush(g.snapshot(), std::vector<NodeWeight>{{1, 1.0}}, push));
  };
  refused(Factors({{kCauses, std::nan("")}}), "'causes' is not a finite number");
  refused(Factors({{kCauses, -1}}), "not a finite number >= 0");
  refused(Factors({{kCauses, INFINITY}}), "not a finite number >= 0");
  refused(Factors({{EdgeKindId{4000}, 1}}), "4000, which does not exist");
  refused(Factors({{kCauses, 1}, {kCauses, 2}}), "two factors for edge kind 'causes'");
  refused({.factors = {}, .now_ms = kNow, .half_life_ms = -1}, "below 0");
  PageRankOptions unweighted;
  unweighted.arc_weights = Weights();
  unweighted.weighted = false;
  EXPECT_FALSE(PageRank(g.snapshot(), unweighted));
  // A half-life without a time is a mistake, not "as stored".
  PageRankOptions no_time;
  no_time.arc_weights.half_life_ms = kHour;
  EXPECT_FALSE(PageRank(g.snapshot(), no_time));
  // Factors of any size give finite scores.
  PageRankOptions huge;
  huge.arc_weights.factors = {{kCauses, 1e300}, {kLink, 1e-300}};
  const PageRankResult ranked = Rank(g.snapshot(), huge);
  for (const double score : ranked.scores) EXPECT_TRUE(std::isfinite(score) && score >= 0);
  EXPECT_TRUE(ranked.converged);
  // Beyond f64, and so old that nothing of it is left: infinity times nothing.
  huge.arc_weights = {.factors = {{kCauses, 1e308}}, .now_ms = kNow, .half_life_ms = 1};
  for (const double score : Rank(g.snapshot(), huge).scores)
    EXPECT_TRUE(std::isfinite(score) && score >= 0);
}

}  // namespace
}  // namespace plexus::testing
