// PageRank from earlier scores: what is said of the error holds, whatever happened to the
// graph and wherever the scores are from; same bits at any thread count and on any shape.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "algorithms/pagerank/internal/csr_spmv.h"
#include "algorithms/pagerank/internal/pagerank_csr.h"
#include "algorithms/pagerank/internal/refresh.h"
#include "algorithms/pagerank/pagerank.h"
#include "tests/algorithms/pagerank/pagerank_query.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace pagerank;
namespace {

TEST(PageRankRefresh, ErrorBoundHoldsFromEarlierScores) {
  CaseGraph g;
  g.AddNodes(3000);
  for (std::size_t i = 0; i < 3000; ++i)
    for (std::size_t k = 1; k < 6; ++k)
      g.Link(i, kLink, (i * 13 + k * k * 101 + 7) % 3000, 0.5f + static_cast<float>(k));
  g.Commit();
  RefreshQuery options;
  options.tolerance = 1e-10;
  const PageRankResult before = Rank(g.snapshot(), options);
  g.Link(g.AddNode(), kLink, 5);
  g.Link(17, kLink, 2900);
  g.Remove(44);
  g.Commit();
  const PageRankResult fresh = Rank(g.snapshot(), options);
  options.start = before.scores;
  const PageRankResult refreshed = Rank(g.snapshot(), options);
  EXPECT_TRUE(refreshed.converged);
  EXPECT_LE(refreshed.iterations, fresh.iterations);
  const auto want = reference::PageRank(g.Flat(), options.damping, true, {}, 0);
  EXPECT_LE(Distance(refreshed.scores, want), refreshed.error + 1e-13);
  options.start = fresh.scores;
  EXPECT_LE(Rank(g.snapshot(), options).iterations, 2);
}

// Long chains with cross links, dangling ends and weights: changes stay near where they
// are made, so their rows are pushed one by one.
TEST(PageRankRefresh, ErrorBoundHoldsAfterLocalChanges) {
  for (const bool weighted : {false, true})
    for (const bool seeded : {false, true}) {
      SCOPED_TRACE((weighted ? 2 : 0) + (seeded ? 1 : 0));
      CaseGraph g;
      constexpr std::size_t kNodes = 20'000;
      g.AddNodes(kNodes);
      for (std::size_t i = 0; i + 1 < kNodes; ++i) {
        if (i % 7 != 6) g.Link(i, kLink, i + 1, 0.25f + static_cast<float>(i % 4));
        if (i % 5 == 0 && i % 7 != 6) g.Link(i, kRelatesTo, (i * 13 + 5) % kNodes / 40 * 40 + 1);
      }
      g.Commit();
      RefreshQuery options;
      options.weighted = weighted;
      options.tolerance = 1e-6;
      if (seeded) options.seeds = {{11, 1.0}, {4000, 3.0}};
      const Snapshot first = g.snapshot();
      const PageRankResult before = Rank(first, options);
      for (std::size_t i = 0; i < 3; ++i) {
        g.Link(500 + i, kLink, 9000 + 2 * i);
        g.Link(6, kLink, 12 + i);  // was dangling
      }
      g.Commit();
      options.start = before.scores;
      std::vector<double> teleport;
      if (seeded) {
        teleport.assign(kNodes, 0.0);
        teleport[11] = 1.0, teleport[4000] = 3.0;
      }
      const auto want = reference::PageRank(g.Flat(), 0.85, weighted, teleport, 0);
      for (const Snapshot* hint : {static_cast<const Snapshot*>(nullptr), &first}) {
        options.start_snapshot = hint;
        const PageRankResult refreshed = Rank(g.snapshot(), options);
        EXPECT_TRUE(refreshed.converged);
        EXPECT_LE(Distance(refreshed.scores, want), refreshed.error);
      }
    }
}

// Fifty refreshes, each from the one before, while edges come, go and change their weights,
// nodes are added, lose their last out-edge and get one again, batches are compacted, and
// at last nodes are removed. The refreshes of other selections go along. With tags, rows are
// packed.
void RefreshFiftyTimes(bool tags) {
  Draw draw(7);
  CaseGraph g;
  g.AddNodes(120);
  if (tags) g.Link(5, kHasTag, g.AddNode(kTag));
  const auto link = [&] {
    const std::size_t from = draw(static_cast<std::uint32_t>(g.size())),
                      to = draw(static_cast<std::uint32_t>(g.size()));
    if (from == to || !g.alive(from) || !g.alive(to)) return;
    if (draw(4) == 0)
      g.LinkValid(from, kSupports, to, draw(100), 100 + draw(100));
    else
      g.Link(from, draw(3) == 0 ? kRelatesTo : kLink, to, 0.25f * static_cast<float>(1 + draw(8)));
  };
  for (int i = 0; i < 400; ++i) link();
  g.Commit();
  std::vector<RefreshQuery> selections(5);
  selections[1].weighted = false;
  selections[2].filter.kinds = {kLink, kRelatesTo};
  selections[3].filter.valid_at = 100;
  selections[4].seeds = {{3, 1.0}, {17, 2.0}};
  std::vector<std::vector<double>> scores(selections.size() + 1);  // the last: of a subset
  Snapshot earlier = g.snapshot();
  for (int step = 0; step < 50; ++step) {
    SCOPED_TRACE(step);
    for (std::uint32_t i = 1 + draw(6); i > 0; --i) link();
    if (draw(2) == 0 && !g.edges().empty()) {
      auto gone = g.edges().begin();
      std::advance(gone, draw(static_cast<std::uint32_t>(g.edges().size())));
      const auto [source, kind, target, label] = gone->first;
      g.Unlink(source, kind, target, label);
    }
    if (step % 7 == 3) {  // one node loses all its out-edges
      const std::size_t node = draw(static_cast<std::uint32_t>(g.size()));
      const auto edges = g.edges();
      for (const auto& [identity, record] : edges)
        if (std::get<0>(identity) == node)
          g.Unlink(node, std::get<1>(identity), std::get<2>(identity), std::get<3>(identity));
    }
    if (step % 5 == 1) g.AddNodes(1 + draw(3));
    if (tags && step % 4 == 2) g.Link(draw(50), kHasTag, g.AddNode(kTag));
    if (step >= 40 && step % 2 == 0 && g.alive(60u + static_cast<std::size_t>(step)))
      g.Remove(60u + static_cast<std::size_t>(step));
    g.Commit();
    if (step % 11 == 10) g.Compact();
    const Snapshot now = g.snapshot();
    std::vector<NodeId> two_thirds;
    for (NodeId v = 0; v < now.node_count(); ++v)
      if (v % 3 != 0) two_thirds.push_back(v);
    const NodeSubset subset = *NodeSubset::Of(now, two_thirds);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      SCOPED_TRACE(i);
      RefreshQuery options = i < selections.size() ? selections[i] : RefreshQuery{};
      if (i == selections.size()) options.filter.subset = &subset;
      options.tolerance = 1e-8;
      options.start = scores[i];
      if (step % 3 != 2) options.start_snapshot = &earlier;
      std::vector<double> teleport;
      if (!options.seeds.empty()) {
        teleport.assign(now.node_count(), 0.0);
        teleport[3] = 1, teleport[17] = 2;
      }
      PageRankResult got = Rank(now, options);
      EXPECT_TRUE(got.converged);
      EXPECT_LE(got.error, options.tolerance);
      const auto want = reference::PageRank(
          g.Flat(options.filter.kinds, options.filter.subset, options.filter.valid_at), 0.85,
          options.weighted, teleport, 0);
      EXPECT_LE(Distance(got.scores, want), got.error + 1e-12);
      scores[i] = std::move(got.scores);
    }
    earlier = now;
  }
}
TEST(PageRankRefresh, ErrorBoundHoldsOverFiftyRefreshes) { RefreshFiftyTimes(false); }
TEST(PageRankRefresh, ErrorBoundHoldsOverFiftyRefreshesBesideTags) { RefreshFiftyTimes(true); }

