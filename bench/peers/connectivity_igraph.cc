// forest, cuts, dominators and flow by igraph's C library, one thread.
#include "bench/peers/connectivity.h"
#include "bench/peers/igraph_graph.h"

namespace plexus::peers {

bool Connections(Peer& peer, const Arcs& all) {
  const std::string& work = peer.work();
  if (!IsConnectionWork(work)) return false;
  const Arcs arcs = WeightedArcs(all, EachEdgeOnce(work));
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  const auto loaded =
      peer.Load([&] { return std::make_unique<IgraphArcs>(arcs, !EachEdgeOnce(work), true); });
  const igraph_t* graph = &loaded->graph;
  const igraph_vector_t* weights = &loaded->weights;
  return peer.RunOneOf(
      {{"forest", "igraph_minimum_spanning_tree with weights (Prim), edge numbers, 1 thread",
        [&] {
          peer.Trials(
              [&] {
                return FilledInt(
                    [&](auto* to) { return igraph_minimum_spanning_tree(graph, to, weights); });
              },
              [&](const auto& chosen) {
                double weight = 0;
                for (const igraph_integer_t e : chosen) weight += VECTOR(*weights)[e];
                return Answer{static_cast<double>(arcs.nodes) - static_cast<double>(chosen.size()),
                              weight};
              });
        }},
       {"cuts", "igraph_articulation_points, then igraph_bridges, 1 thread",
        [&] {
          peer.Trials(
              [&] {
                return std::pair(
                    FilledInt([&](auto* to) { return igraph_articulation_points(graph, to); }),
                    FilledInt([&](auto* to) { return igraph_bridges(graph, to); }));
              },
              [&](const auto& found) {
                Bridges bridges;
                for (const igraph_integer_t e : found.second)
                  bridges.emplace_back(arcs.sources[e], arcs.targets[e]);
                return CutsAnswer({found.first.begin(), found.first.end()}, std::move(bridges));
              });
        }},
       {"dominators", "igraph_dominator_tree, 1 thread",
        [&] {
          peer.Trials([&] {
            Answer answer = AsAnswer(FilledInt([&](auto* to) {
              return igraph_dominator_tree(graph, starts[0], to, nullptr, nullptr, IGRAPH_OUT);
            }));
            for (double& dominator : answer) dominator = std::max(dominator, -1.0);
            return answer;
          });
        }},
       {"flow", "igraph_maxflow_value, the value alone, 1 thread", [&] {
          peer.Trials([&] {
            double flow = 0;
            igraph_maxflow_value(graph, &flow, starts[0], starts[1], weights, nullptr);
            return Answer{flow};
          });
        }}});
}

}  // namespace plexus::peers
