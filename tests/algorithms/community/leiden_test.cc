// Leiden against the definition of modularity and a search for unconnected communities.
#include "algorithms/community/community.h"
#include "algorithms/community/internal/community_csr.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "engine/bulk/topology.h"
#include "tests/reference/oracles.h"
#include "tests/support/cancelling_executor.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace community;
namespace {

// Numbered by smallest member, sizes and count right, others not selected.
void CheckNumbers(const LeidenResult& got, const std::vector<bool>& selected) {
  std::vector<std::uint64_t> sizes;
  ASSERT_EQ(got.communities.size(), selected.size());
  for (NodeId v = 0; v < selected.size(); ++v) {
    if (!selected[v]) {
      ASSERT_EQ(got.communities[v], LeidenResult::kNotSelected) << v;
      continue;
    }
    ASSERT_LE(got.communities[v], sizes.size()) << v;
    if (got.communities[v] == sizes.size()) sizes.push_back(0);
    ++sizes[got.communities[v]];
  }
  EXPECT_EQ(got.sizes, sizes);
  EXPECT_EQ(got.count, sizes.size());
}

void CheckLeiden(const CaseGraph& g, const LeidenOptions& options) {
  const auto flat = g.Flat(options.filter.kinds, options.filter.subset, options.filter.valid_at);
  const auto got = Leiden(g.snapshot(), options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  CheckNumbers(*got, flat.selected);
  const auto a = reference::UndirectedWeights(flat, options.weighted);
  EXPECT_NEAR(got->modularity, reference::Modularity(a, got->communities, options.resolution),
              1e-12);
  EXPECT_TRUE(reference::Connected(a, got->communities, flat.selected));
  EXPECT_FALSE(got->truncated);
  const auto again = Modularity(g.snapshot(), got->communities, options);
  ASSERT_TRUE(again.has_value());
  if (options.resolution > 1)  // nobody shares a row: added in one order
    EXPECT_EQ(*again, got->modularity);
  else
    EXPECT_NEAR(*again, got->modularity, 1e-12);
}

TEST(Leiden, ModularityByDefinitionAndEveryCommunityConnected) {
  ForEachCase(SmallCases(), [&](const CaseGraph& g, Shape) {
    for (double resolution : {0.0, 0.5, 1.0, 3.0}) CheckLeiden(g, {.resolution = resolution});
    CheckLeiden(g, {.iterations = 1, .seed = 7, .weighted = false});
    CheckLeiden(g, {.tolerance = 0, .filter = {.kinds = {kSupports, kSimilar}}});
    CheckLeiden(g, {.filter = {.kinds = {kHasTag, kLink}}});
    CheckLeiden(g, {.filter = {.valid_at = 15}});
    const NodeSubset subset = SubsetOf(g.snapshot(), [](NodeId v) { return v % 3 != 1; });
    CheckLeiden(g, {.filter = {.subset = &subset}});
  });
}

// The large cases, whose matrix would not fit: the same by sums over communities.
TEST(Leiden, LargeGraphsByDefinition) {
  for (std::size_t which = 0; which < kLargeCases; ++which) {
    const CaseGraph& g = Large(which, Shape::kDelta);
    const auto got = Leiden(g.snapshot());
    ASSERT_TRUE(got.has_value());
    const auto flat = g.Flat();
    CheckNumbers(*got, flat.selected);
    double total = 0, inside = 0;
    std::vector<double> strengths(got->count, 0.0);
    std::vector<NodeId> root(flat.node_count());
    std::iota(root.begin(), root.end(), NodeId{0});
    auto find = [&](NodeId v) {
      while (root[v] != v) v = root[v] = root[root[v]];
      return v;
    };
    for (const auto& arc : flat.arcs) {
      if (arc.mirrored) continue;
      const auto weight = static_cast<double>(arc.weight);
      total += 2 * weight;
      strengths[got->communities[arc.from]] += weight;
      strengths[got->communities[arc.to]] += weight;
      if (got->communities[arc.from] != got->communities[arc.to] || weight == 0) continue;
      inside += 2 * weight;
      root[find(arc.from)] = find(arc.to);
    }
    double q = inside / total;
    for (double k : strengths) q -= k / total * (k / total);
    EXPECT_NEAR(got->modularity, q, 1e-12);
    std::vector<NodeId> roots(got->count, kNoNode);
    for (NodeId v = 0; v < flat.node_count(); ++v) {
      if (!flat.selected[v]) continue;
      NodeId& of = roots[got->communities[v]];
      if (of == kNoNode) of = find(v);
      ASSERT_EQ(of, find(v)) << v;
    }
  }
}

// Edges that leave the selection, of whatever kind, and nodes outside change nothing inside.
TEST(Leiden, OnlyTheSelectionCounts) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 60; ++round) {
    const std::size_t inside = 6 + random() % 20;
    std::vector<NodeId> some(inside);
    std::iota(some.begin(), some.end(), NodeId{0});
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    for (std::size_t i = 0; i < inside + inside / 2; ++i)
      edges.emplace_back(random() % inside, random() % inside);
    EdgeKind touches;
    touches.name = "touches";
    touches.symmetric = true;
    std::optional<LeidenResult> alone;
    for (const int around :
         {0, 1, 2}) {  // no more nodes; more, and edges to them; and others there
      CaseGraph g;
      const EdgeKindId touch = g.DefineKind(touches), kind = round % 3 == 0 ? touch : kLink;
      g.AddNodes(around == 0 ? inside : inside + 5);
      for (const auto& [from, to] : edges) g.Link(from, kind, to);
      for (std::size_t i = 0; around > 0 && i < inside; ++i)
        g.Link(i * i % inside, around == 1 ? kind : i % 2 == 0 ? touch : kLink, inside + i % 5);
      g.Commit();
      const NodeSubset subset = *NodeSubset::Of(g.snapshot(), some);
      LeidenOptions options;
      if (around > 0) options.filter.subset = &subset;
      auto got = Leiden(g.snapshot(), options);
      ASSERT_TRUE(got.has_value());
      got->communities.resize(inside);
      if (!alone) alone = *got;
      ASSERT_EQ(got->communities, alone->communities) << round << ' ' << around;
      EXPECT_EQ(got->modularity, alone->modularity) << round << ' ' << around;
      EXPECT_EQ(got->moves, alone->moves) << round << ' ' << around;
    }
  }
}

