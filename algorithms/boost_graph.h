// BoostGraph: a DenseView as a graph of Boost.Graph, so that all of that library runs
// on the selected part of a Snapshot. Opt-in: needs Boost's headers (1.81), and is
// included by nothing else of Plexus.
//
// Models VertexListGraph, EdgeListGraph, AdjacencyGraph, BidirectionalGraph and
// AdjacencyMatrix's edge(u, v, g); directed, parallel edges and loops allowed. A vertex
// is the dense id of the view, 0..k-1 (`view().node()` and `.dense()` translate), so
// vertex_index is the identity; an edge is its position among all out arcs, which is
// edge_index; edge_weight is the stored weight as double. A symmetric edge is two arcs,
// as everywhere in Plexus, so algorithms for undirected graphs that count each edge once
// see it twice. Rows keep the order of the view.
//
//   PLEXUS_ASSIGN(auto view, plexus::DenseView::Make(snapshot));
//   plexus::BoostGraph graph(std::move(view));
//   std::vector<int> component(num_vertices(graph));
//   int count = boost::strong_components(graph, plexus::VertexMap(component));
//
// Complexity: making one O(nodes + arcs); everything else O(1) or O(row). Copies share the arrays.
// Memory: 8 bytes an arc (where each arc starts, and the arcs that arrive at each node).
// Errors: Boost's algorithms may throw; a caller inside a library that does not, catches.
// Threads: immutable; one graph and its copies may be read from any number of threads (Boost's
//   algorithms themselves use one each).
#pragma once

#if !__has_include(<boost/graph/graph_traits.hpp>)
#error "algorithms/boost_graph.h needs Boost.Graph's headers (Debian: libboost-dev)"
#endif

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/transform_iterator.hpp>
#include <boost/property_map/property_map.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/arrays/views.h"
#include "engine/types.h"

namespace plexus {

// An arc of the view's out rows.
struct BoostEdge {
  NodeId source = kNoNode, target = kNoNode;
  std::uint32_t position = 0;  // edge_index
  bool operator==(const BoostEdge& other) const { return position == other.position; }
  bool operator<(const BoostEdge& other) const { return position < other.position; }
};

class BoostGraph {
 public:
  // REQUIRES a view made with `out`. Of `in` no use is made; weights may be left out.
  explicit BoostGraph(DenseView view) {
    auto parts = std::make_shared<Parts>(Parts{std::move(view), {}, {}, {}, {}});
    parts->out = parts->view.out();
    const CsrView& out = parts->out;
    const NodeId n = parts->view.node_count();
    parts->sources.resize(out.arc_count());
    parts->in_offsets.assign(std::size_t{n} + 1, 0);
    for (NodeId v = 0; v < n && out.arc_count() > 0; ++v)
      for (std::uint32_t arc = out.offsets[v]; arc < out.offsets[v + 1]; ++arc) {
        parts->sources[arc] = v;
        ++parts->in_offsets[out.neighbors[arc] + std::size_t{1}];
      }
    for (NodeId v = 0; v < n; ++v) parts->in_offsets[v + std::size_t{1}] += parts->in_offsets[v];
    std::vector<std::uint32_t> next(parts->in_offsets.begin(), parts->in_offsets.end() - 1);
    parts->in_arcs.resize(out.arc_count());
    for (std::uint32_t arc = 0; arc < parts->sources.size(); ++arc)
      parts->in_arcs[next[out.neighbors[arc]]++] = arc;
    parts_ = std::move(parts);
  }

  const DenseView& view() const { return parts_->view; }
  NodeId node_count() const { return parts_->view.node_count(); }
  std::uint32_t arc_count() const { return static_cast<std::uint32_t>(parts_->sources.size()); }
  BoostEdge edge(std::uint32_t arc) const {
    return {parts_->sources[arc], parts_->out.neighbors[arc], arc};
  }
  double weight(std::uint32_t arc) const { return static_cast<double>(parts_->out.weight(arc)); }

