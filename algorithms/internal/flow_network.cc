// The one place that includes Boost's flow algorithms. Boost knows no deadline: the map it
// sees residual capacities through looks at the budget now and then and throws.
#include "algorithms/internal/flow_network.h"

#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // Boost's own iterators
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>

namespace plexus::internal {

namespace {

using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                 boost::no_property, std::uint32_t, std::uint32_t>;
using Arc = boost::graph_traits<Graph>::edge_descriptor;

struct Stopped {};

struct ResidualMap {
  using key_type = Arc;
  using value_type = std::int64_t;
  using reference = std::int64_t;
  using category = boost::read_write_property_map_tag;
  std::int64_t* values;
  const Budget* budget;
  std::uint64_t* seen;
  void Look() const {
    if ((++*seen & 0xFFFFF) == 0 && budget->Interrupted()) throw Stopped();
  }
  friend std::int64_t get(const ResidualMap& map, const Arc& arc) {
    map.Look();
    return map.values[arc.idx];
  }
  friend void put(const ResidualMap& map, const Arc& arc, std::int64_t value) {
    map.Look();
    map.values[arc.idx] = value;
  }
};

struct CapacityMap {
  using key_type = Arc;
  using value_type = std::int64_t;
  using reference = std::int64_t;
  using category = boost::readable_property_map_tag;
  const std::int64_t* values;
  friend std::int64_t get(const CapacityMap& map, const Arc& arc) { return map.values[arc.idx]; }
};

struct ReverseMap {
  using key_type = Arc;
  using value_type = Arc;
  using reference = Arc;
  using category = boost::readable_property_map_tag;
  const FlowNetwork* network;
  friend Arc get(const ReverseMap& map, const Arc& arc) {
    return Arc(map.network->arcs[arc.idx].second, map.network->reverse[arc.idx]);
  }
};

}  // namespace

bool AugmentPaths(FlowNetwork& network, const Budget& budget, std::int64_t& flow) {
  const auto nodes = static_cast<std::uint32_t>(network.offsets.size() - 1);
  const Graph graph(boost::edges_are_sorted, network.arcs.begin(), network.arcs.end(), nodes);
  std::uint64_t seen = 0;
  try {
    // Boost copies the capacities first and never reads them again, so both may be one array.
    flow = boost::boykov_kolmogorov_max_flow(graph, CapacityMap{network.capacities.data()},
                                             ResidualMap{network.capacities.data(), &budget, &seen}, ReverseMap{&network},
                                             get(boost::vertex_index, graph), network.source, network.sink);
  } catch (const Stopped&) {
    return false;
  }
  return true;
}

}  // namespace plexus::internal