// The hint serves where index nodes lie between the facts, too.
TEST(PageRankRefresh, AHintSavesSweepsBesideTags) {
  CaseGraph g;
  for (std::size_t i = 0; i < 3000; ++i) g.AddNode(i % 3 == 2 ? kTag : kMemory);
  for (std::size_t i = 0; i < 3000; ++i) {
    if (i % 3 == 2) continue;
    g.Link(i, kHasTag, 2 + i % 30 * 3);
    for (std::size_t k = 1; k < 4; ++k)
      if (const std::size_t to = (i * 13 + k * k * 101 + 7) % 3000; to % 3 != 2)
        g.Link(i, kLink, to, 0.5f + static_cast<float>(k));
  }
  g.Commit();
  g.Compact();
  const Snapshot before = g.snapshot();
  RefreshQuery options;
  options.tolerance = 1e-6;
  const std::vector<double> scores = Rank(before, options).scores;
  g.Link(3, kLink, 6, 1.0f);
  g.Link(0, kHasTag, g.AddNode(kTag));
  g.Commit();
  options.start = scores;
  const PageRankResult alone = Rank(g.snapshot(), options);
  options.start_snapshot = &before;
  const PageRankResult hinted = Rank(g.snapshot(), options);
  EXPECT_TRUE(hinted.converged);
  EXPECT_LT(hinted.iterations, alone.iterations);
}

