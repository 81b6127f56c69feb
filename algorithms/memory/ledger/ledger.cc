// Lists of the ledger: a walk over events, newest first, under a filter, with a cursor; and the
// index as a snapshot has it: kept, carried or made.
#include "algorithms/memory/ledger/ledger.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/common/internal/selection.h"
#include "algorithms/memory/internal/fnv.h"
#include "algorithms/memory/ledger/internal/inside_ledger.h"
#include "algorithms/memory/ledger/internal/ledger_index_value.h"
#include "algorithms/memory/ledger/internal/ledger_read.h"
#include "algorithms/memory/ledger/internal/prior_outcomes.h"
#include "engine/arrays/paged_array.h"
#include "engine/error.h"
#include "engine/lineage.h"
#include "engine/out_of_memory.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/vocabulary.h"

namespace plexus::memory {

namespace {

using internal::DigestText;
using internal::Fnv1a64;
using internal::NewerEvent;
using internal::TagFilter;

std::size_t Clamped(std::size_t limit) {
  return std::clamp<std::size_t>(limit, 1, kMaxLedgerLimit);
}

// The tool and the mode of every event, as hashes, so that a filter reads no payload of an event
// that it passes over. Read once for all events, when a filter first asks; then carried by the
// events that a batch changed. Two names may have one hash: who finds one compares the name.
class EventAttributes final : public Carried {
 public:
  static constexpr std::string_view kName = "event attributes";

  // Computes: kept, carried or made. O(events) once, then O(change).
  // Errors: the payload store's, kCorruption. Throws std::bad_alloc.
  static Result<std::shared_ptr<const EventAttributes>> Of(const Snapshot& snapshot,
                                                           const LedgerIndex& index) {
    if (auto known = FindDerived<EventAttributes>(snapshot)) return known;
    auto made = std::make_shared<EventAttributes>();
    PagedArray<Row> rows;
    std::vector<NodeId> events(index.newest().begin(), index.newest().end());
    std::sort(events.begin(), events.end());
    for (const NodeId event : events) PLEXUS_TRY(Read(snapshot, event, rows));
    made->rows_ = rows.Publish();
    return KeepDerived<EventAttributes>(snapshot, std::move(made));
  }

  // REQUIRES an alive event.
  std::uint64_t tool(NodeId event) const { return rows_[event].tool; }
  std::uint64_t mode(NodeId event) const { return rows_[event].mode; }

  std::shared_ptr<const Carried> Carry(const Snapshot& now,
                                       const StateChanges& changes) const override {
    auto made = std::make_shared<EventAttributes>();
    PagedArray<Row> rows(rows_, {});
    const auto read = [&](NodeId node) {
      return now.node_kind(node) != builtin::kEvent || !now.alive(node) ||
             Read(now, node, rows).has_value();
    };
    for (const NodeId node : changes.nodes)
      if (!read(node)) return nullptr;
    for (const StateChanges::Payload& p : changes.payloads)
      if (!read(p.node)) return nullptr;
    for (NodeId node = changes.first_new; node < now.node_count(); ++node)
      if (!read(node)) return nullptr;
    made->rows_ = rows.Publish();
    return made;
  }
  MadeOf made_of() const override { return MadeOf::kContent; }
  std::uint64_t size_bytes() const override { return sizeof(*this) + rows_.size_bytes(); }

 private:
  struct Row {
    std::uint64_t tool = 0, mode = 0;
  };
  static Status Read(const Snapshot& snapshot, NodeId event, PagedArray<Row>& rows) {
    PLEXUS_ASSIGN(const PropertyMap map, internal::PropertiesOf(snapshot, event));
    rows.Set(event, {Fnv1a64(internal::TextOf(map.root(), "tool")),
                     Fnv1a64(internal::TextOf(map.root(), "mode"))});
    return {};
  }

  PagedView<Row> rows_;
};

// Everything that a filter says, once for all events.
class Filter {
 public:
  static Result<Filter> Make(const Snapshot& snapshot, const LedgerIndex& index,
                             const EventFilter& wanted) {
    Filter filter(snapshot, index, wanted);
    if (!wanted.tool.empty() || !wanted.mode.empty())
      PLEXUS_SET(filter.attributes_, EventAttributes::Of(snapshot, index));
    if (!wanted.outcome.empty()) filter.outcome_ = internal::OutcomeBit(wanted.outcome);
    return filter;
  }

