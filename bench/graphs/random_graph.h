// Random live graphs for benches, built through the public interface only.
//
// Nodes "n0", "n1", ... of kind node; edges of kind link between uniformly drawn ends
// with weights in (0, 1], from a fixed seed: the same arguments give the same graph.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/graphs/agent_graph.h"
#include "engine/bulk/topology.h"
#include "engine/graph.h"

namespace plexus::bench {

inline constexpr std::int64_t kBenchTime = 1'700'000'000'000;

// Distinct pairs without self-loops, in random order; `seed` picks the stream.
std::vector<NodePair> DistinctPairs(NodeId nodes, std::size_t count, std::uint64_t seed);
// In (0, 1], a function of the pair alone.
float WeightOf(const NodePair& pair);

// Adds nodes "n0" ... in batches; ends the program on an error.
void AddNodes(Graph& graph, NodeId nodes);
// Adds pairs[first, last) as link edges in batches of `batch`.
void AddEdges(Graph& graph, const std::vector<NodePair>& pairs, std::size_t first, std::size_t last,
              std::size_t batch);
// In RAM, compacted.
std::unique_ptr<Graph> GraphOf(NodeId nodes, const std::vector<NodePair>& pairs);
std::unique_ptr<Graph> GraphOf(const AgentGraph& agents);

// Vectors of `dimensions` normal random numbers in the space "default", keys "0", "1", ...; around
// so many centres where that is not 0.
void AddVectors(Graph& graph, std::size_t rows, std::uint32_t dimensions, std::size_t clusters);

}  // namespace plexus::bench
