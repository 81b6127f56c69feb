// The index of the next state: events that a batch touched, then the rows of their members.
//
// An event is touched when it, its creation time, a member edge of it, or an outcome of it changed.
// Its old rows are in the index, its new ones in the state; members in only one gain or lose it.
// A member's outcomes are counted again where an event may have taken one away.
#include <algorithm>
#include <iterator>
#include <utility>

#include "algorithms/memory/ledger/internal/ledger_index_value.h"
#include "engine/vocabulary.h"

namespace plexus::memory::internal {

namespace {

void SortOnce(std::vector<NodeId>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

// Events whose rows, or place in time, may differ.
std::vector<NodeId> TouchedEvents(const Snapshot& now, const StateChanges& changes) {
  std::vector<NodeId> touched;
  const ArcFilter labels = ArcFilter::Kind(now.schema(), builtin::kLabels);
  const auto touch = [&](NodeId node) {
    const NodeKindId kind = now.node_kind(node);
    if (kind == builtin::kEvent) touched.push_back(node);
    // The labels that an outcome lost are among the changed edges.
    if (kind == builtin::kOutcome)
      now.ForEachArc(Direction::kOut, node, labels,
                     [&](const Arc& arc) { touched.push_back(arc.neighbor); });
  };
  for (const NodeId node : changes.nodes) {
    touch(node);
    touched.push_back(node);  // an event once, perhaps
  }
  for (NodeId node = changes.first_new; node < now.node_count(); ++node) touch(node);
  for (const StateChanges::Column& c : changes.columns)
    if (c.column == builtin::kCreatedAt && now.node_kind(c.node) == builtin::kEvent)
      touched.push_back(c.node);
  for (const StateChanges::Payload& p : changes.payloads)
    if (p.field == NodeField::kProperties && now.node_kind(p.node) == builtin::kOutcome)
      touch(p.node);
  for (const StateChanges::Edge& e : changes.edges) {
    if (e.kind == builtin::kMember) touched.push_back(e.source);
    if (e.kind == builtin::kLabels) touched.push_back(e.target);
  }
  SortOnce(touched);
  return touched;
}

}  // namespace

class LedgerCarrier {
 public:
  LedgerCarrier(const StoredLedgerIndex& before, const Snapshot& now, const StateChanges& changes)
      : before_(before),
        now_(now),
        reader_(now),
        changes_(changes),
        made_(std::make_shared<StoredLedgerIndex>()),
        members_(before.members_, {}),
        labels_(before.labels_, {}),
        events_(before.events_, {}) {
    made_->store_ = before.store_;
    made_->live_ = before.live_;
  }

  // Null: an outcome cannot be read, so who reads the index makes it, and hears of it.
  std::shared_ptr<const Carried> Run() {
    const std::vector<NodeId> touched = TouchedEvents(now_, changes_);
    for (const NodeId event : touched)
      if (!ReadEvent(event)) return nullptr;
    UpdateMembers();
    UpdateNewest(touched);
    made_->members_ = members_.Publish();
    made_->labels_ = labels_.Publish();
    made_->events_ = events_.Publish();
    constexpr std::size_t kLeast = 65'536;
    if (made_->store_->stored() > 2 * made_->live_ + kLeast) made_->Fold();
    return std::move(made_);
  }

 private:
  // An event came to a member, went, or has other outcomes.
  struct MemberChange {
    NodeId member, event;
    enum What : std::uint8_t { kCame, kWent, kStays } what;
    bool lost;  // an outcome
    OutcomeSet outcomes;
    auto operator<=>(const MemberChange&) const = default;
  };

  void Replace(LedgerRows& rows, NodeId at, const std::vector<NodeId>& ids, OutcomeSet outcomes) {
    const LedgerRow old = rows[at];
    if (std::ranges::equal(old.ids(), ids)) {
      if (old.outcomes != outcomes) rows.Set(at, {old.first, old.count, outcomes});
      return;
    }
    made_->live_ += ids.size();
    made_->live_ -= old.count;
    rows.Set(at, {made_->store_->Store(ids), static_cast<std::uint32_t>(ids.size()), outcomes});
  }

