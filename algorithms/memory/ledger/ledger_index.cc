// The index as a snapshot has it: kept, carried or made.
#include "algorithms/memory/ledger/ledger.h"

#include <algorithm>
#include <utility>

#include "algorithms/common/internal/selection.h"
#include "algorithms/memory/ledger/internal/ledger_index_value.h"
#include "engine/out_of_memory.h"

namespace plexus::memory {

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
