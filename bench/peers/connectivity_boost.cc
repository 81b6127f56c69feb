// forest, cuts, dominators and flow by Boost.Graph on its own graphs, one thread. Its
// dominator tree takes unreached nodes for the root, so those are left out while loading,
// and it recurses; its flow wants a way back of capacity 0 beside every arc.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // boykov_kolmogorov's own iterators
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>
#include <numeric>

#include "bench/peers/connectivity.h"

namespace plexus::peers {
namespace {

using Undirected =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                          boost::property<boost::edge_index_t, std::uint32_t,
                                          boost::property<boost::edge_weight_t, double>>>;
using Directed = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

void Forest(Peer& peer, const Arcs& arcs, const Undirected& g) {
  peer.Trials(
      [&] {
        std::vector<Undirected::edge_descriptor> chosen;
        boost::kruskal_minimum_spanning_tree(g, std::back_inserter(chosen));
        return chosen;
      },
      [&](const auto& chosen) {
        double weight = 0;
        for (const auto& e : chosen) weight += get(boost::edge_weight, g, e);
        return Answer{static_cast<double>(arcs.nodes) - static_cast<double>(chosen.size()), weight};
      });
  peer.Note("kruskal_minimum_spanning_tree, adjacency_list, 1 thread");
}

void Cuts(Peer& peer, const Undirected& g) {
  struct Found {
    std::vector<std::uint32_t> points, blocks;
  };
  peer.Trials(
      [&] {
        Found found;
        found.blocks.resize(num_edges(g));
        boost::biconnected_components(
            g, boost::make_iterator_property_map(found.blocks.begin(), get(boost::edge_index, g)),
            std::back_inserter(found.points));
        return found;
      },
      [&](const Found& found) {  // a bridge is a block of one edge
        std::vector<std::uint32_t> sizes(num_edges(g) + 1);
        for (std::uint32_t block : found.blocks) ++sizes[block];
        Bridges bridges;
        for (const auto& e : boost::make_iterator_range(edges(g)))
          if (sizes[found.blocks[get(boost::edge_index, g, e)]] == 1)
            bridges.emplace_back(static_cast<std::uint32_t>(source(e, g)),
                                 static_cast<std::uint32_t>(target(e, g)));
        return CutsAnswer(found.points, std::move(bridges));
      });
  peer.Note("biconnected_components with articulation points, adjacency_list, 1 thread");
}

void DominatorsOf(Peer& peer, const Arcs& arcs, std::uint32_t root) {
  const auto g = peer.Load([&] {
    const auto offsets = Offsets(arcs);
    std::vector<bool> reached(arcs.nodes);
    std::vector<std::uint32_t> queue = {root};
    reached[root] = true;
    Directed made(arcs.nodes);
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (std::uint32_t a = offsets[queue[i]]; a < offsets[queue[i] + 1]; ++a) {
        add_edge(queue[i], arcs.targets[a], made);
        if (reached[arcs.targets[a]]) continue;
        reached[arcs.targets[a]] = true;
        queue.push_back(arcs.targets[a]);
      }
    return made;
  });
  peer.Trials(
      [&] {
        std::vector<std::size_t> dominators(arcs.nodes,
                                            boost::graph_traits<Directed>::null_vertex());
        boost::lengauer_tarjan_dominator_tree(
            g, root,
            boost::make_iterator_property_map(dominators.begin(), get(boost::vertex_index, g)));
        return dominators;
      },
      [&](const std::vector<std::size_t>& dominators) {
        Answer answer;
        for (std::size_t d : dominators)
          answer.push_back(
              d == boost::graph_traits<Directed>::null_vertex() ? -1.0 : static_cast<double>(d));
        return answer;
      });
  peer.Note("lengauer_tarjan_dominator_tree, adjacency_list, unreached nodes left out, 1 thread");
}

using FlowTraits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using FlowGraph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS,
    boost::property<
        boost::vertex_color_t, boost::default_color_type,
        boost::property<boost::vertex_distance_t, long,
                        boost::property<boost::vertex_predecessor_t, FlowTraits::edge_descriptor>>>,
    boost::property<
        boost::edge_capacity_t, double,
        boost::property<boost::edge_residual_capacity_t, double,
                        boost::property<boost::edge_reverse_t, FlowTraits::edge_descriptor>>>>;

void Flow(Peer& peer, const Arcs& arcs, std::uint32_t source, std::uint32_t sink) {
  auto g = peer.Load([&] {
    FlowGraph made(arcs.nodes);
    for (std::size_t i = 0; i < arcs.sources.size(); ++i) {
      if (arcs.sources[i] > arcs.targets[i]) continue;  // both ways in one pair
      const auto there = add_edge(arcs.sources[i], arcs.targets[i], made).first;
      const auto back = add_edge(arcs.targets[i], arcs.sources[i], made).first;
      for (const auto& e : {there, back})
        put(boost::edge_capacity, made, e, static_cast<double>(arcs.weights[i]));
      put(boost::edge_reverse, made, there, back);
      put(boost::edge_reverse, made, back, there);
    }
    return made;
  });
  peer.Trials([&] { return Answer{boost::boykov_kolmogorov_max_flow(g, source, sink)}; });
  peer.Note("boykov_kolmogorov_max_flow, adjacency_list, f64, 1 thread");
}

}  // namespace

bool Connections(Peer& peer, const Arcs& all) {
  const std::string& work = peer.work();
  if (!IsConnectionWork(work)) return false;
  const Arcs arcs = ArcsFor(work, all);
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  if (EachEdgeOnce(work)) {
    const auto g = peer.Load([&] {
      Undirected made(arcs.nodes);
      for (std::uint32_t i = 0; i < arcs.sources.size(); ++i)
        add_edge(arcs.sources[i], arcs.targets[i], {i, static_cast<double>(arcs.weights[i])}, made);
      return made;
    });
    work == "forest" ? Forest(peer, arcs, g) : Cuts(peer, g);
  } else if (work == "dominators") {
    DominatorsOf(peer, arcs, starts[0]);
  } else {
    Flow(peer, arcs, starts[0], starts[1]);
  }
  return true;
}

}  // namespace plexus::peers
