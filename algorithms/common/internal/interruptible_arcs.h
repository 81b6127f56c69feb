// ForEachArcInterruptible: a row arc by arc, with a look at the clock also between arcs that a
// filter hides.
//
// Snapshot::ForEachArc calls for what passes its filter alone: in a row of millions of arcs of
// other kinds, or out of their valid time, in the base or in a delta, nobody would hear a
// deadline. Here the filter is asked outside.
#pragma once

#include "engine/snapshot.h"

namespace plexus::internal {

// Calls look() for every arc of the row that is not removed, then fn(const Arc&) if `filter` lets
// it through; either returns false to stop. The arcs and their order are those of ForEachArc. False
// when stopped.
template <class Poll, class Visit>
bool ForEachArcInterruptible(const Snapshot& snapshot, Direction direction, NodeId node,
                             const ArcFilter& filter, Poll&& poll, Visit&& visit) {
  const ArcFilter all = ArcFilter::All();
  const bool both = direction == Direction::kBoth;
  bool go_on = true;
  auto follow = [&](Direction side, bool after_out) {
    snapshot.ForEachArc(side, node, all, [&](const Arc& arc) {
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

}  // namespace plexus::internal
