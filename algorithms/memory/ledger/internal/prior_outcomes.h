// Types of outcomes: as bits of an OutcomeSet, as an outcome's key says them, and what a set of
// them says of a pair or set of memories: the change of its score, the signal, names.
//
// The rules are those of vestige's ComposedGraph. A type outside of the table changes no score; it
// is named "other".
// Private to algorithms/memory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/memory/ledger/ledger.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::memory::internal {

// The set of only this type.
OutcomeSet OutcomeBit(std::string_view type);

// The type out of the key of an outcome of `event`, if it is one that was made of an outcome's
// content: type "/" labeled_at "/" source "/" event.
std::optional<std::string> TypeInKey(std::string_view outcome_key, std::string_view event_key);

inline constexpr double kLeastAdjustment = -0.8, kMostAdjustment = 0.5;

// The sum over the types in the set, clamped to [kLeastAdjustment, kMostAdjustment]. Added in the
// order of BuiltinOutcomeTypes().
double OutcomeAdjustment(OutcomeSet outcomes);

// What this member adds at most to the adjustment of any set of `members` that has it: the
// adjustment of a set is at most the sum of these over its members.
double AdjustmentBound(OutcomeSet outcomes, int members);

// "clean", "prior_success", "prior_closed_door" ...
std::string_view OutcomeSignal(OutcomeSet outcomes);

// The types in the set, ascending.
std::vector<std::string> OutcomeNames(OutcomeSet outcomes);

// The events with an outcome that have one of the members, newest first, ties by larger ids; at
// most ten. O(events of the members, log).
std::vector<NodeId> PriorEvents(const Snapshot& snapshot, const LedgerIndex& ledger,
                                std::span<const NodeId> members);

// Some event with one of these is a success, a closed door, or may repeat another one.
bool IsSuccess(OutcomeSet outcomes);
bool IsClosed(OutcomeSet outcomes);
bool IsDuplicate(OutcomeSet outcomes);

}  // namespace plexus::memory::internal