  // [first, last) of a node's arcs: positions that leave, and places of positions that arrive.
  std::pair<std::uint32_t, std::uint32_t> out_arcs(NodeId v) const {
    if (arc_count() == 0) return {0, 0};
    return {parts_->out.offsets[v], parts_->out.offsets[v + 1]};
  }
  std::pair<std::uint32_t, std::uint32_t> in_places(NodeId v) const {
    return {parts_->in_offsets[v], parts_->in_offsets[v + std::size_t{1}]};
  }
  std::uint32_t in_arc(std::uint32_t place) const { return parts_->in_arcs[place]; }

  // --- what iterators need: they outlive no graph, but may be default-constructed.
  struct ToEdge {
    const BoostGraph* graph = nullptr;
    BoostEdge operator()(std::uint32_t arc) const { return graph->edge(arc); }
  };
  struct ToInEdge {
    const BoostGraph* graph = nullptr;
    BoostEdge operator()(std::uint32_t place) const { return graph->edge(graph->in_arc(place)); }
  };
  struct ToTarget {
    const BoostGraph* graph = nullptr;
    NodeId operator()(std::uint32_t arc) const { return graph->edge(arc).target; }
  };
  using Counter = boost::counting_iterator<std::uint32_t>;
  template <class Function, class Value>
  using Iterator = boost::transform_iterator<Function, Counter, Value, Value>;
  template <class Function, class Value>
  std::pair<Iterator<Function, Value>, Iterator<Function, Value>> Range(
      std::pair<std::uint32_t, std::uint32_t> range) const {
    return {{Counter(range.first), Function{this}}, {Counter(range.second), Function{this}}};
  }

 private:
  struct Parts {
    DenseView view;
    CsrView out;
    std::vector<NodeId> sources;            // by arc
    std::vector<std::uint32_t> in_offsets;  // by node, into in_arcs
    std::vector<std::uint32_t> in_arcs;     // by target, then ascending
  };
  std::shared_ptr<const Parts> parts_;
};

// A property map over vertices backed by a vector, which must outlive it.
template <class Vector>
auto VertexMap(Vector& values) {
  return boost::make_iterator_property_map(values.begin(),
                                           boost::typed_identity_property_map<NodeId>());
}

// --- property maps of the graph itself
struct BoostEdgeIndexMap {
  using key_type = BoostEdge;
  using value_type = std::uint32_t;
  using reference = std::uint32_t;
  using category = boost::readable_property_map_tag;
  friend std::uint32_t get(const BoostEdgeIndexMap&, const BoostEdge& edge) {
    return edge.position;
  }
};
struct BoostEdgeWeightMap {
  using key_type = BoostEdge;
  using value_type = double;
  using reference = double;
  using category = boost::readable_property_map_tag;
  const BoostGraph* graph = nullptr;
  friend double get(const BoostEdgeWeightMap& map, const BoostEdge& edge) {
    return map.graph->weight(edge.position);
  }
};

struct BoostTraversal : boost::vertex_list_graph_tag,
                        boost::edge_list_graph_tag,
                        boost::adjacency_graph_tag,
                        boost::bidirectional_graph_tag,
                        boost::adjacency_matrix_tag {};

}  // namespace plexus

namespace boost {

template <>
struct graph_traits<plexus::BoostGraph> {
  using Graph = plexus::BoostGraph;
  using vertex_descriptor = plexus::NodeId;
  using edge_descriptor = plexus::BoostEdge;
  using directed_category = bidirectional_tag;
  using edge_parallel_category = allow_parallel_edge_tag;
  using traversal_category = plexus::BoostTraversal;
  using vertices_size_type = plexus::NodeId;
  using edges_size_type = std::uint32_t;
  using degree_size_type = std::uint32_t;
  using vertex_iterator = counting_iterator<plexus::NodeId>;
  using edge_iterator = Graph::Iterator<Graph::ToEdge, plexus::BoostEdge>;
  using out_edge_iterator = Graph::Iterator<Graph::ToEdge, plexus::BoostEdge>;
  using in_edge_iterator = Graph::Iterator<Graph::ToInEdge, plexus::BoostEdge>;
  using adjacency_iterator = Graph::Iterator<Graph::ToTarget, plexus::NodeId>;
  static vertex_descriptor null_vertex() { return plexus::kNoNode; }
};

// Some algorithms ask for the traits of a const graph.
template <>
struct graph_traits<const plexus::BoostGraph> : graph_traits<plexus::BoostGraph> {};

template <>
struct property_map<plexus::BoostGraph, vertex_index_t> {
  using type = typed_identity_property_map<plexus::NodeId>;
  using const_type = type;
};
template <>
struct property_map<plexus::BoostGraph, edge_index_t> {
  using type = plexus::BoostEdgeIndexMap;
  using const_type = type;
};
template <>
struct property_map<plexus::BoostGraph, edge_weight_t> {
  using type = plexus::BoostEdgeWeightMap;
  using const_type = type;
};

}  // namespace boost