  Result<bool> Passes(NodeId event) const {
    const auto& w = wanted_;
    if (w.since || w.until) {
      const auto at = snapshot_.i64(builtin::kCreatedAt, event);
      if (!at || (w.since && *at < *w.since) || (w.until && *at >= *w.until)) return false;
    }
    if (!w.tool.empty() && attributes_->tool(event) != Fnv1a64(w.tool)) return false;
    if (!w.mode.empty() && attributes_->mode(event) != Fnv1a64(w.mode)) return false;
    if (outcome_ && !(index_.event_outcomes(event) & outcome_)) return false;
    if (outcome_ == kOtherOutcome) {  // of any other type: which one?
      PLEXUS_ASSIGN(const auto outcomes, internal::ReadOutcomes(snapshot_, index_, event));
      if (std::ranges::find(outcomes, w.outcome, &LedgerOutcome::type) == outcomes.end())
        return false;
    }
    return TagFilter(w.tags).Passes(snapshot_, index_, event);
  }

  // The tool and mode asked for, whose hashes Passes compared.
  bool HasNames(const LedgerEvent& event) const {
    return (wanted_.tool.empty() || event.tool == wanted_.tool) &&
           (wanted_.mode.empty() || event.mode == wanted_.mode);
  }

  // The part of `events` that the times leave.
  std::span<const NodeId> Between(std::span<const NodeId> events) const {
    const auto& w = wanted_;
    const auto time = [&](NodeId e) {
      return snapshot_.i64(builtin::kCreatedAt, e).value_or(kNoTime);
    };
    if (w.until) {
      const auto first = std::ranges::partition_point(
          events, [&](NodeId e) { return time(e) >= *w.until && time(e) != kNoTime; });
      events = {first, events.end()};
    }
    if (w.since) {
      const auto last = std::ranges::partition_point(
          events, [&](NodeId e) { return time(e) >= *w.since && time(e) != kNoTime; });
      events = {events.begin(), last};
    }
    return events;
  }

 private:
  Filter(const Snapshot& snapshot, const LedgerIndex& index, const EventFilter& wanted)
      : snapshot_(snapshot), index_(index), wanted_(wanted) {}

  const Snapshot& snapshot_;
  const LedgerIndex& index_;
  const EventFilter& wanted_;
  std::shared_ptr<const EventAttributes> attributes_;
  OutcomeSet outcome_ = 0;
};

// --- cursors: where a page ended, as text
//
// SEQUENCE.POSITION.DIGEST: the state that was asked, how far into its list the next page begins,
// and a digest of both and of the question. A list of one state is always the same, so a position
// is a number. The digest finds damage and other questions; it has no secret.

std::string CursorAt(Sequence sequence, std::uint64_t position, const DigestText& question) {
  std::string text = std::to_string(sequence) + "." + std::to_string(position) + ".";
  return text + internal::Hex16(Fnv1a64(question.bytes(), Fnv1a64(text)));
}

struct CursorNumbers {
  std::uint64_t sequence = 0, position = 0;
};
// kInvalidArgument: it is no cursor.
Result<CursorNumbers> NumbersOf(std::string_view cursor) {
  CursorNumbers numbers;
  std::string_view rest = cursor;
  for (std::uint64_t* number : {&numbers.sequence, &numbers.position}) {
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), *number);
    const auto length = static_cast<std::size_t>(read.ptr - rest.data());
    if (read.ec != std::errc() || length == rest.size() || rest[length] != '.')
      return Invalid("'", cursor.substr(0, 80), "' is not a cursor of this list");
    rest.remove_prefix(length + 1);
  }
  return numbers;
}

// Of "" 0. kInvalidArgument: no cursor, or one of another question. kFailedPrecondition: of another
// state; the message names its sequence.
Result<std::uint64_t> PositionOf(std::string_view cursor, Sequence sequence,
                                 const DigestText& question) {
  if (cursor.empty()) return 0;
  PLEXUS_ASSIGN(const CursorNumbers of, NumbersOf(cursor));
  if (CursorAt(of.sequence, of.position, question) != cursor)
    return Invalid("the cursor is of another question: everything but the limit must be as before");
  if (of.sequence != sequence)
    return FailedPrecondition("the cursor is of sequence ", of.sequence,
                              ", the graph is at sequence ", sequence);
  return of.position;
}

DigestText Question(std::string_view list, std::string_view of, const EventListOptions& options) {
  const EventFilter& filter = options.filter;
  DigestText text;
  text.Add(list).Add(of).Add(filter.tool).Add(filter.mode).Add(filter.outcome);
  for (const auto& time : {filter.since, filter.until}) text.Add(time ? std::to_string(*time) : "");
  for (const std::string& tag : filter.tags) text.Add(tag);
  if (!options.state.empty()) text.Add("state").Add(options.state);
  return text;
}

