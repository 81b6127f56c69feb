// Spanning forests, cut points and bridges, dominators: against definitions on small
// graphs, against Boost.Graph and by certificate on large ones.
#include <gtest/gtest.h>

#include <atomic>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "algorithms/connectivity/connectivity.h"
#include "algorithms/connectivity/internal/connectivity_csr.h"
#include "engine/bulk/topology.h"
#include "tests/reference/oracles.h"
#include "tests/support/cancelling_executor.h"
#include "tests/support/edge_keys.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace connectivity;
namespace {

NodeSubset TwoThirds(const Snapshot& s) {
  return SubsetOf(s, [](NodeId v) { return v % 3 != 1; });
}

// ---- spanning forests

void CheckForest(const CaseGraph& g, SpanningForestOptions options) {
  const auto flat = g.Flat(options.filter.kinds, options.filter.subset, options.filter.valid_at);
  const auto want = reference::SpanningForest(flat, options.maximum, options.weighted);
  options.run.executor = NextExecutor();
  const auto got = SpanningForest(g.snapshot(), options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  ASSERT_EQ(got->weight, want.weight);  // weights are 64ths: sums are exact
  ASSERT_EQ(got->trees, want.trees);
  ASSERT_EQ(got->edges.size() + got->trees, got->nodes);
  ASSERT_FALSE(got->truncated);
  const std::vector<PathEdge>& first = got->edges;
  // Edges of the graph, in order, and no cycle among them.
  auto all = Keys(flat.arcs);
  std::vector<NodeId> label(g.snapshot().node_count());
  std::iota(label.begin(), label.end(), NodeId{0});
  for (std::size_t i = 0; i < first.size(); ++i) {
    ASSERT_TRUE(std::binary_search(all.begin(), all.end(),
                                   KeyOf(first[i].source, first[i].target, first[i])));
    if (i > 0) {
      ASSERT_LE(first[i - 1].source, first[i].source);
    }
    NodeId a = first[i].source, b = first[i].target;
    while (label[a] != a) a = label[a];
    while (label[b] != b) b = label[b];
    ASSERT_NE(a, b);
    label[a] = b;
  }
}

TEST(SpanningForest, EqualsKruskalAtAnyThreadCount) {
  ForEachGraph([](const CaseGraph& g, Shape) {
    const NodeSubset subset = TwoThirds(g.snapshot());
    CheckForest(g, {});
    if (g.size() < 100) {
      CheckForest(g, {.maximum = true});
      CheckForest(g, {.weighted = false});
      CheckForest(g, {.filter = {.kinds = {kSupports, kSimilar}}});
    }
    CheckForest(g, {.filter = {.kinds = {kHasTag, kLink}, .subset = &subset}});
  });
}

TEST(SpanningForest, LabelsKindsAndValidTimes) {
  CaseGraph g;
  g.AddNodes(4);
  g.Link(0, kLink, 1, 0.5f, "b");
  g.Link(1, kSupports, 0, 0.5f);  // as light, but later in the rows
  g.LinkValid(2, kRelatesTo, 1, 0, 10);
  g.LinkValid(1, kCauses, 2, 10, 20);
  g.Link(3, kLink, 3, 0.25f);
  for (const bool compacted : {false, true}) {
    g.Commit();
    if (compacted) g.Compact();
    const Snapshot s = g.snapshot();
    const auto edges = [&](std::int64_t at) {
      return SpanningForest(s, {.filter = {.valid_at = at}})->edges;
    };
    const StringId b = *s.FindString("b");
    EXPECT_EQ(edges(5),
              (std::vector<PathEdge>{{0, 1, kLink, b, 0.5f}, {1, 2, kRelatesTo, 0, 1.0f}}));
    EXPECT_EQ(edges(15), (std::vector<PathEdge>{{0, 1, kLink, b, 0.5f}, {1, 2, kCauses, 0, 1.0f}}));
    EXPECT_EQ(edges(25), (std::vector<PathEdge>{{0, 1, kLink, b, 0.5f}}));
    EXPECT_EQ(SpanningForest(s, {.maximum = true, .filter = {.valid_at = 5}})->weight, 1.5);
  }
}

// Enough arcs for several rounds: light ones joined, others filtered, in both extremes of
// weights (all alike, all different) and with trees that stay apart.
TEST(SpanningForest, RoundsOfFilteringChangeNothing) {
  const NodeId n = 3000;
  std::mt19937_64 random(5);
  std::vector<std::uint32_t> offsets = {0};
  std::vector<NodeId> neighbors;
  std::vector<float> alike, different;
  for (NodeId v = 0; v < n; ++v) {
    for (int k = 0; k < 60; ++k) {
      neighbors.push_back(static_cast<NodeId>(v / 1000 * 1000 +
                                              random() % 900));  // three islands, some of it alone
      alike.push_back(0.5f);
      different.push_back(static_cast<float>(random() % 100'000) / 7);
    }
    offsets.push_back(static_cast<std::uint32_t>(neighbors.size()));
  }
  const auto executors = Executors();
  for (const std::vector<float>& weights : {alike, different, std::vector<float>()})
    for (const bool maximum : {false, true}) {
      std::vector<std::uint32_t> order(neighbors.size()), want;
      std::iota(order.begin(), order.end(), 0u);
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return !weights.empty() && (maximum ? weights[a] > weights[b] : weights[a] < weights[b]);
      });
      std::vector<NodeId> label(n);
      std::iota(label.begin(), label.end(), NodeId{0});
      const auto root = [&](NodeId v) {
        while (label[v] != v) v = label[v] = label[label[v]];
        return v;
      };
      for (const std::uint32_t arc : order) {
        const auto source = static_cast<NodeId>(arc / 60);
        const NodeId a = root(source), b = root(neighbors[arc]);
        if (a == b) continue;
        label[a] = b;
        want.push_back(arc);
      }
      std::sort(want.begin(), want.end());
      for (const auto& e : executors)
        EXPECT_EQ(SpanningForestCsr({offsets, neighbors, weights, {}, {}},
                                    {maximum, {{}, e.executor.get()}})
                      .value()
                      .arcs,
                  want);
    }
}

// ---- cut points, bridges, blocks

void CheckCuts(const CaseGraph& g, CutPointsOptions options) {
  const auto want = reference::CutPoints(
      g.Flat(options.filter.kinds, options.filter.subset, options.filter.valid_at));
  const auto got = CutPoints(g.snapshot(), options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  EXPECT_EQ(got->points, want.points);
  EXPECT_EQ(Keys(got->bridges), Keys(want.bridges));
}

TEST(CutPoints, EqualTakingNodesAndEdgesAway) {
  ForEachCase(SmallCases(), [](const CaseGraph& g, Shape) {
    const NodeSubset subset = TwoThirds(g.snapshot());
    CheckCuts(g, {});
    CheckCuts(g, {.filter = {.kinds = {kSupports, kSimilar}}});
    CheckCuts(g, {.filter = {.kinds = {kHasTag, kLink}}});
    CheckCuts(g, {.filter = {.subset = &subset}});
  });
}

// Blocks as sets of nodes, and articulation points, by Boost.
TEST(CutPoints, EqualBoost) {
  using Undirected =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                            boost::property<boost::edge_index_t, std::size_t>>;
  ForEachGraph([](const CaseGraph& g, Shape) {
    const auto flat = g.Flat();
    Undirected graph(flat.node_count());
    std::set<std::pair<NodeId, NodeId>> pairs;  // of parallel edges Boost numbers one alone
    for (const auto& a : flat.arcs)
      if (a.from != a.to && pairs.emplace(std::minmax(a.from, a.to)).second)
        add_edge(a.from, a.to, num_edges(graph), graph);
    std::vector<std::size_t> block(num_edges(graph));
    std::vector<NodeId> points;
    boost::biconnected_components(
        graph, boost::make_iterator_property_map(block.begin(), get(boost::edge_index, graph)),
        std::back_inserter(points));
    std::map<std::size_t, std::set<NodeId>> sets;
    for (const auto& e : boost::make_iterator_range(edges(graph))) {
      auto& set = sets[block[get(boost::edge_index, graph, e)]];
      set.insert(static_cast<NodeId>(source(e, graph)));
      set.insert(static_cast<NodeId>(target(e, graph)));
    }
    std::set<std::vector<NodeId>> want;
    for (const auto& [id, set] : sets) want.insert({set.begin(), set.end()});
    std::sort(points.begin(), points.end());
    CutPointsOptions options;
    options.list_blocks = true;
    const auto got = CutPoints(g.snapshot(), options);
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->points, points);
    ASSERT_EQ(got->blocks, want.size());
    ASSERT_EQ(got->block_begins.size(), want.size() + 1);
    std::size_t b = 0, largest = 0;
    for (const auto& nodes : want) {  // in the same order
      const auto begin =
          got->block_nodes.begin() + static_cast<std::ptrdiff_t>(got->block_begins[b]);
      const auto stop =
          got->block_nodes.begin() + static_cast<std::ptrdiff_t>(got->block_begins[++b]);
      ASSERT_EQ(std::vector<NodeId>(begin, stop), nodes);
      largest = std::max(largest, nodes.size());
    }
    EXPECT_EQ(got->largest_block, largest);
  });
}

TEST(CutPoints, ParallelEdgesAreNoBridge) {
  CaseGraph g;
  g.AddNodes(6);
  g.Link(0, kLink, 1);
  g.Link(1, kSupports, 0);   // turned
  g.Link(1, kRelatesTo, 2);  // symmetric: one edge
  g.Link(2, kLink, 3, 1, "a");
  g.Link(2, kLink, 3, 1, "b");  // by label
  g.LinkValid(3, kLink, 4, 0, 10);
  g.Link(3, kSupports, 4);  // until 10 it is not alone
  g.Commit();
  const auto bridges = [&](std::int64_t at) {
    return CutPoints(g.snapshot(), {.filter = {.valid_at = at}})->bridges;
  };
  EXPECT_EQ(bridges(5), (std::vector<PathEdge>{{1, 2, kRelatesTo, 0, 1.0f}}));
  EXPECT_EQ(bridges(15),
            (std::vector<PathEdge>{{1, 2, kRelatesTo, 0, 1.0f}, {3, 4, kSupports, 0, 1.0f}}));
  EXPECT_EQ(CutPoints(g.snapshot())->points, (std::vector<NodeId>{1, 2, 3}));
}

// ---- dominators

void CheckDominators(const CaseGraph& g, NodeId root, const DominatorsOptions& options) {
  const auto flat = g.Flat(options.filter.kinds, options.filter.subset, options.filter.valid_at);
  if (!flat.selected[root]) return;
  const auto want =
      reference::Dominators(Walkable(flat, options.direction), flat.node_count(), root);
  const auto got = Dominators(g.snapshot(), root, options);
  ASSERT_TRUE(got.has_value()) << got.error().ToString();
  ASSERT_EQ(got->dominators, want) << "from " << root;
  std::vector<std::uint32_t> below(want.size());
  std::uint64_t reached = 1;
  for (NodeId v = 0; v < want.size(); ++v) {
    reached += want[v] != kNoNode;
    for (NodeId d = want[v]; d != kNoNode; d = want[d]) ++below[d];
  }
  EXPECT_EQ(got->dominated, below);
  EXPECT_EQ(got->reached, reached);
}

TEST(Dominators, EqualTakingNodesAway) {
  ForEachCase(SmallCases(), [](const CaseGraph& g, Shape) {
    const NodeSubset subset = TwoThirds(g.snapshot());
    for (const NodeId root : {0u, 1u, 7u, 20u}) {
      if (root >= g.snapshot().node_count()) continue;
      CheckDominators(g, root, {});
      CheckDominators(g, root, {.direction = Direction::kIn});
      CheckDominators(g, root, {.filter = {.kinds = {kHasTag, kLink, kRelatesTo}}});
      CheckDominators(g, root, {.filter = {.subset = &subset}});
    }
  });
}

TEST(Dominators, EqualBoost) {
  using Directed = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
  ForEachLarge([](const CaseGraph& g, Shape) {
    const auto flat = g.Flat();
    Directed graph(flat.node_count());
    NodeId root = 0;
    while (!flat.selected[root]) ++root;
    // Boost takes nodes that are not reached for the root, so they are left out.
    const auto depths = reference::Depths(flat, {root}, Direction::kOut);
    for (const auto& a : flat.arcs)
      if (depths[a.from] != 0xFFFFFFFFu) add_edge(a.from, a.to, graph);
    const auto none = boost::graph_traits<Directed>::null_vertex();
    std::vector<std::size_t> parents(flat.node_count(), none);
    boost::lengauer_tarjan_dominator_tree(
        graph, root,
        boost::make_iterator_property_map(parents.begin(), get(boost::vertex_index, graph)));
    const auto got = Dominators(g.snapshot(), root);
    ASSERT_TRUE(got.has_value());
    for (NodeId v = 0; v < flat.node_count(); ++v)
      ASSERT_EQ(got->dominators[v], parents[v] == none ? kNoNode : static_cast<NodeId>(parents[v]))
          << v;
  });
}

// ---- what all of them refuse and how they stop

TEST(ConnectivityCommands, ErrorsAndBudgets) {
  const CaseGraph& g = Large(0, Shape::kRuns);
  const Snapshot s = g.snapshot();
  EXPECT_EQ(Dominators(s, 0, {.direction = Direction::kBoth}).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(Dominators(s, s.node_count()).error().code, ErrorCode::kInvalidArgument);
  NodeId removed = 0;
  while (s.alive(removed)) ++removed;
  EXPECT_EQ(Dominators(s, removed).error().code, ErrorCode::kNotFound);

  const auto forest = SpanningForest(s, {.run = {.budget = kStopped}});
  EXPECT_TRUE(forest->truncated);
  EXPECT_TRUE(forest->edges.empty());
  EXPECT_EQ(forest->trees, forest->nodes);
}

}  // namespace
}  // namespace plexus::testing
