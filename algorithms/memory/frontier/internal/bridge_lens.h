// Bridge lens: memories within three hops of recorded edges that no event has together.
//
// bridge = 1 / hops, anchor = 1.5 + bridge, score = anchor + 2 bridge + 1.5 novelty + trust +
// adjustment (+ weight x structural fit); no threshold. Hops are those of the shortest undirected
// path over walked edges (structural_fit.h), through any alive facts; the path with the smallest
// ids is the proof. (vestige's GhostLink.)
//
// Exact and far from all pairs: members are ranked by what they add to a score at most, so a member
// and its hops bound every pair with it and what ranks behind it. One hop is mined first, then two
// and three by searches from the members that the bound still lets through.
// Private to algorithms/memory.
#pragma once

#include "algorithms/common/common.h"
#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/frontier/internal/pair_lens.h"
#include "algorithms/memory/ledger/ledger.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus::memory::internal {

inline constexpr std::uint32_t kMaxBridgeHops = 3;

// Computes: the best pairs of `pool`, behind `after` when it is given. Of the page, `next` is not
//   empty when there are more; whoever asks writes the cursor. Lists of tags and terms, reason and
//   question are not filled.
// Complexity: O(nodes + arcs of the members that the bounds let through, three hops deep).
// Errors: kInvalidArgument: a kind that the schema does not have.
// Threads: parallel; the page does not depend on the thread count. Throws std::bad_alloc.
Result<NeverComposedPage> MineBridge(const Snapshot& snapshot, const LedgerIndex& index,
                                     const NodeSubset& pool, const NeverComposedOptions& options,
                                     const PagePosition& after = {});

}  // namespace plexus::memory::internal
