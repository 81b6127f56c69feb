// History: what the log says about one node, read from the records that name it.
#include <algorithm>
#include <optional>
#include <vector>

#include "engine/out_of_memory.h"
#include "storage/database_impl.h"
#include "storage/node_history.h"

namespace plexus {

using namespace storage_internal;

std::string_view HistoryWhatName(HistoryEntry::What what) {
  constexpr std::string_view kNames[] = {
      "created",        "kind_set",       "removed",     "purged",          "revived",
      "column_set",     "column_cleared", "payload_set", "payload_cleared", "vector_set",
      "vector_removed", "linked",         "updated",     "unlinked",        "key_forgotten"};
  static_assert(std::size(kNames) == std::size_t(HistoryEntry::What::kKeyForgotten) + 1);
  return kNames[static_cast<std::size_t>(what)];
}

Result<std::vector<HistoryEntry>> Database::History(NodeId node, Progress* progress) try {
  constexpr std::size_t kLookEvery = 16;  // records, some of which are of megabytes
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  if (node >= snapshot().node_count()) return NotFound("there is no node ", node);
  const ReaderLock kept(d.erase_mutex);
  PLEXUS_TRY(d.Usable());
  if (d.journal) PLEXUS_TRY(d.journal->FlushBulk());
  PLEXUS_ASSIGN(const Impl::Reading reading, d.WholeLog());
  std::vector<Sequence> records;
  {
    const MutexLock guard(d.node_records_mutex);
    PLEXUS_TRY(d.node_records.Follow(reading.rocks, reading.request.floor, progress));
    const Sequence end = d.node_records.end().sequence;
    if (d.options.read_only && end < reading.now.sequence())
      return Corrupted(reading.rocks->path(), ": the log ends at record ", end,
                       ", the view has seen ", reading.now.sequence());
    records = d.node_records.Of(node);
  }
  const std::map<NodeId, Sequence> purged = d.Purged();
  NodeHistory history(node, purged);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (i % kLookEvery == 0 && progress && !progress->Report("history", i, records.size()))
      return Cancelled("not all records were read");
    PLEXUS_ASSIGN(Record record, ReadRecordOf(node, reading.rocks, records[i]));
    history.Add(record);
  }
  return history.Take();
}
PLEXUS_CATCH_NO_MEMORY

// --- NodesChanged: where two states of the graph may differ, from the log between them.

namespace {

constexpr std::size_t kFewNodes = 4096;
constexpr std::uint64_t kLookEvery = 16;  // records, some of which are of megabytes

void MakeSet(std::vector<NodeId>& nodes) {
  std::ranges::sort(nodes);
  const auto rest = std::ranges::unique(nodes);
  nodes.erase(rest.begin(), rest.end());
}

}  // namespace

Result<std::optional<std::vector<NodeId>>> Database::NodesChanged(Sequence after, Sequence until,
                                                                  std::size_t most,
                                                                  Progress* progress) try {
  Impl& d = *impl_;
  PLEXUS_TRY(d.Usable());
  const ReaderLock kept(d.erase_mutex);
  PLEXUS_TRY(d.Usable());
  PLEXUS_ASSIGN(const Impl::Reading reading, d.WholeLog());
  for (const Sequence asked : {after, until}) PLEXUS_TRY(d.CheckReached(reading, asked));
  if (d.journal) PLEXUS_TRY(d.journal->FlushBulk());
  for (const auto& [node, purged] : d.Purged())
    if (purged > after) return std::nullopt;
  std::vector<NodeId> nodes;
  if (after >= until) return nodes;
  PLEXUS_ASSIGN(const LogPoint point, PointAt(reading.rocks, reading.request.floor, after));
  LogCursor cursor(reading.rocks, point);
  RecordNodes record;
  std::size_t set_at = kFewNodes;  // so that each node is sorted a few times
  while (cursor.point().sequence < until) {
    const std::uint64_t read = cursor.point().sequence - after;
    if (read % kLookEvery == 0 && progress && !progress->Report("changes", read, until - after))
      return Cancelled("the log was not read to its end");
    PLEXUS_ASSIGN(const bool more, cursor.NextNodes(record));
    if (!more)
      return Corrupted(reading.rocks->path(), ": the log ends at record ", cursor.point().sequence);
    for (std::uint32_t i = 0; i < record.new_nodes; ++i) nodes.push_back(record.first_node + i);
    nodes.insert(nodes.end(), record.named.begin(), record.named.end());
    if (nodes.size() < set_at) continue;
    MakeSet(nodes);
    if (nodes.size() > most) return std::nullopt;
    set_at = 2 * nodes.size() + kFewNodes;
  }
  MakeSet(nodes);
  if (nodes.size() > most) return std::nullopt;
  return nodes;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus

// --- NodeHistory: the changes of one record, in their order.

namespace plexus::storage_internal {

namespace {

using What = HistoryEntry::What;
// By NodeChange::What.
constexpr What kChanged[] = {What::kKindSet, What::kRemoved, What::kPurged, What::kRevived,
                             What::kKeyForgotten};

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
    if (c.node != node || c.what > NodeChange::kForget) continue;
    HistoryEntry& e = push(kChanged[c.what]);
    if (c.what == NodeChange::kSetKind) e.node_kind = NodeKindId(c.value);
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

void AddChanges(const Record& r, NodeId node, std::vector<HistoryEntry>& out) {
  HistoryEntry base;
  base.sequence = r.sequence;
  base.time_ms = r.time_ms;
  AddNodeChanges(r, node, base, out);
  AddEdgeChanges(r, node, base, out);
}

}  // namespace

void NodeHistory::Add(Record& record) {
  mask_.MoveTo(record.sequence - 1);
  if (!mask_.hides(node_)) {
    mask_.Apply(record);
    return AddChanges(record, node_, entries_);
  }
  std::vector<HistoryEntry> whole;
  AddChanges(record, node_, whole);
  mask_.Apply(record);
  const std::size_t before = entries_.size();
  AddChanges(record, node_, entries_);
  erased_ += whole.size() - (entries_.size() - before);
  if (purged_.at(node_) != record.sequence) return;
  for (std::size_t i = before; i < entries_.size(); ++i)
    if (entries_[i].what == What::kPurged) entries_[i].erased = erased_;
}

}  // namespace plexus::storage_internal
