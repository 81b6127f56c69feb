// MaxWeight: no arc that a filter lets through weighs more.
//
// What a bounded search needs to know before it may leave anything out. Runs know it from
// the start; of a base it is found once, by one pass over its weights, and kept with it and with
// what compaction makes of it. Arcs that the delta replaced still count: it is a bound.
#pragma once

#include <optional>

#include "algorithms/common/common.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::traversal::internal {

// At least the weight of every arc that passes `filter`; 0 when none exists. O(runs * kinds)
// when the base is known, else O(its arcs), in parallel. Nothing when the
// deadline passed or the caller asked to stop meanwhile. Thread-safe.
std::optional<float> MaxWeight(const Snapshot& snapshot, const ArcFilter& filter,
                               const Budget& budget, Executor& executor);

}  // namespace plexus::traversal::internal
