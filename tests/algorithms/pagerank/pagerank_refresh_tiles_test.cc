// A refresh that sweeps over tiles of the base: row sums are those of the live graph, what is
// said of the error holds, the layout is made once a base.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "algorithms/pagerank/internal/base_tile_spmv.h"
#include "algorithms/pagerank/internal/refresh.h"
#include "algorithms/pagerank/pagerank.h"
#include "engine/state.h"
#include "tests/algorithms/pagerank/base_rows.h"
#include "tests/algorithms/pagerank/pagerank_query.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace pagerank;
namespace {

using pagerank::internal::PageRankTiles;

// Compacted, `nodes` of them; few hold most arcs where `skewed`.
void MakeBase(CaseGraph& g, Draw& draw, std::size_t nodes, bool skewed) {
  g.AddNodes(nodes);
  const auto hub_or_any = [&] {
    return skewed && draw(8) != 0 ? draw(static_cast<std::uint32_t>(nodes / 40))
                                  : draw(static_cast<std::uint32_t>(nodes));
  };
  for (std::size_t i = 0; i < 12 * nodes; ++i) {
    const std::size_t from = hub_or_any(), to = draw(static_cast<std::uint32_t>(nodes));
    if (from != to)
      g.Link(from, draw(9) == 0 ? kRelatesTo : kLink, to, 0.25f * static_cast<float>(1 + draw(8)));
  }
  g.Commit();
  g.Compact();
}

// Edges come, go and change their weights, nodes are added and lose what leads on.
void Change(CaseGraph& g, Draw& draw) {
  if (draw(3) == 0) g.AddNodes(1 + draw(3));
  const auto any = [&] { return draw(static_cast<std::uint32_t>(g.size())); };
  for (std::uint32_t i = 1 + draw(6); i > 0; --i) {
    const std::size_t from = any(), to = any();
    if (from != to)
      g.Link(from, draw(3) == 0 ? kRelatesTo : kLink, to, 0.25f * static_cast<float>(1 + draw(8)));
  }
  auto gone = g.edges().begin();
  std::advance(gone, draw(static_cast<std::uint32_t>(g.edges().size())));
  const auto [source, kind, target, label] = gone->first;
  g.Unlink(source, kind, target, label);
  g.Commit();
}

pagerank::internal::LiveCsr RowsOf(const Snapshot& now) {
  return {OutRows(now), InRows(now), &now, now.node_count()};
}

std::shared_ptr<const PageRankTiles> TilesOf(const Snapshot& now, bool weighted) {
  CsrView in = InRows(now);
  if (!weighted) in.weights = {};
  return std::make_shared<const PageRankTiles>(
      PageRankTiles::Make(in, OutRows(now), DefaultExecutor(), PageRankTiles::kEvenRows));
}

template <class Value>
void ExpectLiveSums(const Snapshot& now, bool weighted, const PageRankTiles& tiles,
                    pagerank::internal::BaseTileSpmv& sums) {
  const NodeId n = now.node_count();
  std::vector<Value> values(n), placed(n);
  for (NodeId v = 0; v < n; ++v) {
    values[v] = static_cast<Value>(1 + v * 37 % 101) / 64;
    placed[tiles.positions() && v < tiles.node_count() ? tiles.positions()[v] : v] = values[v];
  }
  NodeId next = 0;
  double off = 0, total = 0;
  for (std::size_t b = 0; b < sums.block_count(); ++b) {
    ASSERT_EQ(sums.first_row(b), next);
    const std::size_t count = sums.first_row(b + 1) - next;
    ASSERT_LE(count, sums.max_rows());
    std::vector<double> got(count, -1.0);
    sums.Pull(b, placed.data(), got.data());
    for (std::size_t i = 0; i < count; ++i, ++next) {
      const std::uint32_t* const positions = sums.positions(b);
      EXPECT_EQ(placed[positions ? positions[i] : next], values[next]);
      double want = 0;
      now.ForEachArc(Direction::kIn, next, ArcFilter::All(), [&](const Arc& arc) {
        want += static_cast<double>(values[arc.neighbor]) *
                (weighted ? static_cast<double>(arc.weight) : 1.0);
      });
      off += std::abs(got[i] - want);
      total += want;
    }
  }
  EXPECT_EQ(next, n);
  EXPECT_LE(off, sums.Rounding() * total + 1e-12 * total);
}

TEST(BaseTileSpmv, AreThoseOfTheLiveGraph) {
  for (const bool skewed : {false, true})
    for (const bool weighted : {false, true}) {
      SCOPED_TRACE((skewed ? 2 : 0) + (weighted ? 1 : 0));
      Draw draw(11);
      CaseGraph g;
      MakeBase(g, draw, 700, skewed);
      const auto tiles = TilesOf(g.snapshot(), weighted);
      EXPECT_EQ(tiles->positions() != nullptr, skewed);
      for (int step = 0; step < 8; ++step) {
        const Snapshot now = g.snapshot();
        const pagerank::internal::LiveCsr rows = RowsOf(now);
        const auto sums = pagerank::internal::BaseTileSpmv::Make(tiles, rows, weighted, 1'000'000,
                                                                 DefaultExecutor());
        ASSERT_TRUE(sums);
        ExpectLiveSums<float>(now, weighted, *tiles, *sums);
        ExpectLiveSums<double>(now, weighted, *tiles, *sums);
        if (step == 7) {
          EXPECT_FALSE(
              pagerank::internal::BaseTileSpmv::Make(tiles, rows, weighted, 3, DefaultExecutor()))
              << "too much is apart";
        }
        Change(g, draw);
      }
    }
}

// From the scores of the state before, and from any: in several parts, pushed first or not.
TEST(PageRankRefresh, OverTilesOfTheBase) {
  const auto executors = Executors();
  for (const bool skewed : {false, true})
    for (const bool weighted : {false, true}) {
      SCOPED_TRACE((skewed ? 2 : 0) + (weighted ? 1 : 0));
      Draw draw(11);
      CaseGraph g;
      MakeBase(g, draw, 1'500, skewed);
      Snapshot earlier = g.snapshot();
      const auto tiles = TilesOf(earlier, weighted);
      PageRankOptions full;
      full.weighted = weighted;
      full.tolerance = 1e-12;
      std::vector<double> scores = Rank(earlier, full).scores;
      const std::vector<pagerank::internal::SeedShare> seed = {{7, 0.25}, {900, 0.75}};
      for (int step = 0; step < 4; ++step) {
        Change(g, draw);
        const Snapshot now = g.snapshot();
        const pagerank::internal::LiveCsr rows = RowsOf(now);
        scores.resize(now.node_count());
        const bool seeded = step % 3 == 2;
        if (seeded) std::iota(scores.begin(), scores.end(), 1.0);
        const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
        for (double& x : scores) x /= sum;
        std::vector<double> teleport;
        if (seeded) {
          teleport.assign(now.node_count(), 0.0);
          teleport[7] = 1, teleport[900] = 3;
        }
        const auto want = reference::PageRank(g.Flat(), 0.85, weighted, teleport, 0);
        // The last is beyond what changes in f32 reach: a sweep sums everything anew.
        for (const double tolerance : {1e-5, 1e-8, 1e-10}) {
          std::vector<double> first;
          for (const auto& e : executors) {
            const pagerank::internal::PageRankRefreshed got = pagerank::internal::RefreshPageRank(
                rows, scores,
                seeded ? std::span<const pagerank::internal::SeedShare>(seed)
                       : std::span<const pagerank::internal::SeedShare>(),
                {.tolerance = tolerance,
                 .weighted = weighted,
                 .earlier = step % 2 == 0 ? &earlier : nullptr,
                 .tiles = tiles,
                 .budget = {},
                 .part_work = 1'024},
                *e.executor);
            EXPECT_FALSE(got.truncated);
            EXPECT_LE(got.error, tolerance);
            EXPECT_LE(Distance(got.scores, want), got.error + 1e-13);
            if (first.empty()) first = got.scores;
            EXPECT_EQ(got.scores, first) << e.name;
            if (step < 2 || tolerance != 1e-8) break;
          }
        }
        full.seeds = {};
        scores = Rank(now, full).scores;
        earlier = now;
      }
    }
}

// Weights so uneven that contributions are gathered as f64.
TEST(PageRankRefresh, OverTilesWithStrengthsBeyondF32) {
  Draw draw(11);
  CaseGraph g;
  MakeBase(g, draw, 800, false);
  for (std::size_t i = 0; i < 800; i += 3)
    g.Link(i, kLink, (i * 7 + 1) % 800 == i ? i + 1 : (i * 7 + 1) % 800, 1e30f);
  g.Commit();
  g.Compact();
  const auto tiles = TilesOf(g.snapshot(), true);
  Change(g, draw);
  const Snapshot now = g.snapshot();
  const pagerank::internal::LiveCsr rows = RowsOf(now);
  const std::vector<double> start(now.node_count(), 1.0 / now.node_count());
  const auto got = pagerank::internal::RefreshPageRank(
      rows, start, {}, {.tolerance = 1e-9, .tiles = tiles, .budget = {}, .part_work = 1'024},
      DefaultExecutor());
  EXPECT_LE(got.error, 1e-9);
  EXPECT_LE(Distance(got.scores, reference::PageRank(g.Flat(), 0.85, true, {}, 0)),
            got.error + 1e-13);
}

// A base that tiles suit: in rows without order, which is all that is looked at.
std::shared_ptr<Csr> LargeBase(float weight) {
  constexpr NodeId kNodes = 3 * PageRankTiles::kSegment;
  constexpr std::uint32_t kArcs = 12;
  auto base = std::make_shared<Csr>();
  base->node_count = kNodes;
  base->in_offsets = AlignedArray<std::uint32_t>(kNodes + 1);
  base->in_neighbors = AlignedArray<NodeId>(std::size_t{kNodes} * kArcs);
  AlignedArray<float> weights(base->in_neighbors.size(), 1.0f);
  weights[5] = weight;
  base->in_weights = WeightColumn(std::move(weights), SerialExecutor());
  base->out_offsets = AlignedArray<std::uint32_t>(kNodes + 1, 0);
  for (NodeId v = 0; v <= kNodes; ++v) base->in_offsets[v] = v * kArcs;
  std::uint32_t state = 1;
  for (NodeId& u : base->in_neighbors) {
    u = (state = state * 1664525u + 1013904223u) / 8 % kNodes;
    ++base->out_offsets[u + 1];
  }
  std::partial_sum(base->out_offsets.begin(), base->out_offsets.end(), base->out_offsets.begin());
  return base;
}

TEST(TilesOfBase, AreMadeOnceAndOnlyWhereTheySuit) {
  const std::shared_ptr<const Csr> base = LargeBase(1.0f), weighted = LargeBase(0.5f);
  const auto plain = pagerank::internal::TilesOfBase(base, false, DefaultExecutor());
  ASSERT_TRUE(plain);
  EXPECT_EQ(pagerank::internal::TilesOfBase(base, false, SerialExecutor()), plain);
  EXPECT_EQ(pagerank::internal::TilesOfBase(base, true, SerialExecutor()), plain)
      << "all weights are 1";
  const auto heavy = pagerank::internal::TilesOfBase(weighted, true, DefaultExecutor());
  ASSERT_TRUE(heavy);
  EXPECT_TRUE(heavy->weights());
  EXPECT_NE(pagerank::internal::TilesOfBase(weighted, false, DefaultExecutor()), heavy);
  EXPECT_FALSE(pagerank::internal::TilesOfBase(weighted, false, DefaultExecutor())->weights());
  std::shared_ptr<const Csr> passing = LargeBase(1.0f);
  const std::weak_ptr<const PageRankTiles> tiles =
      pagerank::internal::TilesOfBase(passing, false, DefaultExecutor());
  EXPECT_FALSE(tiles.expired());
  EXPECT_GE(passing->derived.size_bytes(), tiles.lock()->size_bytes());
  passing.reset();
  EXPECT_TRUE(tiles.expired());

  CaseGraph g;
  Draw draw(11);
  MakeBase(g, draw, 100, false);
  EXPECT_FALSE(pagerank::internal::TilesOfBase(g.snapshot().state().base, true, DefaultExecutor()))
      << "small";
  PageRankOptions options;
  options.tolerance = 1e-8;
  const Snapshot before = g.snapshot();
  const std::vector<double> start = Rank(before, options).scores;
  PageRankRefresher refresher(options);
  EXPECT_EQ(refresher.last(), nullptr);
  EXPECT_EQ((*refresher.Refresh(before))->scores, start);
  Change(g, draw);
  const PageRankResult without = RefreshPageRank(g.snapshot(), {start, &before}, options).value();
  const PageRankResult& with = **refresher.Refresh(g.snapshot());
  EXPECT_EQ(refresher.last(), &with);
  EXPECT_EQ(with.stats.layout_bytes, 0u);
  EXPECT_EQ(with.scores, without.scores);
}

}  // namespace
}  // namespace plexus::testing
