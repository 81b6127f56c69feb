// Candidates are read from runs, or from whole rows; each is then looked up in both snapshots.
#include "algorithms/memory/internal/snapshot_change.h"

#include <algorithm>
#include <utility>

#include "engine/adjacency/run.h"

namespace plexus::memory_internal {
namespace {

struct Identity {
  NodeId source, target;
  EdgeKindId kind;
  StringId label;
  auto operator<=>(const Identity&) const = default;
};

void Add(const Snapshot& snapshot, Identity edge, std::vector<Identity>& found) {
  if (snapshot.schema().edge_kind(edge.kind).symmetric && edge.target < edge.source)
    std::swap(edge.source, edge.target);
  found.push_back(edge);
}

// Arcs of the runs of `in` that `other` does not have.
void AddRuns(const Snapshot& in, const Snapshot& other, const ArcFilter& kinds,
             std::vector<Identity>& found) {
  for (const auto& run : in.state().runs) {
    if (std::ranges::find(other.state().runs, run) != other.state().runs.end()) continue;
    const RunSide& out = run->out;
    for (std::size_t row = 0; row < out.rows.size(); ++row)
      for (std::uint32_t i = out.offsets[row]; i < out.offsets[row + 1]; ++i) {
        const DeltaArc& arc = out.arcs[i];
        if (kinds.allows(arc.kind))
          Add(in, {out.rows[row], arc.neighbor, arc.kind, arc.label}, found);
      }
  }
}

void AddRows(const Snapshot& in, const ArcFilter& kinds, std::vector<Identity>& found) {
  in.ScanArcs(Direction::kOut, 0, in.node_count(), kinds, [&](NodeId row, const Arc& arc) {
    Add(in, {row, arc.neighbor, arc.kind, in.edge(arc, row).label}, found);
  });
}

bool IsValid(const Snapshot& snapshot, const Identity& e, std::int64_t now_ms) {
  if (e.source >= snapshot.node_count() || e.target >= snapshot.node_count()) return false;
  if (e.kind >= snapshot.schema().edge_kinds().size()) return false;
  const auto edge = snapshot.FindEdge(e.source, e.kind, e.target, e.label);
  return edge && (edge->valid_from == kNoTime || edge->valid_from <= now_ms) &&
         (edge->valid_until == kNoTime || now_ms < edge->valid_until);
}

}  // namespace

std::vector<ChangedEdge> EdgeChanges(const Snapshot& before, const Snapshot& after,
                                     const ArcFilter& kinds, std::int64_t now_ms) {
  std::vector<Identity> found;
  if (before.state().base == after.state().base) {
    AddRuns(after, before, kinds, found);
    AddRuns(before, after, kinds, found);
  } else {
    AddRows(before, kinds, found);
    AddRows(after, kinds, found);
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<ChangedEdge> changes;
  for (const Identity& e : found) {
    const bool was = IsValid(before, e, now_ms), is = IsValid(after, e, now_ms);
    if (was != is) changes.push_back({e.source, e.target, e.kind, e.label, is});
  }
  return changes;
}

}  // namespace plexus::memory_internal
