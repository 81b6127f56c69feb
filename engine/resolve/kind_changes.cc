// Resolving a batch, fourth part: nodes of another kind than before.
//
// An edge is checked against its ends' kinds when it is written. When a node takes another
// kind, the edges it keeps are checked again: else the graph would hold what Apply refuses,
// and what was exported could not be imported.
#include <algorithm>
#include <tuple>

#include "engine/resolve/batch_resolver.h"

namespace plexus {

// Whether the batch, decided by now, removes the edge. The record's edges are in this order.
bool BatchResolver::Removes(const Edge& edge) const {
  const auto identity = [](const auto& e) {
    return std::tuple(e.source, e.kind, e.target, e.label);
  };
  const auto at = std::lower_bound(
      record_.edges.begin(), record_.edges.end(), edge,
      [&](const EdgeChange& a, const Edge& b) { return identity(a) < identity(b); });
  return at != record_.edges.end() && identity(*at) == identity(edge) && at->tombstone();
}

Status BatchResolver::CheckRetyped() {
  for (const Pending& p : old_nodes_) {
    const NodeKindId before = now_.node_kind(p.node);
    if (p.kind == before || !schema().DemandsKind(before)) continue;
    Status kept;  // until an edge says otherwise
    for (const Direction direction : {Direction::kOut, Direction::kIn})
      now_.ForEachArc(direction, p.node, ArcFilter::All(), [&](const Arc& arc) {
        const EdgeKind& kind = schema().edge_kind(arc.kind);
        const bool is_source = direction == Direction::kOut;
        if ((is_source ? kind.source_kind : kind.target_kind) != before) return true;
        const Edge edge = now_.edge(arc, p.node);
        if (Removes(edge)) return true;
        kept = Invalid("node '", KeyOf(p.node), "' cannot become of kind '",
                       schema().node_kind(p.kind).name, "': its edge '", KeyOf(edge.source), "' ",
                       kind.name, " '", KeyOf(edge.target), "' wants it to be of kind '",
                       schema().node_kind(before).name, "'");
        return false;
      });
    PLEXUS_TRY(kept);
  }
  return {};
}

}  // namespace plexus
