// Tombstones of nodes: the edge changes that take away what the nodes are linked with.
#pragma once

#include <span>
#include <vector>

#include "engine/record.h"
#include "engine/snapshot.h"

namespace plexus {

// The edges of `nodes` that the filter admits, in either direction, as tombstones in the order of a
// record, each once. Nodes that `now` does not have are left out. O(e log e) for e edges.
std::vector<EdgeChange> TombstonesOf(const Snapshot& now, std::span<const NodeId> nodes,
                                     const ArcFilter& filter);

}  // namespace plexus
