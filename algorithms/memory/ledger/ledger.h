// The ledger: events with members and outcomes, and an index of them for whoever reads them all.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/write_batch.h"

namespace plexus::memory {

// --- The composition ledger: which memories were used together, why, and what came of it.
//
// An event is one use: a query, a tool, and members in roles. Outcomes say what came of it; they
// accumulate. Lists are newest first. What is read is a function of the snapshot; what is written
// is a WriteBatch next to the answer, as an import of the same event writes it
// (storage/formats/json).
//
// Source: the schema of vestige's ComposedGraph.

inline constexpr std::size_t kMaxLedgerLimit = 100;
inline constexpr std::size_t kDefaultLedgerLimit = 10;
inline constexpr std::size_t kMaxEventMembers = 65'536;
// Of an event and its members as one line of JSON, which an import takes back (ImportLimits).
inline constexpr std::size_t kMaxEventBytes = std::size_t{15} << 20;
inline constexpr std::string_view kDefaultEventMode = "deep_reference";
// Of a memory whose trust is not known.
inline constexpr double kUnknownTrust = 0.5;

// Bit i: a label of type BuiltinOutcomeTypes()[i]. kOtherOutcome: a label of any other type.
using OutcomeSet = std::uint32_t;
inline constexpr OutcomeSet kOtherOutcome = OutcomeSet{1} << 31;

struct LedgerEvent {
  NodeId node = kNoNode;
  std::string id;                                                     // Without its kind's prefix.
  std::string tool, mode, status, query, query_hash, output_preview;  // "": none.
  std::optional<double> confidence;
  std::optional<std::int64_t> created_at;
  OutcomeSet outcomes = 0;
  std::vector<std::string> other_outcomes = {};  // What kOtherOutcome is, where it is known.
  std::string props = {};                        // Other properties, as JSON; "": none.
};

struct LedgerMember {
  NodeId node = kNoNode;  // Perhaps removed since, or purged.
  std::string role = {};
  double rank = 0;  // Absent counts as 0.
  std::optional<double> trust = {}, score = {};
  std::string preview = {};
  std::vector<std::string> tags = {};  // Those it had when the event was recorded.
  std::string props = {};              // As of an event.
};

struct LedgerOutcome {
  NodeId node = kNoNode;
  std::string type = {}, source = {}, notes = {};
  std::optional<std::int64_t> labeled_at = {};
  std::optional<double> confidence_delta = {};
  std::string props = {};  // As of an event.
};

struct EventDetails {
  LedgerEvent event;
  std::vector<LedgerMember> members;    // By rank, role, key.
  std::vector<LedgerOutcome> outcomes;  // Newest first, ties by falling id.
};

// Selects events; every field that is set must match.
struct EventFilter {
  std::string tool = {}, mode = {};  // "": any.
  std::string outcome = {};          // One of its labels is of this type.
  // The event, a member's tag snapshot, or a member now has one of these tags, or a tag that begins
  // with one and ":".
  std::vector<std::string> tags = {};
  std::optional<std::int64_t> since = {}, until = {};  // created_at in [since, until).
};

struct EventListOptions {
  EventFilter filter = {};
  std::size_t limit = kDefaultLedgerLimit;  // 0 counts as 1, more than kMaxLedgerLimit as that.
  std::string cursor = {};                  // EventPage::next of the page before. "": the first.
  // What of the graph the snapshot shows, where that is not its sequence's all: a cursor is of it.
  std::string state = {};
  RunOptions run = {};                      // budget: deadline and cancel flag, between events.
};

struct EventPage {
  std::vector<LedgerEvent> events;  // Newest first, ties by falling id.
  std::string next;                 // The cursor of the next page. "": this was the last.
  bool truncated = false;           // The budget ran out. `next` continues from there.
};

// Computes: the events of the ledger.
// Complexity: O(events read): as many as the filter passes over. Time, outcome, tool and mode are
//   looked up in the index.
// Errors: kInvalidArgument: a cursor of another question. kFailedPrecondition: of another sequence.
//   kCorruption: from the payload store. kResourceExhausted: no memory.
// Threads: thread-safe.
Result<EventPage> RecentEvents(const Snapshot& snapshot, const EventListOptions& options = {});

// Computes: the events that have `member` in any role. A removed member keeps its events.
// Complexity: O(its events * log).
// Errors and threads: as RecentEvents. kInvalidArgument: no node has that id.
Result<EventPage> EventsOf(const Snapshot& snapshot, NodeId member,
                           const EventListOptions& options = {});

// Computes: the alive event of that id.
// Errors: kNotFound.
Result<NodeId> FindEvent(const Snapshot& snapshot, std::string_view id);

// Computes: an event with its members and outcomes.
// Complexity: O(members * log + outcomes).
// Errors: kNotFound: it is no alive event. kCorruption: from the payload store.
//   kResourceExhausted: no memory.
// Threads: thread-safe.
Result<EventDetails> GetEvent(const Snapshot& snapshot, NodeId event);

struct ComposedNeighbor {
  NodeId node = kNoNode;
  std::uint64_t composed = 0;               // Events that have both.
  std::optional<std::int64_t> latest = {};  // created_at of the last of them.
  bool operator==(const ComposedNeighbor&) const = default;
};

struct ComposedPage {
  std::vector<ComposedNeighbor> neighbors;  // Most composed, then latest first, ties by id.
  std::uint64_t total = 0;                  // Of all pages.
  std::string next;                         // As EventPage.
};

// Computes: who was composed with `member`, in distinct events. Never the member itself.
// Complexity: O(members of its events * log).
// Errors and threads: as RecentEvents. kInvalidArgument: no node has that id.
Result<ComposedPage> ComposedWith(const Snapshot& snapshot, NodeId member,
                                  std::size_t limit = kDefaultLedgerLimit,
                                  std::string_view cursor = {}, std::string_view state = {});

// Of a cursor of any list: the sequence of the state that it is of. kInvalidArgument: it is none.
Result<Sequence> LedgerCursorSequence(std::string_view cursor);

struct BountyOptions {
  std::vector<std::string> tags = {};  // As EventFilter::tags.
  std::size_t limit = kDefaultLedgerLimit;
  const NodeSubset* subset = nullptr;  // All members of an event are inside. Null: all events.
};

struct BountyLaneLists {
  // Newest first, each cut to the limit by itself. An event can be in several.
  std::vector<NodeId> composed, closed_doors, duplicate_risk, needs_poc;
  std::uint64_t scanned = 0;
};

// Computes: the newest events by what came of them: all; ended at a closed door; a duplicate or at
//   the risk of one; in need of a proof of concept. All events are looked at until each lane is
//   full: what once failed is not forgotten.
// Complexity: O(events), and the members of those that a lane takes.
// Errors: those of the payload store. kResourceExhausted: no memory.
// Threads: thread-safe.
Result<BountyLaneLists> BountyLanes(const Snapshot& snapshot, const BountyOptions& options = {});

struct NewMember {
  std::string key = {};  // As it is stored.
  std::string role = "supporting";
  std::optional<double> rank = {}, trust = {}, score = {};
  std::string preview = {};
  std::optional<std::vector<std::string>> tags =
      {};  // Absent: those that it has at the event's time.
  std::string props = {};  // Other properties, a FlexBuffers map (engine/properties); "": none.
};

struct NewEvent {
  std::string id = {};  // "": made of the content and the time.
  std::string tool = {}, mode = {}, query = {}, status = {}, output_preview = {};
  std::optional<double> confidence = {};
  std::int64_t created_at = 0;  // And the time of the batch.
  std::string props = {};                  // As of a member.
  std::vector<NewMember> members = {};
  bool stubs = false;  // Members that do not exist are made.
};

struct RecordedEvent {
  std::string id, query_hash;
  bool empty = false;       // No members: nothing is to be written.
  std::uint64_t stubs = 0;  // Members that the batch makes.
  WriteBatch batch;
};

// Computes: the batch that records an event. Members get their tags as a snapshot. It expects the
//   members to be there, with the tags that were read, and no event of a given id (kConflict).
// Complexity: O(members * log + their tags).
// Errors: kInvalidArgument: a role that is none of BuiltinRoles(), a member twice under one role,
//   more than kMaxEventMembers members or kMaxEventBytes, a stub of an index node, a number that is
//   not finite, a text that is too long or no UTF-8, an id that an event has already, props with
//   the name of an attribute. kCorruption: props that are no map. kNotFound: a member that does not
//   exist, without `stubs`. kResourceExhausted: no memory.
// Threads: thread-safe.
Result<RecordedEvent> RecordEvent(const Snapshot& snapshot, const NewEvent& event);

struct NewLabel {
  std::string type = {}, source = "user", notes = {};
  std::int64_t labeled_at = 0;  // And the time of the batch.
  std::optional<double> confidence_delta = {};
  std::string props = {};  // As of a member.
};

struct LabeledEvent {
  std::string key;     // Of the outcome, as it is stored.
  bool known = false;  // The event has this very outcome, so the batch changes nothing.
  WriteBatch batch;
};

// Computes: the batch that adds an outcome to an event. Outcomes that differ in anything are kept
//   next to each other. It expects the event to be there (kConflict).
// Errors: kInvalidArgument: a type that is none of BuiltinOutcomeTypes(), a number that is not
//   finite, a text that is too long or no UTF-8. kNotFound: it is no alive event. kCorruption: from
//   the payload store. kResourceExhausted: no memory.
// Threads: thread-safe.
Result<LabeledEvent> LabelEvent(const Snapshot& snapshot, NodeId event, const NewLabel& label);

// "fnv1a64:" and 16 hex digits: FNV-1a over the bytes of a query.
std::string QueryHash(std::string_view query);

// --- LedgerIndex: who was composed with whom, and what came of it, at one snapshot.
//
// An event is a node of kind `event`; its members are edges `member` (label = role), its outcomes
// nodes with an edge `labels` to it. A member that was removed stays one; a removed event counts
// no more. The index is kept with the state and carried by what a batch changed, bit for bit what
// is made from nothing.

class LedgerIndex {
 public:
  virtual ~LedgerIndex() = default;