  bool ReadEvent(NodeId event) {
    EventRows rows;
    if (reader_.IsEvent(event) && !reader_.Read(event, rows)) return false;
    const std::span<const NodeId> old = before_.members(event);
    const OutcomeSet had = before_.event_outcomes(event);
    const bool lost = (had & ~rows.outcomes) != 0;
    const auto note = [&](NodeId member, MemberChange::What what) {
      changed_.push_back({member, event, what, lost, rows.outcomes});
    };
    auto a = old.begin();
    auto b = rows.members.begin();
    while (a != old.end() || b != rows.members.end()) {
      if (b == rows.members.end() || (a != old.end() && *a < *b)) {
        note(*a++, MemberChange::kWent);
      } else if (a == old.end() || *b < *a) {
        note(*b++, MemberChange::kCame);
      } else {
        if (had != rows.outcomes) note(*b, MemberChange::kStays);
        ++a, ++b;
      }
    }
    Replace(members_, event, rows.members, 0);
    Replace(labels_, event, rows.labels, rows.outcomes);
    return true;
  }

  void UpdateMembers() {
    std::sort(changed_.begin(), changed_.end());
    std::vector<NodeId> came, went, row, merged;
    for (std::size_t begin = 0, end = 0; begin < changed_.size(); begin = end) {
      const NodeId member = changed_[begin].member;
      const std::span<const NodeId> old = before_.events(member);
      OutcomeSet outcomes = before_.member_outcomes(member);
      bool count_anew = false;
      came.clear();
      went.clear();
      for (; end < changed_.size() && changed_[end].member == member; ++end) {
        const MemberChange& c = changed_[end];
        if (c.what == MemberChange::kCame) came.push_back(c.event);
        if (c.what == MemberChange::kWent) went.push_back(c.event);
        if (c.what == MemberChange::kWent || c.lost) count_anew = true;
        if (c.what != MemberChange::kWent) outcomes |= c.outcomes;
      }
      row.clear();
      merged.clear();
      std::ranges::set_difference(old, went, std::back_inserter(row));
      std::ranges::set_union(row, came, std::back_inserter(merged));
      if (count_anew) {
        outcomes = 0;
        for (const NodeId event : merged) outcomes |= labels_[event].outcomes;
      }
      Replace(events_, member, merged, outcomes);
    }
  }

  void UpdateNewest(const std::vector<NodeId>& touched) {
    // Those that were there under a time that they may have no more, and those that are there.
    std::vector<NodeId> gone, there;
    for (const NodeId event : touched) {
      const bool was = event < changes_.first_new;
      const bool moved = std::ranges::binary_search(
                             changes_.columns, StateChanges::Column{builtin::kCreatedAt, event}) ||
                         std::ranges::binary_search(changes_.nodes, event);
      if (was && !moved) continue;
      if (was && DisplayName(now_.key(event)) != now_.key(event)) gone.push_back(event);
      if (reader_.IsEvent(event)) there.push_back(event);
    }
    const NewerEvent newer{now_};
    std::sort(there.begin(), there.end(), newer);
    const std::span<const NodeId> old = before_.newest();
    if (gone.empty() && (there.empty() || old.empty() || newer(there.back(), old.front()))) {
      made_->newest_ = before_.newest_.With(there);
      return;
    }
    std::vector<NodeId> kept, all;
    kept.reserve(old.size() + there.size());
    std::ranges::copy_if(old, std::back_inserter(kept),
                         [&](NodeId e) { return !std::ranges::binary_search(gone, e); });
    all.reserve(kept.size() + there.size());
    auto at = kept.begin();
    for (const NodeId event : there) {
      const auto to = std::upper_bound(at, kept.end(), event, newer);
      all.insert(all.end(), at, to);
      all.push_back(event);
      at = to;
    }
    all.insert(all.end(), at, kept.end());
    made_->newest_ = FrontArray(all);
  }

  const StoredLedgerIndex& before_;
  const Snapshot& now_;
  const EventReader reader_;
  const StateChanges& changes_;
  std::shared_ptr<StoredLedgerIndex> made_;
  LedgerRows members_, labels_, events_;
  std::vector<MemberChange> changed_;
};

std::shared_ptr<const Carried> StoredLedgerIndex::Carry(const Snapshot& now,
                                                        const StateChanges& changes) const {
  return LedgerCarrier(*this, now, changes).Run();
}

void StoredLedgerIndex::Fold() {
  auto store = std::make_shared<RowStore>();
  for (LedgerRows::View* rows : {&events_, &members_, &labels_}) {
    LedgerRows moved(*rows, {});
    for (std::size_t v = 0; v < rows->size(); ++v) {
      const LedgerRow row = (*rows)[v];
      if (row.count) moved.Set(v, {store->Store(row.ids()), row.count, row.outcomes});
    }
    *rows = moved.Publish();
  }
  store_ = std::move(store);
}

}  // namespace plexus::memory::internal
