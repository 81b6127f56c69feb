// FlatGraph: what the oracles run on, a plain list of arcs.
//
// Made from a test's own record of what it wrote, never from the engine's arrays,
// so that an oracle shares no code with what it judges. Slow on purpose.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "engine/types.h"

namespace plexus::reference {

struct FlatArc {
  NodeId from, to;  // in the edge's direction; a symmetric edge is listed both ways
  EdgeKindId kind;
  float weight;
  std::int64_t created_at;
  bool mirrored;  // the second listing of a symmetric edge
};

struct FlatGraph {
  std::vector<bool> selected;  // by NodeId
  std::vector<FlatArc> arcs;   // both ends selected

  NodeId node_count() const { return static_cast<NodeId>(selected.size()); }
};

// The arcs as they are walked: out as they are, in reversed, both = out and then
// reversed, symmetric edges and loops once.
inline std::vector<FlatArc> Walkable(const FlatGraph& graph, Direction direction) {
  std::vector<FlatArc> arcs;
  if (direction != Direction::kIn) arcs = graph.arcs;
  if (direction == Direction::kOut) return arcs;
  std::vector<bool> symmetric;
  for (const FlatArc& a : graph.arcs)
    if (a.mirrored) {
      if (symmetric.size() <= a.kind) symmetric.resize(a.kind.value() + 1u);
      symmetric[a.kind] = true;
    }
  for (FlatArc a : graph.arcs) {
    const bool both_ways = a.kind < symmetric.size() && symmetric[a.kind];
    if (direction == Direction::kBoth && (both_ways || a.from == a.to)) continue;
    std::swap(a.from, a.to);
    arcs.push_back(a);
  }
  return arcs;
}

// Who is next to whom, each once, loops left out.
inline std::vector<std::set<NodeId>> Near(const FlatGraph& graph, Direction direction) {
  std::vector<std::set<NodeId>> near(graph.node_count());
  for (const FlatArc& a : Walkable(graph, direction))
    if (a.from != a.to) near[a.from].insert(a.to);
  return near;
}

}  // namespace plexus::reference
