// ForEachArcInterruptible: a row arc by arc, with the budget polled also between arcs that a filter
// hides.
//
// Snapshot::ForEachArc visits only arcs that pass its filter. In a row of millions of arcs of other
// kinds or valid times no visit would notice a deadline, so here the filter is applied outside. But
// the kinds of a long row are searched, where the filter can be.
#pragma once

#include "engine/snapshot.h"
#include "engine/snapshot_rows.h"

namespace plexus::common_internal {

inline constexpr std::uint32_t kSearchedRow = 4'096;  // Shorter ones are walked as fast.

// Calls poll() for every arc of the row that is not removed, of a searched one of those kinds, then
// visit(const Arc&) if `filter` passes it; either returns false to stop. The arcs and their order
// are those of ForEachArc. False when stopped.
template <class Poll, class Visit>
bool ForEachArcInterruptible(const Snapshot& snapshot, Direction direction, NodeId node,
                             const ArcFilter& filter, Poll&& poll, Visit&& visit) {
  const bool both = direction == Direction::kBoth;
  bool go_on = true;
  auto follow = [&](Direction side, bool after_out) {
    const engine_internal::BaseRows rows(snapshot, side);
    const bool searched =
        !filter.ranges().empty() && rows.end(node) - rows.begin(node) > kSearchedRow;
    const ArcFilter walked = searched ? filter.ValidAt(kNoTime) : ArcFilter::All();
    snapshot.ForEachArc(side, node, walked, [&](const Arc& arc) {
      if (!poll()) return go_on = false;
      if (!filter.allows(arc.kind)) return true;
      if (after_out && (arc.neighbor == node || snapshot.schema().edge_kind(arc.kind).symmetric))
        return true;
      if (filter.checks_time() && !snapshot.PassesTime(arc.ref, filter.valid_at())) return true;
      return go_on = visit(arc);
    });
  };
  follow(both ? Direction::kOut : direction, false);
  if (both && go_on) follow(Direction::kIn, true);
  return go_on;
}

}  // namespace plexus::common_internal
