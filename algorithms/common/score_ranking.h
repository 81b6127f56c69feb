// Ranking: from raw scores to what people compare: the top, shares of the
// maximum, percentile ranks.
//
// PageRank sums to 1, so a raw score says little; thresholds ("salience above
// 0.7") use the percentile. `nodes` names the ids that take part; the others
// get 0. Scores must not be NaN. All functions are thread-safe; they run on the caller's thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/common/node_subset.h"
#include "engine/error.h"
#include "engine/types.h"

namespace plexus {

struct ScoredNode {
  NodeId node = kNoNode;
  double score = 0;
  bool operator==(const ScoredNode&) const = default;
};

// The `top` best of `nodes`, best first, ties by smaller id; 0 = all of them.
// O(n + top log top) expected.
Result<std::vector<ScoredNode>> TopScores(std::span<const double> scores, const NodeSubset& nodes,
                                          std::size_t top);

// score / largest score; all 0 when the largest is 0. O(n).
Result<std::vector<double>> ScaleByMaximum(std::span<const double> scores, const NodeSubset& nodes);

// Share of the other nodes that score less, ties counting half: the best of
// distinct scores gets 1, the worst 0, all equal 0.5, a single node 1. O(n log n).
Result<std::vector<double>> PercentileRanks(std::span<const double> scores,
                                            const NodeSubset& nodes);

}  // namespace plexus
