// One pass over the events that have outcomes.
#include "algorithms/memory/outcome_values.h"

#include <algorithm>

#include "algorithms/memory/internal/ledger/inside_ledger.h"
#include "algorithms/memory/internal/ledger/prior_outcomes.h"
#include "algorithms/memory/ledger_index.h"
#include "engine/out_of_memory.h"

namespace plexus {

Result<std::vector<NodeWeight>> OutcomeValues(const Snapshot& snapshot, Executor* executor,
                                              const NodeSubset* inside) try {
  PLEXUS_ASSIGN(const auto ledger, memory_internal::LedgerInside(snapshot, inside, executor));
  std::vector<NodeId> members;
  for (const NodeId event : ledger->newest()) {
    if (ledger->event_outcomes(event) == 0) continue;
    const std::span<const NodeId> of = ledger->members(event);
    members.insert(members.end(), of.begin(), of.end());
  }
  std::ranges::sort(members);
  members.erase(std::ranges::unique(members).begin(), members.end());
  constexpr double kLeast = memory_internal::kLeastAdjustment;
  constexpr double kRange = memory_internal::kMostAdjustment - kLeast;
  std::vector<NodeWeight> values;
  values.reserve(members.size());
  for (const NodeId member : members)
    values.push_back(
        {member,
         (memory_internal::OutcomeAdjustment(ledger->member_outcomes(member)) - kLeast) / kRange});
  return values;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
