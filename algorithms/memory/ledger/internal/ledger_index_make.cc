// Blocks of rows and the room in front; reading events, and the index from nothing.
#include <algorithm>
#include <utility>

#include "algorithms/memory/ledger/internal/ledger_index_value.h"
#include "algorithms/memory/ledger/internal/ledger_read.h"
#include "algorithms/memory/ledger/internal/prior_outcomes.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

NodeId* RowStore::Allocate(std::size_t count) {
  const std::lock_guard lock(mutex_);
  if (count > room_) {
    const std::size_t size = std::max(kBlock, count);
    blocks_.push_back(std::make_unique_for_overwrite<NodeId[]>(size));
    free_ = blocks_.back().get();
    room_ = size;
    allocated_.fetch_add(size * sizeof(NodeId), std::memory_order_relaxed);
  }
  NodeId* const row = free_;
  free_ += count;
  room_ -= count;
  stored_.fetch_add(count, std::memory_order_relaxed);
  return row;
}

const NodeId* RowStore::Store(std::span<const NodeId> ids) {
  if (ids.empty()) return nullptr;
  NodeId* const row = Allocate(ids.size());
  std::ranges::copy(ids, row);
  return row;
}

FrontArray::FrontArray(std::span<const NodeId> ids) : count_(ids.size()) {
  constexpr std::size_t kLeastRoom = 1'024;
  const std::size_t room = std::max(kLeastRoom, ids.size() / 4);
  slots_ = std::make_shared<Slots>();
  slots_->size = room + ids.size();
  slots_->ids = std::make_unique_for_overwrite<NodeId[]>(slots_->size);
  slots_->free = room;
  std::ranges::copy(ids, slots_->ids.get() + room);
  begin_ = slots_->ids.get() + room;
}

FrontArray FrontArray::With(std::span<const NodeId> more) const {
  if (more.empty()) return *this;
  if (slots_) {
    auto before = static_cast<std::size_t>(begin_ - slots_->ids.get());
    if (before >= more.size() &&
        slots_->free.compare_exchange_strong(before, before - more.size())) {
      FrontArray made = *this;
      NodeId* const to = slots_->ids.get() + (before - more.size());
      std::ranges::copy(more, to);
      made.begin_ = to;
      made.count_ += more.size();
      return made;
    }
  }
  std::vector<NodeId> all(more.begin(), more.end());
  all.insert(all.end(), begin_, begin_ + count_);
  return FrontArray(all);
}

std::uint64_t FrontArray::size_bytes() const { return slots_ ? slots_->size * sizeof(NodeId) : 0; }

bool NewerEvent::operator()(NodeId a, NodeId b) const {
  const std::int64_t at = snapshot.i64(builtin::kCreatedAt, a).value_or(kNoTime);
  const std::int64_t bt = snapshot.i64(builtin::kCreatedAt, b).value_or(kNoTime);
  return at != bt ? at > bt : a > b;
}

Result<OutcomeSet> OutcomeOf(const Snapshot& snapshot, NodeId outcome, NodeId event) {
  if (const auto type = TypeInKey(snapshot.key(outcome), snapshot.key(event)))
    return OutcomeBit(*type);
  PLEXUS_ASSIGN(const PropertyMap map, PropertiesOf(snapshot, outcome));
  return OutcomeBit(TextOf(map.root(), "type"));
}

EventReader::EventReader(const Snapshot& snapshot)
    : snapshot_(snapshot),
      members_(ArcFilter::Kind(snapshot.schema(), builtin::kMember)),
      labels_(ArcFilter::Kind(snapshot.schema(), builtin::kLabels)) {}

bool EventReader::IsEvent(NodeId node) const {
  return snapshot_.node_kind(node) == builtin::kEvent && snapshot_.alive(node);
}

Status EventReader::Read(NodeId event, EventRows& rows) const {
  rows.members.clear();
  rows.labels.clear();
  rows.outcomes = 0;
  // Rows are in order of neighbours: one that is there under several labels is in one place.
  const auto add_to = [](std::vector<NodeId>& ids) {
    return [&ids](const Arc& arc) {
      if (ids.empty() || ids.back() != arc.neighbor) ids.push_back(arc.neighbor);
    };
  };
  snapshot_.ForEachArc(Direction::kOut, event, members_, add_to(rows.members));
  snapshot_.ForEachArc(Direction::kIn, event, labels_, add_to(rows.labels));
  for (const NodeId outcome : rows.labels) {
    PLEXUS_ASSIGN(const OutcomeSet type, OutcomeOf(snapshot_, outcome, event));
    rows.outcomes |= type;
  }
  return {};
}