namespace plexus {

// --- the functions of the concepts, found by argument
inline NodeId source(const BoostEdge& edge, const BoostGraph&) { return edge.source; }
inline NodeId target(const BoostEdge& edge, const BoostGraph&) { return edge.target; }

inline NodeId num_vertices(const BoostGraph& graph) { return graph.node_count(); }
inline auto vertices(const BoostGraph& graph) {
  using Vertex = boost::counting_iterator<NodeId>;
  return std::pair(Vertex(0), Vertex(graph.node_count()));
}
inline NodeId vertex(NodeId dense, const BoostGraph&) { return dense; }

inline std::uint32_t num_edges(const BoostGraph& graph) { return graph.arc_count(); }
inline auto edges(const BoostGraph& graph) {
  return graph.Range<BoostGraph::ToEdge, BoostEdge>({0, graph.arc_count()});
}

inline auto out_edges(NodeId v, const BoostGraph& graph) {
  return graph.Range<BoostGraph::ToEdge, BoostEdge>(graph.out_arcs(v));
}
inline std::uint32_t out_degree(NodeId v, const BoostGraph& graph) {
  const auto [first, last] = graph.out_arcs(v);
  return last - first;
}
inline auto in_edges(NodeId v, const BoostGraph& graph) {
  return graph.Range<BoostGraph::ToInEdge, BoostEdge>(graph.in_places(v));
}
inline std::uint32_t in_degree(NodeId v, const BoostGraph& graph) {
  const auto [first, last] = graph.in_places(v);
  return last - first;
}
inline std::uint32_t degree(NodeId v, const BoostGraph& graph) {
  return out_degree(v, graph) + in_degree(v, graph);
}
inline auto adjacent_vertices(NodeId v, const BoostGraph& graph) {
  return graph.Range<BoostGraph::ToTarget, NodeId>(graph.out_arcs(v));
}
// The first arc from u to v in u's row. O(row), as rows are sorted by kind first.
inline std::pair<BoostEdge, bool> edge(NodeId u, NodeId v, const BoostGraph& graph) {
  const auto [first, last] = graph.out_arcs(u);
  for (std::uint32_t arc = first; arc < last; ++arc)
    if (graph.edge(arc).target == v) return {graph.edge(arc), true};
  return {BoostEdge(), false};
}

// Indices are always in order.
inline void renumber_vertex_indices(const BoostGraph&) {}
inline void renumber_edge_indices(const BoostGraph&) {}

inline auto get(boost::vertex_index_t, const BoostGraph&) {
  return boost::typed_identity_property_map<NodeId>();
}
inline NodeId get(boost::vertex_index_t, const BoostGraph&, NodeId v) { return v; }
inline BoostEdgeIndexMap get(boost::edge_index_t, const BoostGraph&) { return {}; }
inline std::uint32_t get(boost::edge_index_t, const BoostGraph&, const BoostEdge& edge) {
  return edge.position;
}
inline BoostEdgeWeightMap get(boost::edge_weight_t, const BoostGraph& graph) { return {&graph}; }
inline double get(boost::edge_weight_t, const BoostGraph& graph, const BoostEdge& edge) {
  return graph.weight(edge.position);
}

}  // namespace plexus
