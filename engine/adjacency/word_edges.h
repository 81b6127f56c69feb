// Edges that say which words or tags a fact has.
//
// A feed, and the past, tell nothing of these edges of a fact that is purged later
// (storage/purge/purge_mask.h), a feed only that they changed. So a follower may have fewer of them
// than its source, until the record of the purge comes (graph_replay.cc).
#pragma once

#include <algorithm>
#include <iterator>

#include "engine/vocabulary.h"

namespace plexus {

inline constexpr EdgeKindId kWordEdges[] = {builtin::kHasTag, builtin::kHasTerm};
constexpr bool TellsWords(EdgeKindId kind) {
  return std::ranges::find(kWordEdges, kind) != std::end(kWordEdges);
}

}  // namespace plexus
