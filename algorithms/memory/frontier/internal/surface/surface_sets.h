// The best never-composed sets of three to five members, exactly.
//
// No set scores more than the mean worth of its pairs (surface_score.h). Where that is at least a
// threshold, taking out the member with the smallest sum of worths leaves a set of which the same
// holds, down to a pair. So all sets come from pairs worth the threshold, one member at a time, and
// the next member must have a pair with one of the others that is worth what the mean still needs.
// The threshold is guessed and falls, as for pairs.
//
// Sets whose pairs are all composed (closed wedges), asked for alone, are found in the ledger.
// Private to algorithms/memory.
#pragma once

#include "algorithms/memory/frontier/internal/surface/surface_pairs.h"
#include "algorithms/memory/frontier/internal/surface/surface_score.h"
#include "engine/parallel.h"

namespace plexus::memory::internal {

RankedList TopSets(const SurfaceScore& score, const ListQuery& query, Executor& executor);

// Parts of the pairs (i, j), i < j, in that order.
std::vector<PairParts> PartsOf(const SurfaceScore& score, std::span<const Row> members);
std::vector<NodeId> NodesOf(const SurfacePool& pool, std::span<const Row> rows);

}  // namespace plexus::memory::internal
