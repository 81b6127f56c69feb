// Candidates are read from runs, or from whole rows; each is then looked up in both snapshots.
#include "algorithms/memory/decisions/internal/snapshot_change.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/state.h"

namespace plexus::memory::internal {
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
    const engine_internal::RunSide& out = run->out;
    for (std::size_t row = 0; row < out.rows.size(); ++row)
      for (std::uint32_t i = out.offsets[row]; i < out.offsets[row + 1]; ++i) {
        const engine_internal::DeltaArc& arc = out.arcs[i];
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

// When the edge is valid: [from, until). Empty where it is not there.
struct Period {
  std::int64_t from = 0, until = 0;
  bool IsEmpty() const { return from >= until; }
  bool Covers(const Period& other) const {
    return other.IsEmpty() || (from <= other.from && other.until <= until);
  }
};

Period ValidIn(const Snapshot& snapshot, const Identity& e) {
  if (e.source >= snapshot.node_count() || e.target >= snapshot.node_count()) return {};
  if (e.kind >= snapshot.schema().edge_kinds().size()) return {};
  const auto edge = snapshot.FindEdge(e.source, e.kind, e.target, e.label);
  if (!edge) return {};
  using Limits = std::numeric_limits<std::int64_t>;
  return {edge->valid_from == kNoTime ? Limits::min() : edge->valid_from,
          edge->valid_until == kNoTime ? Limits::max() : edge->valid_until};
}

}  // namespace

std::vector<ChangedEdge> EdgeChanges(const Snapshot& before, const Snapshot& after,
                                     const ArcFilter& kinds) {
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
    const Period was = ValidIn(before, e), is = ValidIn(after, e);
    if (!is.Covers(was)) changes.push_back({e.source, e.target, e.kind, e.label, false});
    if (!was.Covers(is)) changes.push_back({e.source, e.target, e.kind, e.label, true});
  }
  return changes;
}

}  // namespace plexus::memory::internal
