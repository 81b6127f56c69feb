// One pass over the events that have outcomes.
#include "algorithms/memory/frontier/frontier.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/memory/ledger/internal/inside_ledger.h"
#include "algorithms/memory/ledger/internal/prior_outcomes.h"
#include "algorithms/memory/ledger/ledger.h"
#include "engine/out_of_memory.h"

namespace plexus::memory {

Result<std::vector<NodeWeight>> OutcomeValues(const Snapshot& snapshot, Executor* executor,
                                              const NodeSubset* inside) try {
  PLEXUS_ASSIGN(const auto ledger, LedgerIndex::Of(snapshot, executor));
  std::vector<std::pair<NodeId, OutcomeSet>> members;
  for (const NodeId event : ledger->newest()) {
    const OutcomeSet outcomes = ledger->event_outcomes(event);
    if (outcomes == 0 || (inside && !internal::IsInside(*ledger, event, *inside))) continue;
    for (const NodeId member : ledger->members(event)) members.emplace_back(member, outcomes);
  }
  std::ranges::sort(members);
  constexpr double kLeast = internal::kLeastAdjustment;
  constexpr double kRange = internal::kMostAdjustment - kLeast;
  std::vector<NodeWeight> values;
  for (std::size_t i = 0; i < members.size();) {
    const NodeId member = members[i].first;
    OutcomeSet all = 0;
    for (; i < members.size() && members[i].first == member; ++i)
      all = static_cast<OutcomeSet>(all | members[i].second);
    values.push_back({member, (internal::OutcomeAdjustment(all) - kLeast) / kRange});
  }
  return values;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
