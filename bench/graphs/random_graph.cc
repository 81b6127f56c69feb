// Random live graphs from a fixed seed.
#include "bench/graphs/random_graph.h"

#include <algorithm>
#include <random>
#include <string>
#include <unordered_set>

#include "bench/support.h"
#include "engine/vocabulary.h"

namespace plexus::bench {

std::vector<NodePair> DistinctPairs(NodeId nodes, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::unordered_set<std::uint64_t> seen;
  seen.reserve(count * 2);
  std::vector<NodePair> pairs;
  pairs.reserve(count);
  while (pairs.size() < count) {
    const NodePair pair{static_cast<NodeId>(random() % nodes),
                        static_cast<NodeId>(random() % nodes)};
    if (pair.source == pair.target) continue;
    if (seen.insert(std::uint64_t{pair.source} << 32 | pair.target).second) pairs.push_back(pair);
  }
  return pairs;
}

float WeightOf(const NodePair& pair) {
  const std::uint32_t mixed = (pair.source * 2654435761u) ^ (pair.target * 2246822519u);
  return static_cast<float>((mixed >> 8) + 1) / static_cast<float>(1 << 24);
}

void AddNodes(Graph& graph, NodeId nodes) {
  constexpr NodeId kStep = 1 << 18;
  for (NodeId first = 0; first < nodes; first += kStep) {
    WriteBatch batch(kBenchTime);
    for (NodeId v = first; v < std::min(nodes, first + kStep); ++v)
      batch.UpsertNode(std::to_string(v).insert(0, 1, 'n'));
    Must(graph.Apply(batch), "adding nodes");
  }
}

void AddEdges(Graph& graph, const std::vector<NodePair>& pairs, std::size_t first, std::size_t last,
              std::size_t batch_size) {
  for (std::size_t at = first; at < last; at += batch_size) {
    WriteBatch batch(kBenchTime);
    const std::size_t end = std::min(last, at + batch_size);
    batch.ReserveEdges(end - at);
    for (std::size_t i = at; i < end; ++i)
      batch.Link(NodeRef::Id(pairs[i].source), builtin::kLink, NodeRef::Id(pairs[i].target),
                 WeightOf(pairs[i]));
    Must(graph.Apply(batch), "adding edges");
  }
}

std::unique_ptr<Graph> GraphOf(NodeId nodes, const std::vector<NodePair>& pairs) {
  auto graph = Graph::InMemory();
  AddNodes(*graph, nodes);
  AddEdges(*graph, pairs, 0, pairs.size(), 1 << 20);
  Must(graph->Compact(), "compacting");
  return graph;
}

std::unique_ptr<Graph> GraphOf(const AgentGraph& agents) {
  auto graph = Graph::InMemory();
  AddNodes(*graph, agents.turns);
  WriteBatch batch(kBenchTime);
  for (const AgentEdge& e : agents.edges)
    batch.Link(NodeRef::Id(e.source), e.kind, NodeRef::Id(e.target), e.weight);
  Must(graph->Apply(batch), "adding edges");
  Must(graph->Compact(), "compacting");
  return graph;
}

void AddVectors(Graph& graph, std::size_t rows, std::uint32_t dimensions, std::size_t clusters) {
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> row(dimensions), centres(clusters * dimensions);
  for (float& x : centres) x = normal(random);
  for (std::size_t v = 0; v < rows;) {
    WriteBatch batch(kBenchTime);
    batch.DefineSpace({"default", dimensions, Metric::kCosine});
    for (const std::size_t end = std::min<std::size_t>(rows, v + 50'000); v < end; ++v) {
      const std::size_t centre = clusters > 0 ? random() % clusters * dimensions : 0;
      for (std::size_t i = 0; i < dimensions; ++i)
        row[i] = clusters > 0 ? centres[centre + i] + 0.7f * normal(random) : normal(random);
      batch.SetVector(batch.Node(std::to_string(v)), batch.SpaceNamed("default"), row);
    }
    Must(graph.Apply(batch), "adding vectors");
  }
}

}  // namespace plexus::bench
