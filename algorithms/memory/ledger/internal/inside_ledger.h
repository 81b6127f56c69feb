// The part of a ledger whose events lie, with all their members, inside a set of nodes.
// Private to algorithms/memory.
#pragma once

#include <memory>

#include "algorithms/common/common.h"
#include "algorithms/memory/ledger/ledger.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::memory::internal {

// Whether all members of the event are inside.
bool IsInside(const LedgerIndex& ledger, NodeId event, const NodeSubset& inside);

// The ledger of only these events, or the whole one when `inside` is null. O(nodes + members).
// Errors: those of LedgerIndex::Of. Throws std::bad_alloc.
Result<std::shared_ptr<const LedgerIndex>> LedgerInside(const Snapshot& snapshot,
                                                        const NodeSubset* inside,
                                                        Executor* executor);

// What a lens may walk through: `inside`, the index nodes that are no events and no outcomes, and
// the events inside with their outcomes. O(nodes + members). Errors and throws: as above.
Result<NodeSubset> WalkableInside(const Snapshot& snapshot, const NodeSubset& inside,
                                  Executor* executor);

}  // namespace plexus::memory::internal
