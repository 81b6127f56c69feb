// The tiled layout holds exactly the arcs it was made of, and the kernel over it gives
// what pull gives; PageRank() uses it where it says so, with the same bits always.
#include "algorithms/pagerank/internal/tile_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/pagerank/internal/pagerank_csr.h"
#include "algorithms/pagerank/pagerank.h"
#include "engine/graph.h"
#include "engine/state.h"
#include "engine/vocabulary.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace pagerank;
namespace {

using pagerank::internal::PageRankTiles;

struct Rows {
  std::vector<std::uint32_t> offsets;
  std::vector<NodeId> neighbors;
  std::vector<float> weights;
  CsrView view(bool weighted) const {
    return {offsets,
            neighbors,
            weighted ? std::span<const float>(weights) : std::span<const float>(),
            {},
            {}};
  }
};
struct BothRows {
  Rows out, in;
};

// Rows of `arcs`, (row, column, weight), in that order.
Rows Pack(NodeId n, std::vector<std::tuple<NodeId, NodeId, float>> arcs) {
  std::sort(arcs.begin(), arcs.end());
  Rows rows;
  rows.offsets.assign(n + 1, 0);
  for (const auto& [row, column, weight] : arcs) {
    ++rows.offsets[row + 1];
    rows.neighbors.push_back(column);
    rows.weights.push_back(weight);
  }
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  return rows;
}

enum class Kind { kEmpty, kEven, kSkewed, kHub };

BothRows Random(Kind kind, NodeId n, std::size_t m) {
  std::mt19937_64 random(7 + static_cast<unsigned>(kind));
  auto pick = [&]() -> NodeId {
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    if (kind == Kind::kSkewed)
      return static_cast<NodeId>(static_cast<std::uint64_t>(u * u * u * u * u * n) * 7919 % n);
    return static_cast<NodeId>(u * n);
  };
  std::vector<std::tuple<NodeId, NodeId, float>> arcs;
  for (std::size_t i = 0; kind != Kind::kEmpty && i < m; ++i) {
    const NodeId u = kind == Kind::kHub && i % 3 == 0 ? n - 1 : pick();
    const NodeId v =
        kind == Kind::kHub && i % 3 == 1 ? n / 2 : pick();  // parallel arcs and loops, too
    arcs.emplace_back(u, v, static_cast<float>(1 + i % 7) / 4);
  }
  BothRows graph;
  graph.out = Pack(n, arcs);
  for (auto& [u, v, w] : arcs) std::swap(u, v);
  graph.in = Pack(n, std::move(arcs));
  return graph;
}

constexpr NodeId kSegment = PageRankTiles::kSegment;
constexpr NodeId kNodes = 3 * kSegment + 1234;

// Reads the tiles back and compares with the rows they were made of.
// `out`: lengths by which sources are numbered.
void ExpectHolds(const BothRows& g, bool weighted, PageRankTiles& tiles, const CsrView& out) {
  const CsrView in = g.in.view(weighted);
  const NodeId n = in.node_count();
  tiles = PageRankTiles::Make(in, out, DefaultExecutor());
  ASSERT_EQ(tiles.arc_count(), in.arc_count());
  EXPECT_EQ(tiles.weights() != nullptr, weighted && in.arc_count() > 0);
  std::vector<NodeId> node(n, kNoNode);  // by position
  for (NodeId v = 0; v < n; ++v) {
    const std::uint32_t position = tiles.positions() ? tiles.positions()[v] : v;
    ASSERT_LT(position, n);
    ASSERT_EQ(node[position], kNoNode);
    node[position] = v;
  }

  std::vector<std::tuple<NodeId, NodeId, float>> got, want;
  std::uint32_t next_row = 0;
  std::uint64_t arc = 0;
  for (const PageRankTiles::Block& block : tiles.blocks()) {
    EXPECT_EQ(block.begin, next_row);
    EXPECT_LE(block.end - block.begin, kSegment);
    EXPECT_EQ(block.first_arc, arc);
    next_row = block.end;
    std::size_t piece = 0;
    for (std::uint32_t s = 0; s < block.tiles.size(); ++s)
      for (std::uint32_t length = 1; length <= PageRankTiles::kPiece; ++length)
        for (std::uint32_t i = 0; i < block.tiles[s].pieces[length - 1]; ++i, ++piece)
          for (std::uint32_t k = 0; k < length; ++k, ++arc)
            got.emplace_back(block.begin + block.rows[piece],
                             node.at(s * kSegment + tiles.sources()[arc]),
                             tiles.weights() ? tiles.weights()[arc] : 1.0f);
    EXPECT_EQ(piece, block.rows.size());
  }
  EXPECT_EQ(next_row, n);
  std::uint32_t longest = 0;
  for (NodeId v = 0; v < n; ++v) longest = std::max(longest, in.degree(v));
  EXPECT_EQ(tiles.longest_row(), longest);
  for (NodeId v = 0; v < n; ++v)
    for (std::uint32_t a = in.offsets[v]; a < in.offsets[v + 1]; ++a)
      want.emplace_back(v, in.neighbors[a], in.weight(a));
  std::sort(got.begin(), got.end());
  std::sort(want.begin(), want.end());
  EXPECT_TRUE(got == want);
}

TEST(PageRankTiles, HoldTheArcsTheyWereMadeOf) {
  PageRankTiles tiles;
  for (Kind kind : {Kind::kEmpty, Kind::kEven, Kind::kSkewed, Kind::kHub})
    for (bool weighted : {false, true}) {
      SCOPED_TRACE(static_cast<int>(kind));
      const BothRows g = Random(kind, kNodes, 300'000);
      ExpectHolds(g, weighted, tiles, g.out.view(false));
      if (kind == Kind::kEven || kind == Kind::kSkewed) {
        EXPECT_EQ(tiles.positions() != nullptr, kind == Kind::kSkewed);
      }
    }
}

// Whole segments, one node more, few nodes, and more segments than bits in a word.
TEST(PageRankTiles, HoldGraphsOfAnySize) {
  PageRankTiles tiles;
  for (const NodeId n : {NodeId{1}, NodeId{2}, NodeId{100}, kSegment - 1, kSegment, kSegment + 1,
                         2 * kSegment, 65 * kSegment + 1, 129 * kSegment + 1})
    for (Kind kind : {Kind::kEven, Kind::kHub}) {
      SCOPED_TRACE(n);
      const BothRows g = Random(kind, n, 20'000);
      // Lengths that leave sources where they are, and lengths that number them anew all over.
      std::vector<std::uint32_t> even(n + 1), uneven(n + 1);
      for (NodeId v = 0; v < n; ++v) {
        even[v + 1] = v + 1;
        uneven[v + 1] = uneven[v] + ((v * 2654435761u >> 27) == 0 ? 40 : 1);
      }
      const std::vector<NodeId> any(uneven.back());
      ExpectHolds(g, true, tiles, {even, std::span(any).first(n), {}, {}, {}});
      EXPECT_EQ(tiles.positions(), nullptr);
      ExpectHolds(g, true, tiles, {uneven, any, {}, {}, {}});
      EXPECT_TRUE(n < 1000 || tiles.positions());
    }
}

// Two hubs that everyone is linked with, both ways: equal terms round alike, so careless
// sums in f32 end in a cycle. `n` as it did for five sizes before sums went to f64.
TEST(PageRankTiles, SinglePrecisionConvergesOnHubs) {
  constexpr NodeId n = 333'999;
  std::vector<std::tuple<NodeId, NodeId, float>> arcs;
  for (const NodeId hub : {NodeId{0}, n / 2})
    for (NodeId v = 0; v < n; ++v)
      if (v != 0 && v != n / 2) {
        arcs.emplace_back(hub, v, 1.0f);
        arcs.emplace_back(v, hub, 1.0f);
      }
  const Rows rows = Pack(n, std::move(arcs));
  const CsrView view = rows.view(false);
  const PageRankTiles layout = PageRankTiles::Make(view, view, DefaultExecutor());
  const auto reciprocals =
      StrengthReciprocals<float>(OutStrengths(view, DefaultExecutor()).value(), DefaultExecutor())
          .value();
  PageRankCsrOptions options;
  options.iterations = 300;
  options.tolerance = 2e-6;
  EXPECT_LT(PageRankCsr<float>({view, reciprocals, {}, &layout, {}}, options).value().iterations,
            150);
}

constexpr NodeId kFewer = 2 * kSegment + 1234;

// A layout of each executor, weighted or not, over the teleport and over all nodes: both ways of
// each, in all four pairs where `all`.
template <class Real>
void ExpectPullsAnswer(const BothRows& g, bool all, double within) {
  const auto executors = Executors();
  for (bool weighted : {false, true}) {
    const std::vector<double> strengths =
        OutStrengths(g.out.view(weighted), DefaultExecutor()).value();
    const std::vector<Real> reciprocals =
        StrengthReciprocals<Real>(strengths, DefaultExecutor()).value();
    std::vector<PageRankTiles> layouts;
    for (const auto& e : executors)
      layouts.push_back(PageRankTiles::Make(g.in.view(weighted), g.out.view(false), *e.executor));
    for (bool personal : {false, true}) {
      if (!all && personal == weighted) continue;
      std::vector<Real> teleport;
      if (personal) {
        teleport.assign(kFewer, 0);
        teleport[5] = static_cast<Real>(0.25);
        teleport[kFewer - 1] = static_cast<Real>(0.75);
      }
      PageRankCsrInput<Real> input{g.in.view(weighted), reciprocals, teleport, nullptr};
      PageRankCsrOptions options;
      options.iterations = 3;
      const auto want = PageRankCsr<Real>(input, options).value();
      std::vector<Real> first;
      for (std::size_t e = 0; e < executors.size(); ++e) {
        options.executor = executors[e].executor.get();
        input.layout = &layouts[e];
        const auto got = PageRankCsr<Real>(input, options).value();
        double distance = 0;
        for (NodeId v = 0; v < kFewer; ++v)
          distance +=
              std::abs(static_cast<double>(got.scores[v]) - static_cast<double>(want.scores[v]));
        EXPECT_LE(distance, within);
        EXPECT_NEAR(got.step, want.step, within);
        EXPECT_GT(got.bytes_per_iteration, 0u);
        if (first.empty()) first = got.scores;
        EXPECT_TRUE(first == got.scores) << executors[e].name;
      }
    }
  }
}

// Three iterations tell as much as more would: the third reads what the kernel has written.
TEST(PageRankTiles, GiveWhatPullGives) {
  for (Kind kind : {Kind::kEmpty, Kind::kEven, Kind::kSkewed, Kind::kHub}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const BothRows g = Random(kind, kFewer, 60'000);
    const bool skewed = kind == Kind::kSkewed;
    ExpectPullsAnswer<double>(g, false, 1e-11);
    ExpectPullsAnswer<float>(g, skewed, 1e-6);
  }
}

TEST(PageRankTiles, PayOnLargeGraphsWithoutLocalityOnly) {
  auto pays = [](NodeId n, std::uint32_t degree, auto neighbor) {
    Rows rows;
    for (NodeId v = 0; v < n; ++v) {
      rows.offsets.push_back(v * degree);
      for (std::uint32_t k = 0; k < degree; ++k) rows.neighbors.push_back(neighbor(v, k));
    }
    rows.offsets.push_back(n * degree);
    return PageRankTiles::BreakEvenIterations(rows.view(false), rows.view(false));
  };
  constexpr int kNever = 0;
  std::mt19937 random(3);
  constexpr NodeId n = 4 * kSegment;
  EXPECT_EQ(pays(n, 16, [&](NodeId, std::uint32_t) { return random() % n; }),
            PageRankTiles::kBreakEvenEven);
  EXPECT_EQ(pays(n, 16, [&](NodeId v, std::uint32_t k) { return (v + k) % n; }), kNever);  // local
  EXPECT_EQ(PageRankTiles::BreakEvenIterations({}, {}), kNever);
  EXPECT_EQ(MakePageRankLayout({}, {}, DefaultExecutor()).value(), nullptr);
  auto skewed = [](NodeId nodes, std::size_t arcs) {
    const BothRows g = Random(Kind::kSkewed, nodes, arcs);
    return PageRankTiles::BreakEvenIterations(g.in.view(false), g.out.view(false));
  };
  EXPECT_EQ(skewed(kNodes, 3'000'000), PageRankTiles::kBreakEvenSkewed);
  EXPECT_EQ(skewed(kNodes, 1'000'000), kNever);        // few arcs
  EXPECT_EQ(skewed(2 * kSegment, 3'000'000), kNever);  // few nodes
}

// The larger an even graph, the farther away what pull gathers.
TEST(PageRankTiles, PaySoonerOnLargeEvenGraphs) {
  constexpr NodeId n = 32 * kSegment + 1;
  constexpr std::uint32_t kDegree = 3;
  Rows rows;
  rows.offsets.resize(n + 1);
  rows.neighbors.resize(std::size_t{n} * kDegree);
  std::mt19937 random(5);
  for (NodeId& u : rows.neighbors) u = random() % n;
  const auto of = [&](NodeId nodes, std::uint32_t degree) {
    for (NodeId v = 0; v <= nodes; ++v) rows.offsets[v] = v * degree;
    const CsrView in{std::span(rows.offsets).first(nodes + 1),
                     std::span(rows.neighbors).first(std::size_t{nodes} * degree),
                     {},
                     {},
                     {}};
    return PageRankTiles::BreakEvenIterations(in, in);
  };
  EXPECT_EQ(of(n, kDegree), PageRankTiles::kBreakEvenLarge);
  EXPECT_EQ(of(n - 1, kDegree), PageRankTiles::kBreakEvenEven);
  EXPECT_EQ(of(n, 2), 0);  // thin
}

// What was prepared is kept with the state, the last few times, and goes with it.
TEST(PageRankTiles, PreparationsLiveWithTheirState) {
  auto graph = Graph::InMemory();
  WriteBatch batch;
  for (int v = 0; v < 50; ++v)
    batch.Link(batch.UpsertNode(std::to_string(v)), kLink, batch.UpsertNode(std::to_string(v / 2)));
  ASSERT_TRUE(graph->Apply(batch));
  Snapshot s = graph->snapshot();
  const auto bytes = [&] { return s.state().derived.kept.size_bytes(); };
  EXPECT_EQ(bytes(), 0u);
  ASSERT_TRUE(PageRank(s));
  const std::uint64_t one = bytes();
  EXPECT_GT(one, 50 * sizeof(double));
  ASSERT_TRUE(PageRank(s));
  EXPECT_EQ(bytes(), one);
  PageRankOptions options;
  for (std::int64_t at = 1; at <= 9; ++at) {
    options.filter.valid_at = at;
    ASSERT_TRUE(PageRank(s, options));
  }
  EXPECT_LE(bytes(), 4 * one + 4096) << "the last four";
  const std::weak_ptr<const FrozenState> state = s.shared_state();
  s = {};
  batch.Clear();
  batch.UpsertNode("more");
  ASSERT_TRUE(graph->Apply(batch));
  EXPECT_TRUE(state.expired()) << "what is kept holds no snapshot";
}

// A graph large enough for tiles: PageRank says it used them, keeps what it prepared,
// and its bits depend neither on that nor on delta, compaction or threads.
TEST(PageRankTiles, ServePageRank) {
  constexpr NodeId n = 4 * kSegment + 5000;
  auto graph = Graph::InMemory();
  std::mt19937_64 random(11);
  auto node = [&] {  // most arcs at few nodes
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    return static_cast<NodeId>(static_cast<std::uint64_t>(u * u * u * u * n) * 7919 % n);
  };
  WriteBatch batch;
  for (NodeId v = 0; v < n; ++v) batch.UpsertNode(std::to_string(v));
  ASSERT_TRUE(graph->Apply(batch));
  for (int part = 0; part < 5; ++part) {
    batch.Clear();
    const int arcs = part < 4 ? 550'000 : 20'000;
    for (int i = 0; i < arcs; ++i)
      batch.Link(NodeRef::Id(node()), kLink, NodeRef::Id(node()), static_cast<float>(1 + i % 5));
    ASSERT_TRUE(graph->Apply(batch));
    if (part == 3) {
      ASSERT_TRUE(graph->Compact());
    }
  }
  const Snapshot dirty = graph->snapshot();
  ASSERT_TRUE(dirty.has_delta());
  auto rank = [](const Snapshot& s, PageRankOptions options) { return *PageRank(s, options); };
  PageRankOptions options;
  options.tolerance = 1e-10;
  const PageRankResult first = rank(dirty, options);
  EXPECT_GT(first.stats.layout_bytes, first.edges * 6);
  EXPECT_EQ(first.stats.break_even_iterations, 15);
  EXPECT_EQ(first.stats.bytes_per_iteration,
            std::uint64_t{n} * 8 * 5 + first.stats.layout_bytes);  // of PageRankCsr's model
  EXPECT_TRUE(first.converged);
  EXPECT_NEAR(std::accumulate(first.scores.begin(), first.scores.end(), 0.0), 1.0, 1e-9);

  PageRankOptions few = options;  // too few iterations for a layout
  few.iterations = 14;
  const PageRankResult rows = rank(dirty, few);
  EXPECT_EQ(rows.stats.break_even_iterations, 15);
  EXPECT_EQ(rows.stats.layout_bytes, 0u);
  EXPECT_EQ(rows.stats.bytes_per_iteration,
            std::uint64_t{n} * 8 * 5 + (std::uint64_t{n} + 1) * 4 + rows.edges * 8);
  few.iterations = 15;
  const PageRankResult enough = rank(dirty, few);
  EXPECT_GT(enough.stats.layout_bytes, 0u);
  const DenseView view = *DenseView::Make(dirty);
  const auto reciprocals =
      StrengthReciprocals<double>(OutStrengths(view.out(), DefaultExecutor()).value(),
                                  DefaultExecutor())
          .value();
  PageRankCsrOptions kernel;
  kernel.iterations = 15;
  const auto pulled = PageRankCsr<double>({view.in(), reciprocals, {}, nullptr}, kernel).value();
  double distance = 0;
  for (NodeId v = 0; v < n; ++v) distance += std::abs(enough.scores[v] - pulled.scores[v]);
  EXPECT_LE(distance, 1e-13);

  EXPECT_TRUE(rank(dirty, options).scores == first.scores);  // kept
  options.use_cache = false;
  EXPECT_TRUE(rank(dirty, options).scores == first.scores);
  options.run.executor = &SerialExecutor();
  EXPECT_TRUE(rank(dirty, options).scores == first.scores);
  options.use_cache = true;
  ASSERT_TRUE(graph->Compact());
  const Snapshot clean = graph->snapshot();
  ASSERT_FALSE(clean.has_delta());
  EXPECT_TRUE(rank(clean, options).scores == first.scores);
  EXPECT_TRUE(rank(clean, options).scores == first.scores);  // kept
}

}  // namespace
}  // namespace plexus::testing
