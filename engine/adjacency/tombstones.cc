// Rows of both directions, sorted as records are.
#include "engine/adjacency/tombstones.h"

#include <algorithm>
#include <utility>

#include "engine/adjacency/run.h"

namespace plexus {

std::vector<EdgeChange> TombstonesOf(const Snapshot& now, std::span<const NodeId> nodes,
                                     const ArcFilter& filter) {
  std::vector<EdgeChange> edges;
  for (const NodeId node : nodes) {
    if (node >= now.node_count()) continue;
    for (const Direction direction : {Direction::kOut, Direction::kIn})
      now.ForEachArc(direction, node, filter, [&](const Arc& arc) {
        const Edge edge = now.edge(arc, node);
        EdgeChange gone;
        gone.source = edge.source;
        gone.target = edge.target;
        gone.label = edge.label;
        gone.kind = edge.kind;
        gone.weight = 0;
        gone.flags = EdgeChange::kTombstone;
        if (now.schema().edge_kind(gone.kind).symmetric && gone.source > gone.target)
          std::swap(gone.source, gone.target);
        edges.push_back(gone);
      });
  }
  std::sort(edges.begin(), edges.end(), IdentityLess);
  const auto same = [](const EdgeChange& a, const EdgeChange& b) {
    return !IdentityLess(a, b) && !IdentityLess(b, a);
  };
  edges.erase(std::unique(edges.begin(), edges.end(), same), edges.end());
  return edges;
}

}  // namespace plexus
