// The one place that includes Boost's flow algorithms. Boost walks the network as it
// stands: FlowGraph is a model of its graph concepts over the same arrays, so nothing is
// copied. Boost knows no deadline: the map it sees residual capacities through looks at
// the budget now and then and throws. Nor does it see that nothing more can leave the
// source, or reach the sink, and would go on until both trees have nowhere to grow, which
// is all of the network. The map counts what is open at both ends; when there is nothing
// the graph throws, where Boost reads a row: between augmentations, never inside one.
#include "algorithms/connectivity/internal/flow_network.h"

#include <algorithm>
#include <utility>

#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // Boost's own iterators
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/graph_traits.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/transform_iterator.hpp>

namespace plexus::connectivity::internal {

namespace {

struct FlowArc {
  std::uint32_t source = 0, index = 0;
  friend bool operator==(FlowArc a, FlowArc b) { return a.index == b.index; }
  friend bool operator!=(FlowArc a, FlowArc b) { return a.index != b.index; }
};

struct Leaving {
  std::uint32_t source = 0;
  FlowArc operator()(std::uint32_t index) const { return {source, index}; }
};

struct Stopped {};
struct Saturated {};

// Arcs with capacity left out of the source and into the sink.
struct Open {
  std::uint32_t at_source = 0, at_sink = 0;
};

struct FlowGraph {
  // An adjacency matrix, for the one function that Boost needs: edge(u, v) without a walk along the
  // row.
  struct traversal_category : boost::vertex_list_graph_tag,
                              boost::edge_list_graph_tag,
                              boost::incidence_graph_tag,
                              boost::adjacency_matrix_tag {};
  using vertex_descriptor = std::uint32_t;
  using edge_descriptor = FlowArc;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::disallow_parallel_edge_tag;
  using vertices_size_type = std::uint32_t;
  using edges_size_type = std::uint32_t;
  using degree_size_type = std::uint32_t;
  using vertex_iterator = boost::counting_iterator<std::uint32_t>;
  using out_edge_iterator =
      boost::transform_iterator<Leaving, boost::counting_iterator<std::uint32_t>, FlowArc, FlowArc>;
  using edge_iterator = out_edge_iterator;
  static vertex_descriptor null_vertex() { return 0xFFFFFFFFu; }

  const FlowNetwork* network;
  const Open* open;

  friend std::uint32_t source(FlowArc arc, const FlowGraph&) { return arc.source; }
  friend std::uint32_t target(FlowArc arc, const FlowGraph& g) {
    return g.network->targets[arc.index];
  }
  friend std::uint32_t num_vertices(const FlowGraph& g) {
    return static_cast<std::uint32_t>(g.network->offsets.size() - 1);
  }
  friend std::pair<vertex_iterator, vertex_iterator> vertices(const FlowGraph& g) {
    return {vertex_iterator(0), vertex_iterator(num_vertices(g))};
  }
  friend std::pair<out_edge_iterator, out_edge_iterator> out_edges(std::uint32_t v,
                                                                   const FlowGraph& g) {
    if (g.open->at_source == 0 || g.open->at_sink == 0) throw Saturated();
    const auto at = [&](std::uint32_t end) {
      return out_edge_iterator(boost::counting_iterator<std::uint32_t>(end), Leaving{v});
    };
    return {at(g.network->offsets[v]), at(g.network->offsets[v + std::size_t{1}])};
  }
  friend std::uint32_t out_degree(std::uint32_t v, const FlowGraph& g) {
    return g.network->offsets[v + std::size_t{1}] - g.network->offsets[v];
  }
  // Asked for every neighbour of the source, whether it has an arc to the sink: rows are sorted.
  friend std::pair<FlowArc, bool> edge(std::uint32_t u, std::uint32_t v, const FlowGraph& g) {
    const std::uint32_t* targets = g.network->targets.data();
    const std::uint32_t* end = targets + g.network->offsets[u + std::size_t{1}];
    const std::uint32_t* found = std::lower_bound(targets + g.network->offsets[u], end, v);
    return {{u, static_cast<std::uint32_t>(found - targets)}, found < end && *found == v};
  }
  // Boost lists all edges once, to copy capacities to what is left of them. Here both are one
  // array, so there is nothing to copy and nothing to list.
  friend std::pair<edge_iterator, edge_iterator> edges(const FlowGraph&) {
    const edge_iterator none(boost::counting_iterator<std::uint32_t>(0), Leaving{});
    return {none, none};
  }
  friend std::uint32_t num_edges(const FlowGraph&) { return 0; }
};

struct ResidualMap {
  using key_type = FlowArc;
  using value_type = std::int64_t;
  using reference = std::int64_t;
  using category = boost::read_write_property_map_tag;
  FlowNetwork* network;
  Open* open;
  const Budget* budget;
  std::uint64_t* seen;
  void Poll() const {
    if ((++*seen & 0xFFFF) == 0 && budget->Interrupted()) throw Stopped();
  }
  friend std::int64_t get(const ResidualMap& map, FlowArc arc) {
    map.Poll();
    return map.network->capacities[arc.index];
  }
  friend void put(const ResidualMap& map, FlowArc arc, std::int64_t value) {
    std::int64_t& left = map.network->capacities[arc.index];
    const std::uint32_t opens = value > 0, was = left > 0;
    if (arc.source == map.network->source) map.open->at_source += opens - was;
    if (map.network->targets[arc.index] == map.network->sink) map.open->at_sink += opens - was;
    left = value;
  }
};

struct CapacityMap {
  using key_type = FlowArc;
  using value_type = std::int64_t;
  using reference = std::int64_t;
  using category = boost::readable_property_map_tag;
  const std::int64_t* values;
  friend std::int64_t get(const CapacityMap& map, FlowArc arc) { return map.values[arc.index]; }
};

struct ReverseMap {
  using key_type = FlowArc;
  using value_type = FlowArc;
  using reference = FlowArc;
  using category = boost::readable_property_map_tag;
  const FlowNetwork* network;
  friend FlowArc get(const ReverseMap& map, FlowArc arc) {
    return {map.network->targets[arc.index], map.network->reverse[arc.index]};
  }
};

}  // namespace

bool AugmentPaths(FlowNetwork& network, const Budget& budget, std::int64_t& flow) {
  Open open;
  const auto row = [&](std::uint32_t v, auto&& fn) {
    for (std::uint32_t a = network.offsets[v]; a < network.offsets[v + std::size_t{1}]; ++a) fn(a);
  };
  std::int64_t before = 0, after = 0;  // left out of the source
  row(network.source, [&](std::uint32_t a) {
    before += network.capacities[a];
    open.at_source += network.capacities[a] > 0;
  });
  row(network.sink,
      [&](std::uint32_t a) { open.at_sink += network.capacities[network.reverse[a]] > 0; });
  FlowGraph graph{&network, &open};
  std::uint64_t seen = 0;
  try {
    boost::boykov_kolmogorov_max_flow(
        graph, CapacityMap{network.capacities.data()}, ResidualMap{&network, &open, &budget, &seen},
        ReverseMap{&network}, boost::identity_property_map(), network.source, network.sink);
  } catch (const Stopped&) {
    return false;
  } catch (const Saturated&) {  // a maximum: a cut at one end is full
  }
  row(network.source, [&](std::uint32_t a) { after += network.capacities[a]; });
  flow = before - after;
  return true;
}

}  // namespace plexus::connectivity::internal
