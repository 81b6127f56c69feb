// LedgerIndex: who was composed with whom, and what came of it, at one snapshot.
//
// An event is a node of kind `event`; its members are edges `member` (label = role), its outcomes
// nodes with an edge `labels` to it. A member that was removed stays one; a removed event counts
// no more. The index is kept with the state and carried by what a batch changed, bit for bit what
// is made from nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "engine/error.h"
#include "engine/lineage.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

// Bit i: a label of type BuiltinOutcomeTypes()[i]. kOtherOutcome: a label of any other type.
using OutcomeSet = std::uint32_t;
inline constexpr OutcomeSet kOtherOutcome = OutcomeSet{1} << 31;

class LedgerIndex : public Carried {
 public:
  static constexpr std::string_view kName = "ledger_index";

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

}  // namespace plexus