// A page of `events`, which are newest first.
Result<EventPage> PageOf(const Snapshot& snapshot, const LedgerIndex& index,
                         std::span<const NodeId> events, const DigestText& question,
                         const EventListOptions& options) {
  PLEXUS_ASSIGN(const std::uint64_t position,
                PositionOf(options.cursor, snapshot.sequence(), question));
  PLEXUS_ASSIGN(const Filter filter, Filter::Make(snapshot, index, options.filter));
  events = filter.Between(events);
  auto at = static_cast<std::size_t>(std::min<std::uint64_t>(position, events.size()));
  EventPage page;
  const std::size_t limit = Clamped(options.limit);
  for (; at < events.size(); ++at) {
    page.truncated = options.run.budget.Interrupted();
    bool passes = false;
    if (!page.truncated) PLEXUS_SET(passes, filter.Passes(events[at]));
    if (page.truncated) {
      page.next = CursorAt(snapshot.sequence(), at, question);
      break;
    }
    if (!passes) continue;
    PLEXUS_ASSIGN(LedgerEvent event, internal::ReadEvent(snapshot, index, events[at]));
    if (!filter.HasNames(event)) continue;
    if (page.events.size() == limit) {
      page.next = CursorAt(snapshot.sequence(), at, question);
      break;
    }
    page.events.push_back(std::move(event));
  }
  return page;
}

}  // namespace

Result<EventPage> RecentEvents(const Snapshot& snapshot, const EventListOptions& options) try {
  PLEXUS_ASSIGN(const auto index, LedgerIndex::Of(snapshot, options.run.executor));
  return PageOf(snapshot, *index, index->newest(), Question("recent", "", options), options);
}
PLEXUS_CATCH_NO_MEMORY

Result<EventPage> EventsOf(const Snapshot& snapshot, NodeId member,
                           const EventListOptions& options) try {
  if (member >= snapshot.node_count())
    return common_internal::NotSelected(snapshot, "member", member, {});
  PLEXUS_ASSIGN(const auto index, LedgerIndex::Of(snapshot, options.run.executor));
  const std::span<const NodeId> row = index->events(member);
  std::vector<NodeId> events(row.begin(), row.end());
  std::sort(events.begin(), events.end(), NewerEvent{snapshot});
  return PageOf(snapshot, *index, events, Question("of", snapshot.key(member), options), options);
}
PLEXUS_CATCH_NO_MEMORY

Result<NodeId> FindEvent(const Snapshot& snapshot, std::string_view id) try {
  const auto node = snapshot.Find(IndexKey(snapshot.schema().node_kind(builtin::kEvent).name, id));
  if (!node || !snapshot.alive(*node))
    return NotFound("no event '", id, "'", (node ? ": it was removed" : ""));
  return *node;
}
PLEXUS_CATCH_NO_MEMORY

Result<EventDetails> GetEvent(const Snapshot& snapshot, NodeId event) try {
  if (event >= snapshot.node_count() || snapshot.node_kind(event) != builtin::kEvent ||
      !snapshot.alive(event))
    return NotFound("it is no event");
  PLEXUS_ASSIGN(const auto index, LedgerIndex::Of(snapshot));
  EventDetails details;
  PLEXUS_ASSIGN(details.event, internal::ReadEvent(snapshot, *index, event));
  PLEXUS_ASSIGN(details.members, internal::ReadMembers(snapshot, event));
  PLEXUS_ASSIGN(details.outcomes, internal::ReadOutcomes(snapshot, *index, event));
  return details;
}
PLEXUS_CATCH_NO_MEMORY

Result<ComposedPage> ComposedWith(const Snapshot& snapshot, NodeId member, std::size_t limit,
                                  std::string_view cursor, std::string_view state) try {
  if (member >= snapshot.node_count())
    return common_internal::NotSelected(snapshot, "member", member, {});
  PLEXUS_ASSIGN(const auto index, LedgerIndex::Of(snapshot));
  DigestText question;
  question.Add("neighbors").Add(snapshot.key(member));
  if (!state.empty()) question.Add("state").Add(state);
  PLEXUS_ASSIGN(const std::uint64_t position, PositionOf(cursor, snapshot.sequence(), question));
  struct Use {
    NodeId node;
    std::int64_t at;
  };
  std::vector<Use> uses;
  for (const NodeId event : index->events(member)) {
    const std::int64_t at = snapshot.i64(builtin::kCreatedAt, event).value_or(kNoTime);
    for (const NodeId other : index->members(event))
      if (other != member) uses.push_back({other, at});
  }
  std::ranges::sort(uses, {}, &Use::node);
  std::vector<ComposedNeighbor> all;
  for (std::size_t i = 0; i < uses.size();) {
    ComposedNeighbor neighbor{.node = uses[i].node};
    for (; i < uses.size() && uses[i].node == neighbor.node; ++i) {
      ++neighbor.composed;
      if (uses[i].at != kNoTime)
        neighbor.latest = std::max(neighbor.latest.value_or(kNoTime), uses[i].at);
    }
    all.push_back(neighbor);
  }
  std::ranges::sort(all, [](const ComposedNeighbor& a, const ComposedNeighbor& b) {
    if (a.composed != b.composed) return a.composed > b.composed;
    const std::int64_t at = a.latest.value_or(kNoTime), bt = b.latest.value_or(kNoTime);
    return at != bt ? at > bt : a.node < b.node;
  });
  ComposedPage page;
  page.total = all.size();
  const auto first = static_cast<std::size_t>(std::min<std::uint64_t>(position, all.size()));
  const std::size_t last = std::min(all.size(), first + Clamped(limit));
  page.neighbors.assign(all.begin() + static_cast<std::ptrdiff_t>(first),
                        all.begin() + static_cast<std::ptrdiff_t>(last));
  if (last < all.size()) page.next = CursorAt(snapshot.sequence(), last, question);
  return page;
}
PLEXUS_CATCH_NO_MEMORY

