// LargestWeight: no arc that a filter lets through weighs more.
//
// What a bounded search needs to know before it may leave anything out. Found by one
// pass over the weights of each part of a snapshot, base or run, and kept with that
// part while it lives: a part never changes, so a new batch costs one look at its own arcs
// and not at the graph. Arcs that the delta replaced still count: it is a bound.
#pragma once

#include <optional>

#include "algorithms/budget.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::internal {

// At least the weight of every arc that passes `filter`; 0 when there is none. O(kinds)
// when the parts are known, else O(arcs of the new parts), in parallel. Nothing when the
// deadline passed or the caller asked to stop meanwhile. Thread-safe.
std::optional<float> LargestWeight(const Snapshot& snapshot, const ArcFilter& filter, const Budget& budget,
                                   Executor& executor);

}  // namespace plexus::internal
