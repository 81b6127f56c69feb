// Strong components of the graph that a short list of edges makes.
// Private to algorithms/memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/connectivity/connectivity.h"
#include "engine/types.h"

namespace plexus::memory::internal {

struct EdgeComponents {
  std::vector<NodeId> nodes;              // ends of the edges, ascending
  std::vector<std::uint32_t> components;  // parallel, numbered as StrongComponents() numbers them

  std::uint32_t place(NodeId node) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(nodes, node) - nodes.begin());
  }
  // REQUIRES an end of an edge.
  std::uint32_t of(NodeId node) const { return components[place(node)]; }
};

// Of (source, target); sorts them. O(edges log edges).
inline EdgeComponents ComponentsOf(std::vector<std::pair<NodeId, NodeId>> edges) {
  EdgeComponents graph;
  for (const auto& [source, target] : edges)
    graph.nodes.insert(graph.nodes.end(), {source, target});
  std::ranges::sort(graph.nodes);
  graph.nodes.erase(std::unique(graph.nodes.begin(), graph.nodes.end()), graph.nodes.end());
  std::ranges::sort(edges);
  std::vector<std::uint32_t> offsets(graph.nodes.size() + 1), targets;
  targets.reserve(edges.size());
  for (const auto& [source, target] : edges) {
    ++offsets[graph.place(source) + 1];
    targets.push_back(graph.place(target));
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  graph.components = connectivity::StrongComponents(offsets, targets);
  return graph;
}

}  // namespace plexus::memory::internal
