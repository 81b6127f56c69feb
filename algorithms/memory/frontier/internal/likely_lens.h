// Likely lens: pairs and sets that come next, as the ledger's own past lets expect.
//
// Two memories are likely when they were used with the same others, lately and in small events, and
// are themselves in use (likely_rows.h, likely_score.h). While the ledger is young, tags and terms
// that few have tell more; with no event and equal trust the order is that of `rare`. Decayed
// Adamic-Adar; figures in bench/RESULTS.md. Pairs come from the wedge join of similarity, sets are
// grown from its strongest pairs. Private to algorithms/memory.
#pragma once

#include <optional>

#include "algorithms/common/common.h"
#include "algorithms/memory/frontier/frontier.h"
#include "algorithms/memory/frontier/internal/frontier_cursor.h"
#include "algorithms/memory/ledger/ledger.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus::memory::internal {

// Computes: the best sets of `pool`, behind `after` when it is given. Of the page, `next` is not
//   empty when there are more; whoever asks writes the cursor. Lists of tags and terms, reason and
//   question are not filled.
// Complexity: that of the rows (likely_rows.h), then the wedges that bounds cannot exclude; of sets
//   also the rows of members of the strongest pairs.
// Errors: kInvalidArgument: a kind that the schema does not have. kUnsupported: too many arcs.
// Threads: parallel; the page does not depend on the thread count. Throws std::bad_alloc.
Result<NeverComposedPage> MineLikely(const Snapshot& snapshot, const LedgerIndex& index,
                                     const NodeSubset& pool, const NeverComposedOptions& options,
                                     const std::optional<PageEnd>& after = {});

}  // namespace plexus::memory::internal
