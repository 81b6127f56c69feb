// Terms without a text: index nodes that are in no text.
#pragma once

#include <set>
#include <vector>

#include "engine/snapshot.h"

namespace plexus::storage_internal {

// Alive terms that no node outside of `but` has: words of only their texts, or of texts
// that were replaced, which no arc names any more. Ascending. O(nodes + arcs of the terms
// that only `but` has).
std::vector<NodeId> OrphanTerms(const Snapshot& now, const std::set<NodeId>& but);

}  // namespace plexus::storage_internal
