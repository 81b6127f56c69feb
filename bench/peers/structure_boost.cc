// What Boost.Graph has of structure.h, on its own compressed_sparse_row_graph with lengths
// at the edges, one thread. Undirected works get every edge both ways, as a row of that
// graph has out-edges only.
#include <boost/graph/betweenness_centrality.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/core_numbers.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>

#include "bench/peers/structure.h"

namespace plexus::peers {
namespace {

struct EdgeLength {
  double length = 1;
};
using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, EdgeLength,
                                                 boost::no_property, std::uint32_t, std::uint32_t>;

Graph LoadGraph(const Arcs& arcs) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(arcs.sources.size());
  std::vector<EdgeLength> lengths(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {arcs.sources[i], arcs.targets[i]};
    lengths[i].length = static_cast<double>(arcs.weights[i]);
  }
  return Graph(boost::edges_are_sorted, pairs.begin(), pairs.end(), lengths.begin(), arcs.nodes);
}

template <class T>
auto MapOf(const Graph& g, std::vector<T>& values) {
  return boost::make_iterator_property_map(values.begin(), get(boost::vertex_index, g));
}

struct Arrived {};
struct StopAt : boost::default_dijkstra_visitor {
  std::uint32_t to;
  explicit StopAt(std::uint32_t target) : to(target) {}
  void examine_vertex(std::uint32_t v, const Graph&) const {
    if (v == to) throw Arrived{};
  }
};

Answer Lengths(const Graph& g, std::uint32_t from) {
  Answer lengths(num_vertices(g));
  boost::dijkstra_shortest_paths(
      g, from, boost::weight_map(get(&EdgeLength::length, g)).distance_map(MapOf(g, lengths)));
  return lengths;
}

// Its arrays over all nodes are made for every question: it has no way to keep them.
double LengthBetween(const Graph& g, std::uint32_t from, std::uint32_t to) {
  Answer lengths(num_vertices(g));
  std::vector<std::uint32_t> parents(num_vertices(g));
  try {
    boost::dijkstra_shortest_paths(g, from,
                                   boost::weight_map(get(&EdgeLength::length, g))
                                       .distance_map(MapOf(g, lengths))
                                       .predecessor_map(MapOf(g, parents))
                                       .visitor(StopAt(to)));
  } catch (const Arrived&) {
    return lengths[to];
  }
  return -1;
}

void Betweenness(Peer& peer, const Graph& g) {
  peer.Trials([&] {
    Answer scores(num_vertices(g));
    boost::brandes_betweenness_centrality(g, MapOf(g, scores));
    for (double& score : scores) score /= 2;  // both directions of every pair
    return scores;
  });
  peer.Note("brandes_betweenness_centrality, 1 thread");
}

}  // namespace

bool Measures(Peer& peer, const Arcs& all) {
  const std::string& work = peer.work();
  if (!IsMeasure(work)) return false;
  const Graph g = peer.Load([&] { return LoadGraph(MeasureArcs(all, work == "order")); });
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  const auto as_answer = [](const std::vector<std::uint32_t>& values) {
    return Answer(values.begin(), values.end());
  };
  if (work == "kcore") {
    peer.Trials(
        [&] {
          std::vector<std::uint32_t> cores(num_vertices(g));
          boost::core_numbers(g, MapOf(g, cores));
          return cores;
        },
        as_answer);
    peer.Note("core_numbers, 1 thread");
  }
  if (work == "strong") {
    peer.Trials(
        [&] {
          std::vector<std::uint32_t> labels(num_vertices(g));
          boost::strong_components(g, MapOf(g, labels));
          return labels;
        },
        as_answer);
    peer.Note("strong_components, 1 thread");
  }
  if (work == "order") {
    peer.Trials(
        [&] {
          std::vector<std::uint32_t> order;  // last first
          boost::topological_sort(g, std::back_inserter(order));
          std::reverse(order.begin(), order.end());
          return order;
        },
        [&](const auto& order) {
          return Places(static_cast<std::uint32_t>(num_vertices(g)), order);
        });
    peer.Note("topological_sort, 1 thread");
  }
  if (work == "betweenness") Betweenness(peer, g);
  if (work == "distances") {
    peer.Trials([&] {
      Answer answer;
      for (std::uint32_t start : FirstStarts(peer))
        for (double length : Lengths(g, start)) answer.push_back(Length(length));
      return answer;
    });
    peer.Note("dijkstra_shortest_paths, 1 thread");
  }
  if (work == "point") {
    peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
      answer.push_back(LengthBetween(g, starts[i], starts[(i + 1) % starts.size()]));
    });
    peer.Note("dijkstra_shortest_paths with predecessors, stopped at the target, 1 thread");
  }
  return true;
}

}  // namespace plexus::peers
