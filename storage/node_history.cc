// NodeHistory: the changes of one record, in their order.
#include "storage/node_history.h"

namespace plexus::storage_internal {

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
