// The one place that includes Boost's flow algorithms. Boost knows no deadline: the map it
// writes residual capacities through looks at the budget now and then and throws.
#include "algorithms/internal/flow_network.h"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

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
  std::uint64_t* written;
  friend std::int64_t get(const ResidualMap& map, const Arc& arc) { return map.values[arc.idx]; }
  friend void put(const ResidualMap& map, const Arc& arc, std::int64_t value) {
    map.values[arc.idx] = value;
    if ((++*map.written & 0xFFFF) == 0 && map.budget->Interrupted()) throw Stopped();
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

bool PushRelabel(const FlowNetwork& network, const Budget& budget, std::vector<std::int64_t>& residual,
                 std::int64_t& flow) {
  const auto nodes = static_cast<std::uint32_t>(network.offsets.size() - 1);
  const Graph graph(boost::edges_are_sorted, network.arcs.begin(), network.arcs.end(), nodes);
  residual.assign(network.arcs.size(), 0);
  std::uint64_t written = 0;
  try {
    flow = boost::push_relabel_max_flow(graph, network.source, network.sink, CapacityMap{network.capacities.data()},
                                        ResidualMap{residual.data(), &budget, &written}, ReverseMap{&network},
                                        get(boost::vertex_index, graph));
  } catch (const Stopped&) {
    return false;
  }
  return true;
}

}  // namespace plexus::internal
