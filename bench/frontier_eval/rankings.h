// Rankings of sets that no event has: link predictors over who was changed with whom, and the
// surface lens' score with a term left out.
//
// All of them look at every set of a pool, so they also check the engine's lists. A set of three is
// scored by the sum of its three pairs; of the surface lens by its own rule.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "bench/frontier_eval/dataset.h"

namespace plexus::bench {

struct RankedSet {
  double score = 0;
  std::array<std::uint32_t, 3> files{};  // `arity` of them, ascending
};

struct Ranking {
  std::string name;
  std::vector<RankedSet> sets;  // best first, ties by files
  double seconds = 0;           // of the processor, where it was timed
};

// Of sets of `arity` (2 or 3) files of `pool`: common neighbours, Adamic-Adar, preferential
// attachment, jaccard; the surface score; the same without anchor, bridge, novelty, trust,
// adjustment. `depth` sets each. `candidates`: how many sets no event has.
std::vector<Ranking> RankAll(const Dataset& data, const std::vector<std::uint32_t>& pool, int arity,
                             std::size_t depth, std::size_t& candidates);

}  // namespace plexus::bench
