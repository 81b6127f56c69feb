// The best never-composed sets of three to five members by the lens likely, exactly.
//
// No set scores more than the mean worth of its pairs and the rest (likely_score.h). Where that
// mean is a number or more, taking out the member with the smallest sum of worths leaves a set of
// which the same holds, down to a pair. So from the K pairs that are worth most all sets are grown
// whose mean is the K-th worth or more, one member at a time, each found by its strongest pair with
// those before. While that does not settle the list, K grows. Private to algorithms/memory.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/memory/frontier/internal/likely_score.h"
#include "engine/parallel.h"

namespace plexus::memory::internal {

struct LikelyList {
  std::vector<PageEnd> sets;  // best first
  bool truncated = false;
  std::uint64_t compared = 0, scored = 0;
};

LikelyList LikelyPairs(const LikelyScore& score, std::size_t top, Executor& executor);
LikelyList LikelySets(const LikelyScore& score, std::size_t top, Executor& executor);

}  // namespace plexus::memory::internal
