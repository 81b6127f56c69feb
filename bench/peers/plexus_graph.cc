// Loading through the public interface, as a user would.
#include "bench/peers/plexus_graph.h"

#include <algorithm>

#include "bench/graphs/random_graph.h"
#include "bench/support.h"
#include "engine/vocabulary.h"

namespace plexus::peers {

using bench::Must;

Edges ReadEdges(const Peer& peer) {
  Edges edges;
  edges.nodes = ReadNumber<NodeId>(peer / "nodes.u32");
  edges.sources = ReadArray<NodeId>(peer / "sources.u32");
  edges.targets = ReadArray<NodeId>(peer / "targets.u32");
  if (!Exists(peer / "weights.f32")) return edges;
  edges.weights = ReadArray<float>(peer / "weights.f32");
  edges.kinds = ReadArray<std::uint8_t>(peer / "kinds.u8");
  return edges;
}

void Fill(Graph& graph, const Edges& edges) {
  bench::AddNodes(graph, edges.nodes);
  constexpr std::size_t kStep = 1 << 20;
  for (std::size_t first = 0; first < edges.sources.size(); first += kStep) {
    const std::size_t end = std::min(edges.sources.size(), first + kStep);
    WriteBatch batch(bench::kBenchTime);
    batch.ReserveEdges(end - first);
    for (std::size_t i = first; i < end; ++i)
      batch.Link(NodeRef::Id(edges.sources[i]),
                 edges.kinds.empty() ? builtin::kLink : EdgeKindId{edges.kinds[i]},
                 NodeRef::Id(edges.targets[i]), edges.weight(i));
    Must(graph.Apply(batch), "adding edges");
  }
  Must(graph.Compact(), "compacting");
}

Snapshot InRam(const Edges& edges, Executor& executor) {
  GraphOptions options;
  options.executor = &executor;
  const auto graph = Graph::InMemory(options);
  Fill(*graph, edges);
  return graph->snapshot();
}

Topology Bare(const Arcs& arcs, bool symmetrize, Executor& executor) {
  std::vector<NodePair> pairs(arcs.sources.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {arcs.sources[i], arcs.targets[i]};
  TopologyOptions options;
  options.symmetrize = symmetrize;
  options.executor = &executor;
  return Must(BuildTopology(arcs.nodes, pairs, options), "building");
}

}  // namespace plexus::peers
