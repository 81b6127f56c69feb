// BoostGraph: the concepts of Boost.Graph hold by type and by behaviour, on an empty
// graph, one with holes and one with a delta; the library's algorithms run on it and
// agree with ours and with definitions.
#include "algorithms/boost_graph.h"

#include <gtest/gtest.h>

#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/iteration_macros.hpp>
#include <boost/graph/page_rank.hpp>
#include <boost/graph/reverse_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <cmath>
#include <numeric>

#include "algorithms/connectivity/connectivity.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/paths/paths.h"
#include "tests/reference/oracles.h"
#include "tests/support/for_each_case.h"

namespace plexus::testing {
using namespace builtin;
using namespace connectivity;
using namespace pagerank;
using namespace paths;
namespace {

BOOST_CONCEPT_ASSERT((boost::GraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT((boost::VertexAndEdgeListGraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT((boost::AdjacencyMatrixConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT(
    (boost::ReadablePropertyGraphConcept<BoostGraph, NodeId, boost::vertex_index_t>));
BOOST_CONCEPT_ASSERT(
    (boost::ReadablePropertyGraphConcept<BoostGraph, BoostEdge, boost::edge_index_t>));
BOOST_CONCEPT_ASSERT(
    (boost::ReadablePropertyGraphConcept<BoostGraph, BoostEdge, boost::edge_weight_t>));
BOOST_CONCEPT_ASSERT((boost::VertexIndexGraphConcept<BoostGraph>));
BOOST_CONCEPT_ASSERT((boost::EdgeIndexGraphConcept<BoostGraph>));

BoostGraph Adapt(const CaseGraph& g, const EdgeKinds& kinds = {}) {
  DenseViewOptions options;
  options.filter.kinds = kinds;
  options.in = false;
  auto view = DenseView::Make(g.snapshot(), options);
  EXPECT_TRUE(view.has_value());
  return BoostGraph(*std::move(view));
}

using Arc3 = std::tuple<NodeId, NodeId, double>;

// The semantics that the concept classes cannot ask for, and that the arcs are ours.
void CheckContract(const CaseGraph& g, const EdgeKinds& kinds) {
  const BoostGraph graph = Adapt(g, kinds);
  const auto flat = g.Flat(kinds);
  std::vector<Arc3> want, listed, out, in;
  for (const auto& a : flat.arcs)
    want.emplace_back(graph.view().dense(a.from), graph.view().dense(a.to),
                      static_cast<double>(a.weight));
  NodeId selected = 0;
  for (NodeId v = 0; v < flat.node_count(); ++v) selected += flat.selected[v];
  ASSERT_EQ(num_vertices(graph), selected);
  ASSERT_EQ(num_edges(graph), want.size());
  const auto weight = get(boost::edge_weight, graph);
  const auto index = get(boost::edge_index, graph);
  std::uint32_t next = 0;
  BGL_FORALL_EDGES_T(e, graph, BoostGraph) {
    ASSERT_EQ(get(index, e), next++);
    ASSERT_EQ(get(boost::edge_weight, graph, e), get(weight, e));
    listed.emplace_back(source(e, graph), target(e, graph), get(weight, e));
  }
  NodeId expected = 0;
  std::vector<BoostEdge> in_list;
  BGL_FORALL_VERTICES_T(v, graph, BoostGraph) {
    ASSERT_EQ(v, expected++);
    ASSERT_EQ(get(boost::vertex_index, graph, v), v);
    const auto range = out_edges(v, graph);
    ASSERT_EQ(range.second - range.first, out_degree(v, graph));
    auto neighbour = adjacent_vertices(v, graph).first;
    for (auto it = range.first; it != range.second; ++it, ++neighbour) {
      ASSERT_EQ(source(*it, graph), v);
      ASSERT_EQ(*neighbour, target(*it, graph));
      const auto [found, is_there] = edge(v, *neighbour, graph);
      ASSERT_TRUE(is_there);
      ASSERT_EQ(target(found, graph), *neighbour);
      out.emplace_back(v, target(*it, graph), get(weight, *it));
    }
    ASSERT_EQ(neighbour, adjacent_vertices(v, graph).second);
    BGL_FORALL_INEDGES_T(v, e, graph, BoostGraph) {
      ASSERT_EQ(target(e, graph), v);
      in.emplace_back(source(e, graph), v, get(weight, e));
      in_list.push_back(e);
    }
    ASSERT_EQ(degree(v, graph), in_degree(v, graph) + out_degree(v, graph));
  }
  // In-edges are the same descriptors, each once.
  std::sort(in_list.begin(), in_list.end());
  for (std::uint32_t i = 0; i < in_list.size(); ++i) ASSERT_EQ(in_list[i].position, i);
  for (auto* list : {&want, &listed, &out, &in}) std::sort(list->begin(), list->end());
  ASSERT_EQ(listed, want);
  ASSERT_EQ(out, want);
  ASSERT_EQ(in, want);
  if (selected > 0 && out_degree(0, graph) == 0) {
    EXPECT_FALSE(edge(0, 0, graph).second);
  }
}

TEST(BoostGraph, IsTheSelectedGraph) {
  ForEachGraph([](const CaseGraph& g, Shape) {
    CheckContract(g, {});
    CheckContract(g, {kHasTag});
    CheckContract(g, {kSupports, kSimilar});
  });
}

TEST(BoostGraph, StrongComponentsAgreeWithOurs) {
  ForEachGraph([](const CaseGraph& g, Shape) {
    const BoostGraph graph = Adapt(g);
    std::vector<int> component(num_vertices(graph));
    const int count = boost::strong_components(graph, VertexMap(component));
    const auto ours = StrongComponents(g.snapshot());
    ASSERT_TRUE(ours.has_value());
    ASSERT_EQ(ours->count, static_cast<std::uint64_t>(count));
    std::vector<NodeId> first(static_cast<std::size_t>(count), kNoNode);
    std::vector<std::uint64_t> sizes(static_cast<std::size_t>(count));
    for (NodeId v = 0; v < component.size(); ++v) {
      const auto c = static_cast<std::size_t>(component[v]);
      if (first[c] == kNoNode) first[c] = graph.view().node(v);
      ++sizes[c];
      ASSERT_EQ(ours->labels[graph.view().node(v)], first[c]);
    }
    const std::uint64_t largest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
    ASSERT_EQ(ours->largest, largest);
    if (largest > 0) {
      NodeId label = kNoNode;
      for (std::size_t c = 0; c < sizes.size(); ++c)
        if (sizes[c] == largest) label = std::min(label, first[c]);
      ASSERT_EQ(ours->largest_label, label);
    }
  });
}

// Boost's ranks sum to the number of nodes and leak what stands at nodes without arcs; as
// we hand that out evenly, its fixed point is ours times a constant.
TEST(BoostGraph, PageRankAgreesWithOurs) {
  ForEachGraph([](const CaseGraph& g, Shape) {
    const BoostGraph graph = Adapt(g);
    if (num_vertices(graph) == 0) return;
    std::vector<double> rank(num_vertices(graph)), other(num_vertices(graph));
    boost::graph::page_rank(graph, VertexMap(rank), boost::graph::n_iterations(200), 0.85,
                            num_vertices(graph), VertexMap(other));
    const double sum = std::accumulate(rank.begin(), rank.end(), 0.0);
    PageRankOptions options;
    options.weighted = false;
    options.tolerance = 1e-13;
    options.max_iterations = 1000;
    const auto ours = PageRank(g.snapshot(), options);
    ASSERT_TRUE(ours.has_value()) << ours.error().ToString();
    for (NodeId v = 0; v < rank.size(); ++v)
      ASSERT_NEAR(ours->scores[graph.view().node(v)], rank[v] / sum, 1e-11) << v;
  });
}

TEST(BoostGraph, DijkstraAgreesWithOurs) {
  ForEachCase(SmallCases(), [](const CaseGraph& g, Shape) {
    const BoostGraph graph = Adapt(g);
    const Snapshot s = g.snapshot();
    const auto cost = boost::make_function_property_map<BoostEdge>(
        [&](const BoostEdge& e) { return -std::log(get(boost::edge_weight, graph, e)); });
    for (NodeId from = 0; from < std::min<NodeId>(4, num_vertices(graph)); ++from) {
      std::vector<double> distance(num_vertices(graph));
      std::vector<NodeId> parent(num_vertices(graph));
      boost::dijkstra_shortest_paths(graph, from,
                                     boost::weight_map(cost)
                                         .distance_map(VertexMap(distance))
                                         .predecessor_map(VertexMap(parent)));
      for (NodeId to = 0; to < num_vertices(graph); ++to) {
        if (to == from) continue;
        ShortestPathOptions options;
        options.cost = PathCost::kLogWeight;
        const auto ours = ShortestPath(s, graph.view().node(from), graph.view().node(to), options);
        ASSERT_TRUE(ours.has_value()) << ours.error().ToString();
        const bool reached = distance[to] < std::numeric_limits<double>::max();
        ASSERT_EQ(!ours->paths.empty(), reached);
        if (reached) {
          ASSERT_NEAR(ours->paths[0].cost, distance[to], 1e-9);
        }
      }
    }
  });
}

TEST(BoostGraph, TopologicalSortAgreesWithOurs) {
  int cyclic = 0, sorted = 0;
  ForEachGraph([&](const CaseGraph& g, Shape) {
    for (EdgeKindId kind : {kSupports, kCauses, kLink}) {
      const BoostGraph graph = Adapt(g, {kind});
      const auto ours = TopologicalOrder(g.snapshot(), {.filter = {.kinds = {kind}}});
      ASSERT_TRUE(ours.has_value()) << ours.error().ToString();
      std::vector<NodeId> order;
      bool acyclic = true;
      try {
        boost::topological_sort(graph, std::back_inserter(order));
      } catch (const boost::not_a_dag&) {
        acyclic = false;
      }
      ++(acyclic ? sorted : cyclic);
      ASSERT_EQ(ours->cycles.empty(), acyclic);
      if (!acyclic) continue;
      ASSERT_EQ(order.size(), num_vertices(graph));
      std::vector<std::size_t> place(g.snapshot().node_count());
      for (std::size_t i = 0; i < ours->order.size(); ++i) place[ours->order[i].node] = i + 1;
      BGL_FORALL_EDGES_T(e, graph, BoostGraph) {
        const NodeId from = graph.view().node(e.source), to = graph.view().node(e.target);
        ASSERT_TRUE(place[from] != 0 && place[from] < place[to]);
      }
    }
  });
  EXPECT_GT(cyclic, 0);
  EXPECT_GT(sorted, 0);
}

TEST(BoostGraph, AdaptorsOfTheLibraryStack) {
  CaseGraph g = Build({"chain", 1,
                       [](CaseGraph& c, int) {
                         c.AddNodes(3);
                         c.Link(0, kLink, 1, 0.5f);
                         c.Link(1, kLink, 2, 0.5f);
                       }},
                      Shape::kRuns);
  const BoostGraph graph = Adapt(g);
  const auto reversed = boost::make_reverse_graph(graph);
  std::vector<NodeId> order;
  boost::topological_sort(reversed, std::back_inserter(order));
  EXPECT_EQ(order, (std::vector<NodeId>{0, 1, 2}));  // finished first = ends of the reversed graph
  const BoostGraph copy = graph;                     // shares the arrays
  EXPECT_EQ(num_edges(copy), 2u);
}

}  // namespace
}  // namespace plexus::testing
