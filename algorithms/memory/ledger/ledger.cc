// Lists of the ledger: a walk over events, newest first, under a filter, with a cursor.
#include "algorithms/memory/ledger/ledger.h"

#include <algorithm>
#include <array>
#include <utility>

#include "algorithms/common/internal/selection.h"
#include "algorithms/memory/ledger/internal/event_attributes.h"
#include "algorithms/memory/ledger/internal/inside_ledger.h"
#include "algorithms/memory/ledger/internal/ledger_index_value.h"
#include "algorithms/memory/ledger/internal/ledger_read.h"
#include "algorithms/memory/ledger/internal/outcome_types.h"
#include "algorithms/memory/ledger/internal/page_cursor.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::memory {

namespace {

using internal::DigestText;
using internal::EventAttributes;
using internal::NewerEvent;
using internal::TagFilter;

std::size_t Clamped(std::size_t limit) {
  return std::clamp<std::size_t>(limit, 1, kMaxLedgerLimit);
}

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
    if (!w.tool.empty() && attributes_->tool(event) != EventAttributes::HashOf(w.tool))
      return false;
    if (!w.mode.empty() && attributes_->mode(event) != EventAttributes::HashOf(w.mode))
      return false;
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
  std::size_t at = 0;
  if (!options.cursor.empty()) {
    PLEXUS_ASSIGN(const std::uint64_t position,
                  internal::PositionOf(options.cursor, snapshot.sequence(), question));
    at = static_cast<std::size_t>(std::min<std::uint64_t>(position, events.size()));
  }
  PLEXUS_ASSIGN(const Filter filter, Filter::Make(snapshot, index, options.filter));
  events = filter.Between(events);
  at = std::min(at, events.size());
  EventPage page;
  const std::size_t limit = Clamped(options.limit);
  for (; at < events.size(); ++at) {
    page.truncated = options.run.budget.Interrupted();
    bool passes = false;
    if (!page.truncated) PLEXUS_SET(passes, filter.Passes(events[at]));
    if (page.truncated) {
      page.next = internal::CursorAt(snapshot.sequence(), at, question);
      break;
    }
    if (!passes) continue;
    PLEXUS_ASSIGN(LedgerEvent event, internal::ReadEvent(snapshot, index, events[at]));
    if (!filter.HasNames(event)) continue;
    if (page.events.size() == limit) {
      page.next = internal::CursorAt(snapshot.sequence(), at, question);
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
  std::uint64_t position = 0;
  if (!cursor.empty())
    PLEXUS_SET(position, internal::PositionOf(cursor, snapshot.sequence(), question));
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
  if (last < all.size()) page.next = internal::CursorAt(snapshot.sequence(), last, question);
  return page;
}
PLEXUS_CATCH_NO_MEMORY

Result<Sequence> LedgerCursorSequence(std::string_view cursor) try {
  return internal::SequenceOf(cursor);
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

}  // namespace plexus::memory
