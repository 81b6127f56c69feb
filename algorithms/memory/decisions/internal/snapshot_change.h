// What differs between two snapshots of a graph, of which the later continues the earlier.
#pragma once

#include <vector>

#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::memory::internal {

struct ChangedEdge {
  NodeId source, target;
  EdgeKindId kind;
  StringId label;
  bool linked;  // at some time valid in the later one alone; false: in the earlier one alone
  auto operator<=>(const ChangedEdge&) const = default;
};

// Edges of those kinds that are valid at some time, past or to come, in one of both alone (twice
// where each has such a time); ascending, symmetric ones once with the smaller id as the source.
// O(arcs of the runs that the later one does not share) where the base is shared, else O(arcs of
// both).
std::vector<ChangedEdge> EdgeChanges(const Snapshot& before, const Snapshot& after,
                                     const ArcFilter& kinds);

}  // namespace plexus::memory::internal