// The hint is one: scores of another state, another graph's state, a state to come.
TEST(PageRankRefresh, WrongHintsCostSweepsOnly) {
  CaseGraph g, other;
  g.AddNodes(200);
  other.AddNodes(150);
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t k = 1; k < 4; ++k)
      g.Link(i, kLink, (i * 7 + k * 31) % 200, 0.5f + static_cast<float>(k));
  g.Commit();
  other.Link(0, kLink, 1);
  other.Commit();
  RefreshQuery options;
  options.tolerance = 1e-9;
  const Snapshot first = g.snapshot();
  for (std::size_t i = 0; i < 60; ++i) g.Link(i, kRelatesTo, (i * 11 + 1) % 200, 9.0f);
  g.AddNodes(5);
  g.Commit();
  const Snapshot second = g.snapshot();
  g.Link(1, kRelatesTo, 203);
  g.Commit();
  const Snapshot third = g.snapshot(), elsewhere = other.snapshot();
  std::vector<double> rising(205);
  std::iota(rising.begin(), rising.end(), 0.0);
  const auto want = reference::PageRank(g.Flat(), 0.85, true, {}, 0);
  for (const Snapshot* hint : {&first, &second, &third, &elsewhere})
    for (const std::vector<double>& start : {Rank(first).scores, Rank(second).scores, rising}) {
      options.start = start;
      options.start_snapshot = hint;
      const PageRankResult got = Rank(third, options);
      EXPECT_TRUE(got.converged);
      EXPECT_LE(Distance(got.scores, want), got.error + 1e-13);
      options.max_iterations = 1;
      const PageRankResult stopped = Rank(third, options);
      EXPECT_LE(Distance(stopped.scores, want), stopped.error + 1e-13);
      options.max_iterations = 1000;
    }
}

// Out-strengths that f32 cannot invert, beside ones that it can, and tolerances near the least.
TEST(PageRankRefresh, StrengthsOfAnySize) {
  for (const float scale : {1.0f, 1e-30f, 1e30f}) {
    SCOPED_TRACE(scale);
    CaseGraph g;
    g.AddNodes(300);
    for (std::size_t i = 0; i < 300; ++i)
      for (std::size_t k = 1; k < 4; ++k)
        g.Link(i, kLink, (i * 7 + k * 31) % 300,
               (i % 2 == 0 ? scale : 1.0f) * static_cast<float>(k));
    g.Commit();
    std::vector<double> start(300);
    std::iota(start.begin(), start.end(), 0.0);
    RefreshQuery options;
    options.start = start;
    const auto want = reference::PageRank(g.Flat(), 0.85, true, {}, 0);
    for (const double tolerance : {1e-5, 1e-7, 5e-11}) {
      options.tolerance = tolerance;
      const PageRankResult got = Rank(g.snapshot(), options);
      EXPECT_TRUE(got.converged);
      EXPECT_LE(Distance(got.scores, want), got.error + 1e-14);
    }
  }
}

