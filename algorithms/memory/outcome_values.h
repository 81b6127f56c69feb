// What came of memories, as a term of a retrieval plan (retrieval/plan.h).
//
//   value = (adjustment + 0.8) / 1.3
//
// with the adjustment of never_composed.h over the outcomes of all events that have the memory,
// which lies in [-0.8, 0.5]. A memory without an outcome has the value of no adjustment.
#pragma once

#include <vector>

#include "algorithms/common/node_subset.h"
#include "algorithms/common/node_weight.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus {

inline constexpr double kNoOutcomeValue = 0.8 / 1.3;

// Computes: the values of all members of events with outcomes, ascending; of events all of whose
//   members are in `inside`, when there is one.
// Complexity: that of LedgerIndex::Of, and O(members log members).
// Errors: those of LedgerIndex::Of.
// Threads: thread-safe.
Result<std::vector<NodeWeight>> OutcomeValues(const Snapshot& snapshot,
                                              Executor* executor = nullptr,
                                              const NodeSubset* inside = nullptr);

}  // namespace plexus