Result<std::shared_ptr<const StoredLedgerIndex>> StoredLedgerIndex::Make(const Snapshot& snapshot,
                                                                         Executor& executor) {
  const EventReader reader(snapshot);
  std::vector<NodeId> events;
  for (NodeId v = 0; v < snapshot.node_count(); ++v)
    if (reader.IsEvent(v)) events.push_back(v);

  // Blocks of events, each with rows of its own.
  constexpr std::size_t kGrain = 1'024;
  struct Block {
    std::vector<NodeId> members, labels;
    std::vector<std::uint32_t> member_counts, label_counts;
    std::vector<OutcomeSet> outcomes;
    Status status;
  };
  std::vector<Block> blocks((events.size() + kGrain - 1) / kGrain);
  ParallelFor(executor, events.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    Block& block = blocks[begin / kGrain];
    EventRows rows;
    for (std::size_t i = begin; i < end; ++i) {
      block.status = reader.Read(events[i], rows);
      if (!block.status) return;
      block.members.insert(block.members.end(), rows.members.begin(), rows.members.end());
      block.labels.insert(block.labels.end(), rows.labels.begin(), rows.labels.end());
      block.member_counts.push_back(static_cast<std::uint32_t>(rows.members.size()));
      block.label_counts.push_back(static_cast<std::uint32_t>(rows.labels.size()));
      block.outcomes.push_back(rows.outcomes);
    }
  });
  std::size_t member_total = 0;
  NodeId last_member = 0;
  for (const Block& block : blocks) {
    PLEXUS_TRY(block.status);
    member_total += block.members.size();
    for (const NodeId m : block.members) last_member = std::max(last_member, m);
  }

  auto made = std::make_shared<StoredLedgerIndex>();
  made->store_ = std::make_shared<RowStore>();
  LedgerRows members, labels, of_members;
  std::vector<std::uint32_t> degrees(member_total ? std::size_t{last_member} + 1 : 0, 0);
  std::vector<OutcomeSet> outcomes(degrees.size(), 0);
  std::size_t at = 0;
  for (const Block& block : blocks) {
    const NodeId* member = made->store_->Store(block.members);
    const NodeId* label = made->store_->Store(block.labels);
    made->live_ += block.members.size() + block.labels.size();
    for (std::size_t i = 0; i < block.outcomes.size(); ++i, ++at) {
      const LedgerRow row{member, block.member_counts[i], 0};
      for (const NodeId m : row.ids()) {
        ++degrees[m];
        outcomes[m] |= block.outcomes[i];
      }
      if (row.count) members.Set(events[at], row);
      if (block.label_counts[i])
        labels.Set(events[at], {label, block.label_counts[i], block.outcomes[i]});
      member += block.member_counts[i];
      label += block.label_counts[i];
    }
  }
  // The transpose. Events ascend, so each row does.
  NodeId* const all = made->store_->Allocate(member_total);
  std::vector<std::size_t> next(degrees.size());
  std::size_t sum = 0;
  for (std::size_t m = 0; m < degrees.size(); ++m) {
    next[m] = sum;
    if (degrees[m]) of_members.Set(m, {all + sum, degrees[m], outcomes[m]});
    sum += degrees[m];
  }
  made->members_ = members.Publish();
  for (const NodeId event : events)
    for (const NodeId m : made->members(event)) all[next[m]++] = event;
  made->live_ += member_total;
  made->labels_ = labels.Publish();
  made->events_ = of_members.Publish();
  std::sort(events.begin(), events.end(), NewerEvent{snapshot});
  made->newest_ = FrontArray(events);
  return std::shared_ptr<const StoredLedgerIndex>(std::move(made));
}

std::uint64_t StoredLedgerIndex::size_bytes() const {
  return sizeof(*this) + events_.size_bytes() + members_.size_bytes() + labels_.size_bytes() +
         store_->size_bytes() + newest_.size_bytes();
}

}  // namespace plexus::memory::internal
