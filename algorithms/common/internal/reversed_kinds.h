// ReversedKinds: kinds whose edges are followed from target to source, whatever way the rest is.
//
// Rank may flow along depends_on as it is stored and along causes against it: one row is then
// the arcs of the one direction, followed by those of the other.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus::common_internal {

class ReversedKinds {
 public:
  ReversedKinds() = default;  // none
  // kInvalidArgument: a kind that the schema does not have, or that is not among those
  // followed (`followed` without a list: the fact plane).
  static Result<ReversedKinds> Make(const Schema& schema, std::span<const EdgeKindId> reversed,
                                    const EdgeKinds& followed) {
    ReversedKinds result;
    for (const EdgeKindId kind : reversed) {
      if (kind >= schema.edge_kinds().size() || schema.edge_kind(kind).name.empty())
        return Invalid("edge kind ", kind, " is to be reversed and does not exist");
      const bool is_followed =
          !followed.given() ? schema.edge_kind(kind).plane == Plane::kFact
                            : std::find(followed.begin(), followed.end(), kind) != followed.end();
      if (!is_followed)
        return Invalid("edge kind '", schema.edge_kind(kind).name,
                       "' is to be reversed and not followed");
      if (schema.edge_kind(kind).symmetric) continue;  // followed both ways anyway
      result.reversed_.resize(schema.edge_kinds().size());
      result.reversed_[kind] = true;
    }
    return result;
  }

  bool none() const { return reversed_.empty(); }

  // As Snapshot::ForEachArc, out or in, in the direction that results: of a reversed kind the
  // arcs come from the other side's row, after the others. fn returns whether to go on.
  template <class Fn>
  void ForEachArc(const Snapshot& snapshot, Direction direction, NodeId node,
                  const ArcFilter& filter, Fn&& fn) const {
    if (none()) return snapshot.ForEachArc(direction, node, filter, fn);
    bool on = true;
    for (const bool reversed : {false, true}) {
      if (!on) return;
      const bool out = (direction == Direction::kOut) != reversed;
      snapshot.ForEachArc(
          out ? Direction::kOut : Direction::kIn, node, filter,
          [&](const Arc& arc) { return reversed_[arc.kind] != reversed || (on = fn(arc)); });
    }
  }

 private:
  std::vector<bool> reversed_;  // by kind; empty = none
};

}  // namespace plexus::common_internal
