// History: what the log says about one node.
#include "engine/out_of_memory.h"
#include "storage/database_impl.h"
#include "storage/purge/purge_mask.h"

namespace plexus {

using namespace storage_internal;

namespace {

using What = HistoryEntry::What;

void AddNodeChanges(const Record& r, NodeId node, HistoryEntry base,
                    std::vector<HistoryEntry>& out) {
  auto push = [&](What what) -> HistoryEntry& {
    out.push_back(base);
    out.back().what = what;
    return out.back();
  };
  if (node >= r.first_node && node - r.first_node < r.node_kinds.size())
    push(What::kCreated).node_kind = NodeKindId(r.node_kinds[node - r.first_node]);
  for (const NodeChange& c : r.node_changes) {
    if (c.node != node) continue;
    switch (c.what) {
      case NodeChange::kSetKind:
        push(What::kKindSet).node_kind = NodeKindId(c.value);
        break;
      case NodeChange::kRemove:
        push(What::kRemoved);
        break;
      case NodeChange::kPurge:
        push(What::kPurged);
        break;
      case NodeChange::kRevive:
        push(What::kRevived);
        break;
      case NodeChange::kForget:
        push(What::kKeyForgotten);
        break;
    }
  }
  for (const ColumnChange& c : r.columns) {
    if (c.node != node) continue;
    HistoryEntry& e = push(c.cleared ? What::kColumnCleared : What::kColumnSet);
    e.column = c.column;
    e.bits = c.bits;
  }
  for (const PayloadChange& c : r.payload_changes) {
    if (c.node != node || c.field >= kNodeFieldCount) continue;
    HistoryEntry& e = push(c.ref ? What::kPayloadSet : What::kPayloadCleared);
    e.field = static_cast<NodeField>(c.field);
    e.ref = c.ref;
  }
  for (const VectorChange& c : r.vectors) {
    if (c.node != node) continue;
    HistoryEntry& e = push(c.ref ? What::kVectorSet : What::kVectorRemoved);
    e.space = static_cast<SpaceId>(c.space);
    e.ref = c.ref;
  }
}

void AddEdgeChanges(const Record& r, NodeId node, HistoryEntry base,
                    std::vector<HistoryEntry>& out) {
  std::size_t x = 0;
  for (std::size_t i = 0; i < r.edges.size(); ++i) {
    const EdgeChange& edge = r.edges[i];
    while (x < r.edge_extras.size() && r.edge_extras[x].index < i) ++x;
    if (edge.source != node && edge.target != node) continue;
    HistoryEntry e = base;
    e.what = edge.tombstone() ? What::kUnlinked : edge.is_new() ? What::kLinked : What::kUpdated;
    e.edge_kind = edge.kind;
    e.label = edge.label;
    e.weight = edge.weight;
    e.direction = edge.source == node ? Direction::kOut : Direction::kIn;
    e.other = edge.source == node ? edge.target : edge.source;
    if (x < r.edge_extras.size() && r.edge_extras[x].index == i)
      e.ref = r.edge_extras[x].properties;
    out.push_back(e);
  }
}

}  // namespace

std::string_view HistoryWhatName(What what) {
  switch (what) {
    case What::kCreated:
      return "created";
    case What::kKindSet:
      return "kind_set";
    case What::kRemoved:
      return "removed";
    case What::kPurged:
      return "purged";
    case What::kRevived:
      return "revived";
    case What::kColumnSet:
      return "column_set";
    case What::kColumnCleared:
      return "column_cleared";
    case What::kPayloadSet:
      return "payload_set";
    case What::kPayloadCleared:
      return "payload_cleared";
    case What::kVectorSet:
      return "vector_set";
    case What::kVectorRemoved:
      return "vector_removed";
    case What::kLinked:
      return "linked";
    case What::kUpdated:
      return "updated";
    case What::kUnlinked:
      return "unlinked";
    case What::kKeyForgotten:
      return "key_forgotten";
  }
  return "unknown";
}

Result<std::vector<HistoryEntry>> Database::History(NodeId node, Progress* progress) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  if (node >= snapshot().node_count())
    return Fail(ErrorCode::kNotFound, "there is no node " + std::to_string(node));
  PLEXUS_ASSIGN(const auto kept, d.KeepHistory());
  if (d.journal) PLEXUS_TRY(d.journal->FlushBulk());
  PLEXUS_ASSIGN(const Impl::Reading reading, d.WholeLog());
  // Of what a purge erased only the number is given, of the node itself and of those that it was
  // linked with.
  const std::map<NodeId, Sequence> purged = d.Purged();
  PurgeMask mask(purged, 0);
  std::uint64_t erased = 0;
  std::vector<HistoryEntry> entries;
  LogCursor cursor(reading.rocks, reading.request.floor);
  for (std::uint64_t read = 0;; ++read) {
    if (read % 256 == 0 && progress && !progress->Report("history", read, snapshot().sequence()))
      return Fail(ErrorCode::kCancelled, "the log was not read to its end");
    PLEXUS_ASSIGN(const bool more, cursor.Next());
    if (!more && d.options.read_only && cursor.point().sequence < reading.now.sequence())
      return Fail(ErrorCode::kCorruption, reading.rocks->path() + ": the log ends at record " +
                                              std::to_string(cursor.point().sequence) +
                                              ", the view has seen " +
                                              std::to_string(reading.now.sequence()));
    if (!more) return entries;
    Record& r = cursor.record().record;
    HistoryEntry base;
    base.sequence = r.sequence;
    base.time_ms = r.time_ms;
    auto append = [&](std::vector<HistoryEntry>& out) {
      AddNodeChanges(r, node, base, out);
      AddEdgeChanges(r, node, base, out);
    };
    mask.MoveTo(r.sequence - 1);
    if (!mask.hides(node)) {
      mask.Apply(r);
      append(entries);
      continue;
    }
    std::vector<HistoryEntry> whole;
    append(whole);
    mask.Apply(r);
    const std::size_t before = entries.size();
    append(entries);
    erased += whole.size() - (entries.size() - before);
    if (purged.at(node) == r.sequence)
      for (std::size_t i = before; i < entries.size(); ++i)
        if (entries[i].what == What::kPurged) entries[i].erased = erased;
  }
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
