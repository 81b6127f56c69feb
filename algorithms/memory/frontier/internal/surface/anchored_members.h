// The part of a pool that the best pairs with a wanted tag can come from.
//
// One member of each pair carries a wanted tag. Its tags and terms lead to all that it is tied to;
// how many of them another member has (ScanCount: Li, Lu, Lu, "Efficient merging and filtering
// algorithms for approximate string searches", 2008) bounds the score of the pair. The members
// whose bound reaches the k-th best score that is known are the part. A pair outside of it scores
// less. Private to algorithms/memory.
#pragma once

#include <cstdint>
#include <optional>

#include "algorithms/common/common.h"
#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/frontier/internal/frontier_cursor.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::memory::internal {

struct AnchoredMembers {
  NodeSubset part;          // The list of this pool is that of the whole one.
  std::uint64_t whole = 0;  // Members of the whole pool.
};

// Nothing where this does not pay, or where the question has no wanted tags, has them on both
// sides, is of larger sets, or of vectors, structure or texts without an index.
// Complexity: O(nodes) by a few bytes, and the lists of the carriers' rarer tags and terms; the
// whole pool costs O(its tags and terms), several times.
// Errors: those of MakeSurfacePool. Throws std::bad_alloc.
Result<std::optional<AnchoredMembers>> MembersByTags(const Snapshot& snapshot,
                                                     const NeverComposedOptions& options,
                                                     const std::optional<PageEnd>& end,
                                                     Executor& executor);

}  // namespace plexus::memory::internal