// Everything at rest: no node gains by leaving for a neighbour's community or for none.
TEST(Leiden, AtTheEndNoMoveRaisesModularity) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 30; ++round) {
    CaseGraph g;
    const std::size_t n = 5 + random() % 60;
    g.AddNodes(n);
    for (std::size_t i = 0; i < 3 * n; ++i)
      g.Link(random() % n, kLink, random() % n, static_cast<float>(1 + random() % 4));
    g.Commit();
    LeidenOptions options;
    options.iterations = 100;
    options.tolerance = 0;
    options.seed = static_cast<std::uint64_t>(round);
    const auto got = Leiden(g.snapshot(), options);
    ASSERT_TRUE(got.has_value());
    EXPECT_LT(got->iterations, 100);
    const auto a = reference::UndirectedWeights(g.Flat(), true);
    for (NodeId v = 0; v < n; ++v)
      for (std::uint32_t c = 0; c <= got->count; ++c) {
        auto moved = got->communities;
        moved[v] = c;
        ASSERT_LE(reference::Modularity(a, moved, 1), got->modularity + 1e-9)
            << round << ": " << v << " to " << c;
      }
  }
}

// Six cliques of seven in a ring: the cliques are the best partition there is.
TEST(Leiden, FindsTheCliquesOfARing) {
  CaseGraph g;
  g.AddNodes(42);
  for (std::size_t c = 0; c < 6; ++c) {
    for (std::size_t u = 0; u < 7; ++u)
      for (std::size_t v = 0; v < u; ++v) g.Link(7 * c + u, kLink, 7 * c + v);
    g.Link(7 * c, kLink, (7 * c + 10) % 42);
  }
  g.Commit();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto got = Leiden(g.snapshot(), {.seed = seed});
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->sizes, std::vector<std::uint64_t>(6, 7));
    EXPECT_NEAR(got->modularity, 6 * (42.0 / 264 - 44.0 / 264 * 44 / 264), 1e-12);
  }
  EXPECT_EQ(Leiden(g.snapshot(), {.resolution = 0})->count, 1u);
  EXPECT_EQ(Leiden(g.snapshot(), {.resolution = 100})->count, 42u);
}

// Both directions, kinds and labels add up; a symmetric edge counts once; loops stay apart.
TEST(Leiden, ReadsTheGraphAsUndirected) {
  CaseGraph g;
  g.AddNodes(4);
  g.Link(0, kLink, 1, 0.25f);
  g.Link(1, kLink, 0, 0.5f, "again");
  g.Link(1, kSupports, 0, 1.0f);
  g.Link(2, kSimilar, 3, 1.75f);
  g.Link(2, kLink, 2, 3.0f);
  g.Link(3, kLink, 1, 0.0f);  // says nothing
  g.Commit();
  const auto got = Leiden(g.snapshot());
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->communities, (std::vector<std::uint32_t>{0, 0, 1, 1}));
  // 2m = 3.5 + 3.5 + 6; strengths 3.5 and 9.5.
  EXPECT_NEAR(got->modularity, 1 - (3.5 * 3.5 + 9.5 * 9.5) / (13 * 13.0), 1e-15);
}

