// Our side of forest, cuts, dominators and flow, on a snapshot.
#include "algorithms/connectivity/connectivity.h"
#include "bench/peers/connectivity.h"
#include "bench/peers/plexus_graph.h"
#include "bench/support.h"

namespace plexus::peers {

using bench::Must;

bool Connections(Peer& peer, const Arcs& all) {
  if (!IsConnectionWork(peer.work())) return false;
  Executor& executor = bench::ExecutorOf(peer.threads());
  const Edges arcs = {WeightedArcs(all, EachEdgeOnce(peer.work()))};
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  const Snapshot graph = peer.Load([&] { return InRam(arcs, executor); });
  return peer.RunOneOf(
      {{"forest", "filter-Kruskal, edges with kind and label",
        [&] {
          peer.Trials(
              [&] {
                return Must(connectivity::SpanningForest(
                                graph, On<connectivity::SpanningForestOptions>(executor)),
                            "forest");
              },
              [](const connectivity::SpanningForestResult& r) {
                return Answer{static_cast<double>(r.trees), r.weight};
              });
        }},
       {"cuts", "Hopcroft-Tarjan, both in one search, 1 thread",
        [&] {
          peer.Trials([&] { return Must(connectivity::CutPoints(graph), "cuts"); },
                      [](const connectivity::CutPointsResult& r) {
                        Bridges bridges;
                        for (const PathEdge& e : r.bridges)
                          bridges.emplace_back(e.source, e.target);
                        return CutsAnswer(r.points, std::move(bridges));
                      });
        }},
       {"dominators", "Lengauer-Tarjan, and what each node dominates, 1 thread",
        [&] {
          peer.Trials(
              [&] {
                return Must(plexus::connectivity::Dominators(graph, starts[0]), "dominators");
              },
              [](const connectivity::DominatorsResult& r) {
                Answer answer;
                for (const NodeId d : r.dominators)
                  answer.push_back(d == kNoNode ? -1.0 : static_cast<double>(d));
                return answer;
              });
        }},
       {"flow",
        "Boost's boykov_kolmogorov on whole numbers, the part between the two; the cut, too; the "
        "network made in the time",
        [&] {
          peer.Trials(
              [&] {
                return Must(connectivity::MaxFlow(graph, starts[0], starts[1],
                                                  On<connectivity::MaxFlowOptions>(executor)),
                            "flow");
              },
              [](const connectivity::MaxFlowResult& r) { return Answer{r.flow}; });
        }}});
}

}  // namespace plexus::peers