  // Computes: the index of `snapshot`: kept, carried or made.
  // Complexity: O(events + members + outcomes) once, then O(change).
  // Errors: kResourceExhausted: no memory. kCorruption: an outcome cannot be read.
  // Threads: thread-safe.
  static Result<std::shared_ptr<const LedgerIndex>> Of(const Snapshot& snapshot,
                                                       Executor* executor = nullptr);

  // Alive events, the newest (created_at, absent = the oldest) first, ties by falling id.
  virtual std::span<const NodeId> newest() const = 0;
  // Distinct alive events that have `member` in any role, ascending ids. Their number is the
  // member's composition degree.
  virtual std::span<const NodeId> events(NodeId member) const = 0;
  // Distinct members of an event, ascending ids. Empty when it is no alive event.
  virtual std::span<const NodeId> members(NodeId event) const = 0;
  // Outcome nodes of an event, ascending ids.
  virtual std::span<const NodeId> labels(NodeId event) const = 0;
  // Types over the labels of an event; over all events of a member.
  virtual OutcomeSet event_outcomes(NodeId event) const = 0;
  virtual OutcomeSet member_outcomes(NodeId member) const = 0;
  // One event has both.
  bool Composed(NodeId a, NodeId b) const;
  // One event has them all. REQUIRES two members or more.
  bool Composed(std::span<const NodeId> members) const;
};

}  // namespace plexus::memory
