// Our side of forest, cuts, dominators and flow, on a snapshot.
#include "algorithms/connectivity/biconnectivity.h"
#include "algorithms/connectivity/dominators.h"
#include "algorithms/connectivity/max_flow.h"
#include "algorithms/connectivity/spanning_forest.h"
#include "bench/graphs/random_graph.h"
#include "bench/peers/connectivity.h"
#include "bench/peers/plexus_graph.h"
#include "bench/support.h"
#include "engine/graph.h"
#include "engine/vocabulary.h"

namespace plexus::peers {
namespace {

using bench::Must;

}  // namespace

Snapshot LoadLinks(const Arcs& arcs, Executor& executor) {
  GraphOptions options;
  options.executor = &executor;
  const auto graph = Graph::InMemory(options);
  bench::AddNodes(*graph, arcs.nodes);
  constexpr std::size_t kStep = 1 << 20;
  for (std::size_t first = 0; first < arcs.sources.size(); first += kStep) {
    const std::size_t end = std::min(arcs.sources.size(), first + kStep);
    WriteBatch batch(bench::kBenchTime);
    batch.ReserveEdges(end - first);
    for (std::size_t i = first; i < end; ++i)
      batch.Link(NodeRef::Id(arcs.sources[i]), kLink, NodeRef::Id(arcs.targets[i]),
                 arcs.weights[i]);
    Must(graph->Apply(batch), "adding edges");
  }
  Must(graph->Compact(), "compacting");
  return graph->snapshot();
}

bool Connections(Peer& peer, const Arcs& all) {
  const std::string& work = peer.work();
  if (!IsConnectionWork(work)) return false;
  Executor& executor = bench::ExecutorOf(peer.threads());
  const Arcs arcs = ArcsFor(work, all);
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  const Snapshot graph = peer.Load([&] { return LoadLinks(arcs, executor); });
  if (work == "forest") {
    SpanningForestOptions options;
    options.run.executor = &executor;
    peer.Trials([&] { return Must(SpanningForest(graph, options), "forest"); },
                [](const SpanningForestResult& r) {
                  return Answer{static_cast<double>(r.trees), r.weight};
                });
    peer.Note("filter-Kruskal, edges with kind and label");
  }
  if (work == "cuts") {
    peer.Trials([&] { return Must(CutPoints(graph), "cuts"); },
                [](const CutPointsResult& r) {
                  Bridges bridges;
                  for (const PathEdge& e : r.bridges) bridges.emplace_back(e.source, e.target);
                  return CutsAnswer(r.points, std::move(bridges));
                });
    peer.Note("Hopcroft-Tarjan, both in one search, 1 thread");
  }
  if (work == "dominators") {
    peer.Trials([&] { return Must(plexus::Dominators(graph, starts[0]), "dominators"); },
                [](const DominatorsResult& r) {
                  Answer answer;
                  for (const NodeId d : r.dominators)
                    answer.push_back(d == kNoNode ? -1.0 : static_cast<double>(d));
                  return answer;
                });
    peer.Note("Lengauer-Tarjan, and what each node dominates, 1 thread");
  }
  if (work == "flow") {
    MaxFlowOptions options;
    options.run.executor = &executor;
    peer.Trials([&] { return Must(MaxFlow(graph, starts[0], starts[1], options), "flow"); },
                [](const MaxFlowResult& r) { return Answer{r.flow}; });
    peer.Note(
        "Boost's boykov_kolmogorov on whole numbers, the part between the two; the cut, too; the "
        "network made in the time");
  }
  return true;
}

}  // namespace plexus::peers
