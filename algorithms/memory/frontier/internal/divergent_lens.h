// Divergent lens: memories without a recorded edge, never composed, that stand in different places.
//
// Nt(m) = distinct neighbours over walked edges (structural_fit.h). A member with one is profiled.
//   divergence(a, b) = 1 - |Nt(a) and Nt(b)| / sqrt(|Nt(a)| |Nt(b)|)
//   score            = min(path, 7) x divergence (+ weight x structural fit)
// path is the shortest undirected one over all fact edges, at most 6 hops; beyond counts 7. Pairs
// of divergence 0 are not listed. (vestige's GhostLink.)
//
// What is exact: the pairs of the first 2,000 profiled members (never composed first, then falling
// trust, then ids). All others have no place there: where Nt of either is empty nothing is
// measured, and a sample of such pairs is next to them with divergence 0, the juxtapositions.
// The sampler spreads: members in that order are dealt into buckets by scope, type and month of
// creation, taken from the buckets in turn, and matched i with i XOR r in rounds r = 1, 2 ...:
// every pair once. For a page of n it looks at max(64 n, 4096) positions, measures the path of at
// most max(16 n, 256) pairs, and keeps the n farthest. Private to algorithms/memory.
#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/frontier/internal/pair_lens.h"
#include "algorithms/memory/ledger/ledger.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus::memory::internal {

inline constexpr std::size_t kMaxProfiled = 2000;
inline constexpr std::uint32_t kPathRadius = 6, kBeyondRadius = 7;

// Computes: the best pairs of `pool`, behind `after` when it is given. Of the page, `next` is not
//   empty when there are more; whoever asks writes the cursor. `pool_cut`: there were more profiled
//   members than kMaxProfiled. Lists of tags and terms, reason and question are not filled.
// Complexity: O(nodes log nodes + kMaxProfiled^2), and a search over the graph for every 64 members
//   whose pairs a bound lets through. The bound of a path is the way over the commonest neighbours.
// Errors: kInvalidArgument: a kind that the schema does not have.
// Threads: parallel; the page does not depend on the thread count. Throws std::bad_alloc.
Result<NeverComposedPage> MineDivergent(const Snapshot& snapshot, const LedgerIndex& index,
                                        const NodeSubset& pool, const NeverComposedOptions& options,
                                        const PagePosition& after = {});

}  // namespace plexus::memory::internal
