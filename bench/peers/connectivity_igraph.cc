// forest, cuts, dominators and flow by igraph's C library, one thread.
#include <igraph/igraph.h>

#include "bench/peers/connectivity.h"

namespace plexus::peers {
namespace {

struct Weighted {
  igraph_t graph;
  igraph_vector_t weights;
};

void Load(const Arcs& arcs, bool directed, Weighted& to) {
  igraph_vector_int_t edges;
  igraph_vector_int_init(&edges, static_cast<igraph_integer_t>(2 * arcs.sources.size()));
  igraph_vector_init(&to.weights, static_cast<igraph_integer_t>(arcs.sources.size()));
  for (std::size_t i = 0; i < arcs.sources.size(); ++i) {
    VECTOR(edges)[2 * i] = arcs.sources[i];
    VECTOR(edges)[2 * i + 1] = arcs.targets[i];
    VECTOR(to.weights)[i] = static_cast<double>(arcs.weights[i]);
  }
  igraph_create(&to.graph, &edges, arcs.nodes, directed);
  igraph_vector_int_destroy(&edges);
}

std::vector<std::uint32_t> Taken(igraph_vector_int_t& list) {
  std::vector<std::uint32_t> values(VECTOR(list), VECTOR(list) + igraph_vector_int_size(&list));
  igraph_vector_int_destroy(&list);
  return values;
}

}  // namespace

bool Connections(Peer& peer, const Arcs& all) {
  const std::string& work = peer.work();
  if (!IsConnectionWork(work)) return false;
  const Arcs arcs = ArcsFor(work, all);
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  static Weighted g;
  peer.Load([&] {
    Load(arcs, !EachEdgeOnce(work), g);
    return 0;
  });
  if (work == "forest") {
    peer.Trials(
        [&] {
          igraph_vector_int_t chosen;
          igraph_vector_int_init(&chosen, 0);
          igraph_minimum_spanning_tree(&g.graph, &chosen, &g.weights);
          return Taken(chosen);
        },
        [&](const std::vector<std::uint32_t>& chosen) {
          double weight = 0;
          for (std::uint32_t e : chosen) weight += VECTOR(g.weights)[e];
          return Answer{static_cast<double>(arcs.nodes) - static_cast<double>(chosen.size()),
                        weight};
        });
    peer.Note("igraph_minimum_spanning_tree with weights (Prim), edge numbers, 1 thread");
  }
  if (work == "cuts") {
    peer.Trials(
        [&] {
          igraph_vector_int_t points, bridges;
          igraph_vector_int_init(&points, 0);
          igraph_vector_int_init(&bridges, 0);
          igraph_articulation_points(&g.graph, &points);
          igraph_bridges(&g.graph, &bridges);
          return std::pair(Taken(points), Taken(bridges));
        },
        [&](const auto& found) {
          Bridges bridges;
          for (std::uint32_t e : found.second)
            bridges.emplace_back(arcs.sources[e], arcs.targets[e]);
          return CutsAnswer(found.first, std::move(bridges));
        });
    peer.Note("igraph_articulation_points, then igraph_bridges, 1 thread");
  }
  if (work == "dominators") {
    peer.Trials([&] {
      igraph_vector_int_t dominators;
      igraph_vector_int_init(&dominators, 0);
      igraph_dominator_tree(&g.graph, starts[0], &dominators, nullptr, nullptr, IGRAPH_OUT);
      Answer answer;
      for (igraph_integer_t v = 0; v < igraph_vector_int_size(&dominators); ++v)
        answer.push_back(VECTOR(dominators)[v] < 0 ? -1.0
                                                   : static_cast<double>(VECTOR(dominators)[v]));
      igraph_vector_int_destroy(&dominators);
      return answer;
    });
    peer.Note("igraph_dominator_tree, 1 thread");
  }
  if (work == "flow") {
    peer.Trials([&] {
      double flow = 0;
      igraph_maxflow_value(&g.graph, &flow, starts[0], starts[1], &g.weights, nullptr);
      return Answer{flow};
    });
    peer.Note("igraph_maxflow_value, the value alone, 1 thread");
  }
  return true;
}

}  // namespace plexus::peers
