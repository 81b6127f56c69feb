// Breadth-first search against a plain queue, on snapshots and on bare arrays.
#include "algorithms/traversal/internal/bfs_csr.h"
#include "algorithms/traversal/traversal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "engine/bulk/topology.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace traversal;
namespace {

BfsResult MustBfs(const Snapshot& s, const std::vector<NodeId>& sources,
                  const BfsOptions& options = {}) {
  auto result = Bfs(s, sources, options);
  if (!result) ADD_FAILURE() << result.error().ToString();
  return result ? *std::move(result) : BfsResult{};
}

void CheckBfs(const CaseGraph& g, const std::vector<NodeId>& sources, const BfsOptions& options) {
  const auto flat = g.Flat(options.filter.kinds, options.filter.subset);
  const auto want = reference::Depths(flat, sources, options.direction);
  const BfsResult got = MustBfs(g.snapshot(), sources, options);
  EXPECT_FALSE(got.truncated);
  std::size_t reachable = 0;
  for (std::uint32_t d : want) reachable += d <= options.max_depth && d != kUnreached;
  ASSERT_EQ(got.nodes.size(), reachable);
  const auto arcs = reference::Walkable(flat, options.direction);
  std::vector<std::uint64_t> steps;
  for (const auto& a : arcs) steps.push_back(std::uint64_t{a.from} << 32 | a.to);
  std::sort(steps.begin(), steps.end());
  for (std::size_t i = 0; i < got.nodes.size(); ++i) {
    const BfsNode& n = got.nodes[i];
    ASSERT_EQ(n.depth, want[n.node]);
    if (i > 0) {
      const BfsNode& before = got.nodes[i - 1];
      ASSERT_TRUE(before.depth < n.depth || (before.depth == n.depth && before.node < n.node));
    }
    if (n.depth == 0) {
      ASSERT_EQ(n.parent, kNoNode);
    } else {
      ASSERT_EQ(want[n.parent] + 1, n.depth);
      ASSERT_TRUE(
          std::binary_search(steps.begin(), steps.end(), std::uint64_t{n.parent} << 32 | n.node));
    }
  }
}

std::vector<NodeId> FirstSelected(const CaseGraph& g, std::size_t count) {
  std::vector<NodeId> nodes;
  const auto flat = g.Flat();
  for (NodeId v = 0; v < flat.node_count() && nodes.size() < count; ++v)
    if (flat.selected[v]) nodes.push_back(v);
  return nodes;
}

TEST(Bfs, EqualsAQueueOnEveryShape) {
  ForEachGraph([](const CaseGraph& g, Shape) {
    for (Direction direction : {Direction::kOut, Direction::kIn, Direction::kBoth})
      for (std::uint32_t depth : {0u, 2u, kUnreached}) {
        BfsOptions options;
        options.direction = direction;
        options.max_depth = depth;
        if (g.size() < 1000) CheckBfs(g, FirstSelected(g, 1), options);
        if (g.size() < 1000 || depth != 0) CheckBfs(g, FirstSelected(g, 5), options);
        if (::testing::Test::HasFatalFailure()) return;
      }
  });
}

TEST(Bfs, KindsAndSubsets) {
  ForEachCase(SmallCases(), [](const CaseGraph& g, Shape) {
    const Snapshot s = g.snapshot();
    std::vector<NodeId> most;
    for (NodeId v = 0; v < s.node_count(); ++v)
      if (v % 4 != 3) most.push_back(v);
    const NodeSubset subset = *NodeSubset::Of(s, most);
    const auto sources = FirstSelected(g, 1);
    if (sources.empty() || !subset.contains(sources[0])) return;
    BfsOptions options;
    options.filter.subset = &subset;
    options.filter.kinds = {kLink, kRelatesTo};
    options.direction = Direction::kBoth;
    CheckBfs(g, sources, options);
    options.filter.kinds = {kHasTag};
    CheckBfs(g, sources, options);
  });
}

TEST(Bfs, ResumedSearchesEqualUnbudgetedOnes) {
  for (std::size_t which = 0; which < kLargeCases; ++which)
    for (Direction direction : {Direction::kOut, Direction::kBoth}) {
      const CaseGraph& g = Large(which, Shape::kDelta);
      BfsOptions options;
      options.direction = direction;
      const std::vector<NodeId> sources = FirstSelected(g, 2);
      const BfsResult whole = MustBfs(g.snapshot(), sources, options);
      options.run.budget.nodes = whole.nodes.size() / 5 + 1;
      options.run.budget.edges = 100'000;
      BfsResult part = MustBfs(g.snapshot(), sources, options);
      int calls = 1;
      for (; part.truncated && calls < 20; ++calls) {
        options.resume = part.resume;
        part = MustBfs(g.snapshot(), sources, options);
      }
      EXPECT_FALSE(part.truncated);
      EXPECT_EQ(part.nodes, whole.nodes) << which;  // parents, too, though levels were pulled there
    }
}

// What comes back from outside is believed only when every part of it fits.
TEST(Bfs, ForeignTokensAreRefused) {
  CaseGraph g;
  g.AddNodes(9);
  for (std::size_t v = 1; v < 9; ++v) g.Link(0, kLink, v);
  g.Commit();
  BfsOptions options;
  options.run.budget.nodes = 3;
  const std::string token = MustBfs(g.snapshot(), {0}, options).resume;
  auto refused = [&](const Snapshot& s, NodeId source, BfsOptions asked, const std::string& text) {
    asked.resume = text;
    auto result = Bfs(s, {&source, 1}, asked);
    return result ? Error{ErrorCode::kInternal, "accepted"} : result.error();
  };
  const Snapshot now = g.snapshot();
  EXPECT_EQ(refused(now, 0, options, token).message, "accepted");
  EXPECT_EQ(refused(now, 0, options, "x").code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused(now, 0, options, token + "0").code, ErrorCode::kInvalidArgument);
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string bad = token;
    bad[i] = bad[i] == '7' ? '8' : '7';
    EXPECT_NE(refused(now, 0, options, bad).message.find("damaged"), std::string::npos) << i;
    bad[i] = 'G';
    EXPECT_NE(refused(now, 0, options, bad).message.find("character " + std::to_string(i + 1)),
              std::string::npos);
  }
  EXPECT_NE(refused(now, 1, options, token).message.find("another question"), std::string::npos);
  BfsOptions other = options;
  other.max_depth = 5;
  EXPECT_NE(refused(now, 0, other, token).message.find("another question"), std::string::npos);
  g.Link(1, kLink, 2);
  g.Commit();
  const Error later = refused(g.snapshot(), 0, options, token);
  EXPECT_EQ(later.code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(later.message.find("sequence 1"), std::string::npos);
  TraverseOptions walk;
  walk.resume = token;
  auto traversed = Traverse(now, std::vector<NodeWeight>{{0, 1.0}}, walk);
  ASSERT_FALSE(traversed);
  EXPECT_NE(traversed.error().message.find("another kind of search"), std::string::npos);
}

TEST(Bfs, BudgetsAndErrors) {
  const CaseGraph& g = Large(0, Shape::kClean);
  BfsOptions options;
  options.run.budget.nodes = 10;
  const BfsResult ten = MustBfs(g.snapshot(), FirstSelected(g, 1), options);
  EXPECT_TRUE(ten.truncated);
  EXPECT_EQ(ten.nodes.size(), 10u);
  options.run.budget = {};
  options.run.budget.edges = 7;
  const BfsResult seven = MustBfs(g.snapshot(), FirstSelected(g, 1), options);
  EXPECT_TRUE(seven.truncated);
  EXPECT_EQ(seven.edges, 7u);
  EXPECT_FALSE(Bfs(g.snapshot(), std::vector<NodeId>{1u << 30}, {}).has_value());
  NodeId dead = 0;
  while (g.snapshot().alive(dead)) ++dead;
  EXPECT_EQ(Bfs(g.snapshot(), std::vector<NodeId>{dead}, {}).error().code, ErrorCode::kNotFound);
}

// Twice the same source, and a source reached from another, are listed once.
TEST(Bfs, SourcesAreListedOnce) {
  CaseGraph g;
  g.AddNodes(2);
  g.Link(0, kLink, 1);
  g.Commit();
  EXPECT_EQ(MustBfs(g.snapshot(), {1, 0, 1}).nodes,
            (std::vector<BfsNode>{{0, 0, kNoNode}, {1, 0, kNoNode}}));
  EXPECT_TRUE(MustBfs(g.snapshot(), {}).nodes.empty());
}

TEST(Bfs, SourcesThatABudgetCutsAreInOrderToo) {
  CaseGraph g;
  g.AddNodes(6);
  g.Commit();
  BfsOptions options;
  options.run.budget.nodes = 2;
  const BfsResult got = MustBfs(g.snapshot(), {5, 3, 1}, options);
  EXPECT_TRUE(got.truncated);
  EXPECT_EQ(got.nodes, (std::vector<BfsNode>{{3, 0, kNoNode}, {5, 0, kNoNode}}));
}

TEST(BfsCsr, TheLastRowsMayBeEmpty) {
  // 0 -> 41, and 1..40 -> 0.
  constexpr NodeId kNodes = 42;
  std::vector<std::uint32_t> out_offsets{0, 1}, in_offsets{0, 40};
  std::vector<NodeId> out{41}, in;
  for (NodeId v = 1; v <= 40; ++v) {
    out.push_back(0);
    in.push_back(v);
  }
  for (NodeId v = 1; v < kNodes; ++v) {
    out_offsets.push_back(std::min<std::uint32_t>(v + 1, 41));
    in_offsets.push_back(v == 41 ? 41 : 40);
  }
  in.push_back(0);
  EXPECT_EQ(BfsCsr({out_offsets, out, {}, {}, {}}, {in_offsets, in, {}, {}, {}}, 0).value().reached,
            2u);
}

TEST(BfsCsr, EqualsAQueueAtAnyThreadCount) {
  const auto executors = Executors();
  ForEachGraph([&](const CaseGraph& g, Shape shape) {
    const Snapshot s = g.snapshot();
    if (s.node_count() == 0 || shape != Shape::kClean) return;
    EdgeKinds all;  // every kind: the base arrays as they are
    for (const auto& [identity, edge] : g.edges()) all.push_back(std::get<1>(identity));
    all.push_back(kHasTag);
    const auto flat = g.Flat(all);
    for (NodeId source : {NodeId{0}, s.node_count() / 2}) {
      if (!s.alive(source)) continue;
      const auto want = reference::Depths(flat, {source}, Direction::kOut);
      std::optional<BfsCsrResult> first;
      for (const auto& e : executors) {
        BfsCsrResult got =
            BfsCsr(s.base_rows(Direction::kOut).Unweighted(),
                   s.base_rows(Direction::kIn).Unweighted(), source, {.executor = e.executor.get()})
                .value();
        ASSERT_TRUE(std::ranges::equal(got.depths.span(), want)) << e.name;
        const BfsCsrResult parents =
            BfsCsr(s.base_rows(Direction::kOut).Unweighted(),
                   s.base_rows(Direction::kIn).Unweighted(), source, {.depths = false})
                .value();
        EXPECT_TRUE(parents.depths.empty());
        EXPECT_TRUE(std::ranges::equal(parents.parents.span(), got.parents.span())) << e.name;
        std::uint64_t reached = 0;
        for (NodeId v = 0; v < s.node_count(); ++v) {
          reached += want[v] != kUnreached;
          ASSERT_EQ(got.parents[v] == kNoNode, want[v] == kUnreached);
          if (v != source && want[v] != kUnreached) {
            ASSERT_EQ(want[got.parents[v]] + 1, want[v]);
            ASSERT_GT(s.Degree(Direction::kOut, got.parents[v], ArcFilter::All()), 0u);
          }
        }
        EXPECT_EQ(got.reached, reached);
        if (!first)
          first = std::move(got);
        else
          EXPECT_TRUE(std::ranges::equal(got.parents.span(), first->parents.span())) << e.name;
      }
    }
  });
}

// Levels of every kind: alone, in parallel, settled by a sweep, pulled; nodes without arcs, with
// one, and hubs.
TEST(BfsCsr, WideLevelsEqualAQueueAtAnyThreadCount) {
  constexpr NodeId kNodes = 60001;
  const auto executors = Executors();
  for (std::size_t degree : {1u, 3u, 12u}) {
    std::mt19937_64 random(degree);
    std::vector<NodePair> pairs;
    for (NodeId v = 0; v < kNodes; ++v) {
      if (v % 5 == 4) continue;  // leads nowhere
      const std::size_t arcs = v % 1000 == 0 ? 900 : v % 3 == 0 ? 1 : degree + 1;
      for (std::size_t i = 0; i < arcs; ++i)
        pairs.push_back({v, static_cast<NodeId>(random() % kNodes)});
    }
    for (bool symmetrize : {false, true}) {
      const auto graph = BuildTopology(kNodes, pairs, {.symmetrize = symmetrize});
      ASSERT_TRUE(graph.has_value());
      const CsrView out = graph->out();
      std::vector<std::uint32_t> want(kNodes, kUnreached);
      std::vector<NodeId> queue{1};
      want[1] = 0;
      for (std::size_t i = 0; i < queue.size(); ++i)
        for (std::uint32_t a = out.offsets[queue[i]]; a < out.offsets[queue[i] + 1]; ++a)
          if (const NodeId v = out.neighbors[a]; want[v] == kUnreached) {
            want[v] = want[queue[i]] + 1;
            queue.push_back(v);
          }
      std::optional<BfsCsrResult> first;
      for (const auto& e : executors) {
        BfsCsrResult got = BfsCsr(out, graph->in(), 1, {.executor = e.executor.get()}).value();
        ASSERT_TRUE(std::ranges::equal(got.depths.span(), want))
            << e.name << ", " << degree << ", " << symmetrize;
        ASSERT_EQ(got.reached, queue.size()) << e.name << ", " << degree << ", " << symmetrize;
        for (NodeId v = 0; v < kNodes; ++v) {
          const NodeId parent = got.parents[v];
          ASSERT_EQ(parent == kNoNode, want[v] == kUnreached);
          if (v == 1 || parent == kNoNode) continue;
          const auto row = out.neighbors.subspan(out.offsets[parent], out.degree(parent));
          ASSERT_TRUE(want[parent] + 1 == want[v] && std::ranges::binary_search(row, v)) << v;
        }
        if (!first)
          first = std::move(got);
        else
          ASSERT_TRUE(std::ranges::equal(got.parents.span(), first->parents.span())) << e.name;
      }
    }
  }
}

}  // namespace
}  // namespace plexus::testing