Result<Sequence> LedgerCursorSequence(std::string_view cursor) try {
  PLEXUS_ASSIGN(const CursorNumbers of, NumbersOf(cursor));
  return of.sequence;
}
PLEXUS_CATCH_NO_MEMORY

Result<BountyLaneLists> BountyLanes(const Snapshot& snapshot, const BountyOptions& options) try {
  using internal::OutcomeBit;
  static const OutcomeSet kDuplicate =
      static_cast<OutcomeSet>(OutcomeBit("duplicate_risk") | OutcomeBit("closed_by_duplicate"));
  static const OutcomeSet kNeedsPoc = OutcomeBit("needs_poc");
  static const OutcomeSet kClosed = [] {
    OutcomeSet closed = 0;
    for (const char* type :
         {"dead_end", "rejected", "bad_severity", "closed_by_scope", "closed_by_duplicate",
          "closed_by_false_assumption", "closed_by_user", "expired_lane", "failed", "wrong"})
      closed |= OutcomeBit(type);
    return closed;
  }();
  PLEXUS_ASSIGN(const auto index, LedgerIndex::Of(snapshot));
  const std::size_t limit = Clamped(options.limit);
  const TagFilter tags(options.tags);
  BountyLaneLists lanes;
  struct Lane {
    std::vector<NodeId>* events;
    OutcomeSet outcomes;  // one of them; 0: any event
  };
  const std::array<Lane, 4> all = {Lane{&lanes.composed, 0}, Lane{&lanes.closed_doors, kClosed},
                                   Lane{&lanes.duplicate_risk, kDuplicate},
                                   Lane{&lanes.needs_poc, kNeedsPoc}};
  for (const NodeId event : index->newest()) {
    const bool full =
        std::ranges::all_of(all, [&](const Lane& lane) { return lane.events->size() >= limit; });
    if (full) break;
    if (options.subset && !internal::IsInside(*index, event, *options.subset)) continue;
    ++lanes.scanned;
    const OutcomeSet outcomes = index->event_outcomes(event);
    const auto takes = [&](const Lane& lane) {
      return lane.events->size() < limit && (lane.outcomes == 0 || (lane.outcomes & outcomes));
    };
    if (std::ranges::none_of(all, takes)) continue;
    PLEXUS_ASSIGN(const bool passes, tags.Passes(snapshot, *index, event));
    if (!passes) continue;
    for (const Lane& lane : all)
      if (takes(lane)) lane.events->push_back(event);
  }
  return lanes;
}
PLEXUS_CATCH_NO_MEMORY

Result<std::shared_ptr<const LedgerIndex>> LedgerIndex::Of(const Snapshot& snapshot,
                                                           Executor* executor) try {
  using internal::StoredLedgerIndex;
  if (auto known = FindDerived<StoredLedgerIndex>(snapshot)) return known;
  PLEXUS_ASSIGN(auto made, StoredLedgerIndex::Make(snapshot, common_internal::Pick(executor)));
  return KeepDerived<StoredLedgerIndex>(snapshot, std::move(made));
}
PLEXUS_CATCH_NO_MEMORY

bool LedgerIndex::Composed(NodeId a, NodeId b) const {
  std::span<const NodeId> few = events(a), many = events(b);
  if (few.size() > many.size()) std::swap(few, many);
  return std::ranges::any_of(few, [&](NodeId event) {
    if (few.size() * 8 < many.size()) return std::ranges::binary_search(many, event);
    const auto at = std::lower_bound(many.begin(), many.end(), event);
    many = many.subspan(static_cast<std::size_t>(at - many.begin()));
    return !many.empty() && many.front() == event;
  });
}

bool LedgerIndex::Composed(std::span<const NodeId> members) const {
  if (members.size() == 2) return Composed(members[0], members[1]);
  const NodeId least =
      *std::ranges::min_element(members, {}, [&](NodeId member) { return events(member).size(); });
  return std::ranges::any_of(events(least), [&](NodeId event) {
    return std::ranges::all_of(
        members, [&](NodeId member) { return std::ranges::binary_search(events(member), event); });
  });
}

}  // namespace plexus::memory