TEST(PageRankRefresh, RefusesHostileStarts) {
  CaseGraph g;
  g.AddNodes(4);
  g.Link(0, kLink, 1);
  g.Commit();
  RefreshQuery options;
  const auto message = [&](const std::vector<double>& start) {
    options.start = start;
    const auto result = Refresh(g.snapshot(), options);
    return result ? std::string() : result.error().message;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  EXPECT_NE(message({1, nan, 0, 0}).find("node 1"), std::string::npos);
  EXPECT_NE(message({1, 0, infinite, 0}).find("node 2"), std::string::npos);
  EXPECT_NE(message({1, 0, 0, -1e-9}).find("node 3"), std::string::npos);
  EXPECT_NE(message({0, 0, 0, 0}).find("sum"), std::string::npos);
  EXPECT_NE(message({1e308, 1e308, 1e308, 0}).find("sum"), std::string::npos);
  const auto want = reference::PageRank(g.Flat(), 0.85, true, {}, 0);
  for (const std::vector<double>& start :
       {std::vector<double>{5}, {1, 2, 3, 4, 5, 6, nan}, {1e-300, 0, 0, 0}}) {
    options.start = start;  // too short, too long, tiny
    EXPECT_LE(Distance(Rank(g.snapshot(), options).scores, want), options.tolerance);
  }
}

// Enough nodes for three parts: hubs, rows longer than a chunk, dangling nodes.
TEST(PageRankRefresh, InParts) {
  Draw draw(7);
  constexpr NodeId kNodes = 280'000;
  std::vector<std::vector<NodeId>> rows(kNodes), columns(kNodes);
  for (NodeId u = 0; u < kNodes; ++u)
    for (std::uint32_t k = u % 5; k > 0; --k) {
      const NodeId v = draw(8) == 0 ? draw(3) * 70'000 : (draw(60'000) * 5 + draw(60'000)) % kNodes;
      rows[u].push_back(v);
      columns[v].push_back(u);
    }
  const auto flatten = [](const std::vector<std::vector<NodeId>>& lists,
                          std::vector<std::uint32_t>& offsets, std::vector<NodeId>& neighbors) {
    offsets = {0};
    for (const auto& list : lists) {
      neighbors.insert(neighbors.end(), list.begin(), list.end());
      offsets.push_back(static_cast<std::uint32_t>(neighbors.size()));
    }
  };
  std::vector<std::uint32_t> out_offsets, in_offsets;
  std::vector<NodeId> out, in;
  flatten(rows, out_offsets, out);
  flatten(columns, in_offsets, in);
  const pagerank::internal::LiveCsr live{
      {out_offsets, out, {}, {}, {}}, {in_offsets, in, {}, {}, {}}, nullptr, kNodes};
  const auto strengths = OutStrengths(live.out, SerialExecutor()).value();
  const auto reciprocals = StrengthReciprocals<double>(strengths, SerialExecutor()).value();
  PageRankCsrOptions exact;
  exact.iterations = 1000;
  exact.tolerance = 1e-12;
  const auto want = PageRankCsr<double>({live.in, reciprocals, {}}, exact).value().scores;
  std::vector<double> start(want), first;
  for (std::size_t i = 0; i < kNodes; ++i) start[i] *= i % 2 == 0 ? 1.5 : 0.5;
  const double sum = std::accumulate(start.begin(), start.end(), 0.0);
  for (double& x : start) x /= sum;
  // The second tolerance is beyond what changes in f32 reach: a sweep sums everything anew.
  for (const double tolerance : {1e-7, 1e-10}) {
    first.clear();
    for (const auto& e : Executors()) {
      const pagerank::internal::PageRankRefreshed got = pagerank::internal::RefreshPageRank(
          live, start, {}, {.tolerance = tolerance, .budget = {}}, *e.executor);
      EXPECT_LE(got.error, tolerance);
      EXPECT_LE(Distance(got.scores, want), got.error + 2e-12);
      EXPECT_NEAR(std::accumulate(got.scores.begin(), got.scores.end(), 0.0), 1.0, 1e-11);
      if (first.empty()) first = got.scores;
      EXPECT_EQ(got.scores, first) << e.name;
      if (tolerance < 1e-9) break;
    }
  }
  // The sums themselves, against one addition after the other.
  pagerank::internal::CsrSpmv sums(live, false, SerialExecutor());
  std::vector<double> got(kNodes);
  for (std::size_t b = 0; b < sums.block_count(); ++b)
    sums.Pull(b, want.data(), &got[sums.first_row(b)]);
  double off = 0, total = 0;
  for (NodeId v = 0; v < kNodes; ++v) {
    long double row = 0;
    for (const NodeId u : columns[v]) row += want[u];
    off += static_cast<double>(std::abs(static_cast<long double>(got[v]) - row));
    total += static_cast<double>(row);
  }
  EXPECT_LE(off, sums.Rounding() * total);
}

}  // namespace
}  // namespace plexus::testing
