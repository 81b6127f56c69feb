// Tombstones of nodes: the edge changes that take away what the nodes are linked with.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "engine/record.h"
#include "engine/snapshot.h"
#include "engine/vocabulary.h"

namespace plexus {

// The edges of `nodes` that the filter admits, in either direction, as tombstones in the order of a
// record, each once. Nodes that `now` does not have are left out. O(e log e) for e edges.
std::vector<EdgeChange> TombstonesOf(const Snapshot& now, std::span<const NodeId> nodes,
                                     const ArcFilter& filter);

// --- Edges that say which words or tags a fact has.
//
// A feed, and the past, tell nothing of these edges of a fact that is purged later
// (storage/purge/purge_mask.h), a feed only that they changed. So a follower may have fewer of them
// than its source, until the record of the purge comes (graph_replay.cc).

inline constexpr EdgeKindId kWordEdges[] = {builtin::kHasTag, builtin::kHasTerm};
constexpr bool TellsWords(EdgeKindId kind) {
  return std::ranges::find(kWordEdges, kind) != std::end(kWordEdges);
}

}  // namespace plexus
