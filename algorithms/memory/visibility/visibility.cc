// Visible nodes: which of the sets that a state keeps serves a time, or how to get one that does.
//
// Two sets are kept, so that questions about two times that come in turn (now, and some other
// day) do not drive each other out.
#include "algorithms/memory/visibility/visibility.h"

#include <array>

#include "algorithms/common/internal/selection.h"
#include "algorithms/memory/visibility/internal/visible_set.h"
#include "engine/out_of_memory.h"

namespace plexus::memory {

Result<std::shared_ptr<const NodeSubset>> VisibleNodes(const Snapshot& snapshot,
                                                       std::int64_t now_ms,
                                                       const VisibleOptions& options) try {
  auto make = [&] {
    return internal::VisibleSet::Make(snapshot, now_ms, options.include_superseded,
                                      common_internal::Pick(options.run.executor),
                                      options.run.budget);
  };
  const auto late = [] { return Cancelled("which nodes are visible was not found in time"); };
  if (!options.use_cache) {
    const auto set = make();
    if (!set) return late();
    return set->nodes();
  }
  const std::uint32_t first = options.include_superseded ? 2 : 0;
  std::array<std::shared_ptr<const internal::VisibleSet>, 2> sets;
  for (std::uint32_t slot = 0; slot < 2; ++slot) {
    sets[slot] = FindDerived<internal::VisibleSet>(snapshot, first + slot);
    if (!sets[slot] || !sets[slot]->Holds(now_ms)) continue;
    if (!sets[slot]->recent) sets[slot]->recent = true;
    return sets[slot]->nodes();
  }
  std::shared_ptr<const internal::VisibleSet> made;
  for (const auto& set : sets)
    if (!made && set) made = set->AtTime(snapshot, now_ms);
  if (!made) made = make();
  if (!made) return late();
  std::uint32_t to = 1;  // a free place, or that of the set that was not used of late
  if (!sets[0] || (sets[1] && sets[1]->recent && !sets[0]->recent)) to = 0;
  if (sets[1 - to]) sets[1 - to]->recent = false;
  ReplaceDerived<internal::VisibleSet>(snapshot, made, first + to);
  return made->nodes();
}
PLEXUS_CATCH_NO_MEMORY

Result<Visible> VisibleIn(const Snapshot& snapshot, std::int64_t now_ms, const NodeSubset* scope,
                          const VisibleOptions& options) try {
  now_ms = snapshot.TimeOr(now_ms);
  PLEXUS_ASSIGN(const auto nodes, VisibleNodes(snapshot, now_ms, options));
  return Visible{scope ? nodes->Intersect(*scope) : *nodes, scope, now_ms};
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