// Every leaf is with its neighbour, at any resolution up to 1; above it need not be. Rows of
// a csr that is not symmetric are the caller's mistake, and no more than that.
TEST(Leiden, LeavesFollowTheirNeighbour) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 20; ++round) {
    CaseGraph g;
    constexpr std::size_t kCore = 12, kLeaves = 30;
    g.AddNodes(kCore + kLeaves);
    for (std::size_t i = 0; i < 30; ++i)
      g.Link(random() % kCore, kLink, random() % kCore, static_cast<float>(1 + random() % 3));
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < kLeaves; ++i) {
      at.push_back(random() % kCore);
      i % 2 ? g.Link(at[i], kLink, kCore + i, 0.25f) : g.Link(kCore + i, kSupports, at[i], 7.0f);
    }
    g.Commit();
    for (double resolution : {0.0, 0.5, 1.0}) {
      const auto got = Leiden(
          g.snapshot(), {.resolution = resolution, .seed = static_cast<std::uint64_t>(round)});
      ASSERT_TRUE(got.has_value());
      for (std::size_t i = 0; i < kLeaves; ++i)
        ASSERT_EQ(got->communities[kCore + i], got->communities[at[i]]);
      CheckLeiden(g, {.resolution = resolution, .seed = static_cast<std::uint64_t>(round)});
    }
    CheckLeiden(g, {.resolution = 1.5});
  }
  const std::vector<std::uint32_t> offsets{0, 1, 2, 3, 3, 4};
  const std::vector<NodeId> neighbors{1, 2, 0, 3};
  CsrView ring;
  ring.offsets = offsets;
  ring.neighbors = neighbors;
  const auto got = LeidenCsr(ring);
  ASSERT_TRUE(got.has_value());
  CheckNumbers(*got, std::vector<bool>(5, true));
}

