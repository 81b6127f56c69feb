// Searches every term for one arc that keeps it.
#include "storage/purge/orphan_terms.h"

#include "engine/vocabulary.h"

namespace plexus::storage_internal {

std::vector<NodeId> OrphanTerms(const Snapshot& now, const std::set<NodeId>& but) {
  std::vector<NodeId> terms;
  for (NodeId v = 0; v < now.node_count(); ++v) {
    if (now.node_kind(v) != builtin::kTerm || !now.alive(v)) continue;
    bool kept = false;
    now.ForEachArc(Direction::kBoth, v, ArcFilter::All(), [&](const Arc& arc) {
      kept = !but.contains(arc.neighbor);
      return !kept;
    });
    if (!kept) terms.push_back(v);
  }
  return terms;
}

}  // namespace plexus::storage_internal