TEST(Leiden, NothingAndNextToNothing) {
  CaseGraph g;
  EXPECT_EQ(Leiden(g.snapshot())->count, 0u);
  g.AddNodes(3);
  g.Link(1, kLink, 1);
  g.Commit();
  const auto got = Leiden(g.snapshot());
  EXPECT_EQ(got->communities, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(got->modularity, 0);  // 1 - 1
  g.Unlink(1, kLink, 1);
  g.Commit();
  EXPECT_EQ(Leiden(g.snapshot())->modularity, 0);
}

TEST(Leiden, RefusesWhatIsNoNumber) {
  CaseGraph g;
  g.AddNodes(2);
  g.Commit();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(Leiden(g.snapshot(), {.resolution = -1}).has_value());
  EXPECT_FALSE(Leiden(g.snapshot(), {.resolution = nan}).has_value());
  EXPECT_FALSE(Leiden(g.snapshot(), {.tolerance = nan}).has_value());
  EXPECT_FALSE(Leiden(g.snapshot(), {.iterations = 0}).has_value());
  EXPECT_FALSE(Modularity(g.snapshot(), std::vector<std::uint32_t>(3)).has_value());
  const std::atomic<bool> stop = true;
  LeidenOptions stopped;
  stopped.run.budget.cancel = &stop;
  const auto cut =
      Modularity(g.snapshot(), std::vector<std::uint32_t>(g.snapshot().node_count()), stopped);
  ASSERT_FALSE(cut.has_value());
  EXPECT_EQ(cut.error().code, ErrorCode::kCancelled);
  const std::vector<std::uint32_t> offsets{0, 1, 3, 4};
  const std::vector<NodeId> neighbors{1, 0, 2, 1};
  for (float bad :
       {-1.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const std::vector<float> weights{1, 1, bad, bad};
    CsrView view;
    view.offsets = offsets;
    view.neighbors = neighbors;
    view.weights = weights;
    const auto got = LeidenCsr(view);
    ASSERT_FALSE(got.has_value());
    EXPECT_EQ(got.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(got.error().message.find("arc 1 -> 2"), std::string::npos) << got.error().message;
  }
}

// Weights that would vanish or run over in f32 move nodes all the same.
TEST(Leiden, AnyScaleOfWeights) {
  for (float scale : {1.0f, 1e-42f, 1e36f}) {
    CaseGraph g;
    g.AddNodes(6);
    for (std::size_t c : {0u, 3u})
      for (auto [u, v] : {std::pair{0u, 1u}, {1u, 2u}, {2u, 0u}})
        g.Link(c + u, kLink, c + v, scale * (v == 0 ? 2.0f : 1.0f));
    g.Link(0, kLink, 3, scale);
    g.Commit();
    const auto got = Leiden(g.snapshot());
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->communities, (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1}));
    EXPECT_TRUE(std::isfinite(got->modularity));
  }
}

// A star of a million leaves and a chain as long: one community; and many short ones.
TEST(Leiden, AMillionLeavesAndAMillionInARow) {
  constexpr NodeId n = 1'000'001;
  std::vector<NodePair> star, chain;
  for (NodeId v = 1; v < n; ++v) {
    star.push_back({0, v});
    chain.push_back({v - 1, v});
  }
  TopologyOptions options;
  options.symmetrize = true;
  const auto hub = LeidenCsr(BuildTopology(n, star, options).value().out(), {.iterations = 1});
  ASSERT_TRUE(hub.has_value());
  EXPECT_EQ(hub->count, 1u);
  EXPECT_NEAR(hub->modularity, 0, 1e-12);
  const auto row = LeidenCsr(BuildTopology(n, chain, options).value().out(), {.iterations = 1});
  ASSERT_TRUE(row.has_value());
  EXPECT_GT(row->modularity, 0.99);
  // Above 1 the leaves have rows of their own and move: a third of them to the hub, where Q is
  // x - 1.5 (1 + x)^2 / 4 for a part x of them, is best.
  constexpr NodeId few = 100'001;
  star.resize(few - 1);
  const auto part = LeidenCsr(BuildTopology(few, star, options).value().out(), {.resolution = 1.5});
  ASSERT_TRUE(part.has_value());
  CheckNumbers(*part, std::vector<bool>(few, true));
  EXPECT_GT(part->moves, few / 4);
  const double total = 2.0 * (few - 1);
  double q = 0;
  for (std::uint32_t c = 0; c < part->count; ++c) {
    const auto size = static_cast<double>(part->sizes[c]);  // the hub is in the first
    const double strength = c == 0 ? size - 1 + total / 2 : size;
    q += (c == 0 ? 2 * (size - 1) / total : 0) - 1.5 * (strength / total) * (strength / total);
  }
  EXPECT_NEAR(part->modularity, q, 1e-12);
  EXPECT_NEAR(q, -1.0 / 3, 1e-4);
}

TEST(Leiden, StopsWhenTheBudgetRunsOut) {
  const CaseGraph& g = Large(0, Shape::kClean);
  const auto flat = g.Flat();
  std::uint64_t moves = 0;
  for (std::uint64_t edges : {0u, 2000u, 20000u}) {
    LeidenOptions options;
    options.run.budget.edges = edges;
    const auto got = Leiden(g.snapshot(), options);
    ASSERT_TRUE(got.has_value());
    EXPECT_TRUE(got->truncated) << edges;
    CheckNumbers(*got, flat.selected);
    EXPECT_GE(got->moves, moves);
    EXPECT_NEAR(got->modularity, *Modularity(g.snapshot(), got->communities), 1e-12);
    moves = got->moves;
  }
  EXPECT_GT(moves, 0u);
  std::atomic<bool> stop = true;
  LeidenOptions options;
  options.run.budget.cancel = &stop;
  EXPECT_TRUE(Leiden(g.snapshot(), options)->truncated);
  options.run.budget = {};
  options.run.budget.deadline = std::chrono::steady_clock::now();
  EXPECT_TRUE(Leiden(g.snapshot(), options)->truncated);
}

// From any loop on: nothing of moving, refining and aggregating begins any more. Left to
// do are at most telling neighbours, and labels, connected parts and Q of the answer.
TEST(Leiden, CancelStopsEveryStep) {
  const CaseGraph& g = Large(0, Shape::kClean);
  const auto flat = g.Flat();
  int loops = 0, made = 0;
  for (bool cancelled = true; cancelled; ++loops) {
    CancelsAt executor(loops);
    LeidenOptions options;
    options.run.executor = &executor;
    options.run.budget.cancel = &executor.cancel;
    const auto got = Leiden(g.snapshot(), options);
    ASSERT_TRUE(got.has_value());
    cancelled = executor.cancel;
    CheckNumbers(*got, flat.selected);
    ASSERT_LE(executor.after, got->iterations == 0 ? 0 : 4) << loops;
    made += got->iterations > 0;
    EXPECT_TRUE(got->iterations > 0 || got->truncated);
    if (got->iterations == 0)
      EXPECT_EQ(got->modularity, 0);
    else
      EXPECT_NEAR(got->modularity, *Modularity(g.snapshot(), got->communities), 1e-12);
  }
  EXPECT_GT(made, 5);
  EXPECT_GT(loops, made);  // some came before the rows were made
}

}  // namespace
}  // namespace plexus::testing
