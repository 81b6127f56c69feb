// Ranking: top scores, scores divided by the maximum, percentile ranks.
//
// PageRank sums to 1, so a raw score says little. Thresholds ("salience above 0.7") use the
// percentile. `nodes` holds the ids that take part; the others get 0. REQUIRES scores without NaN.
//
// Errors: kResourceExhausted: no memory. Threads: thread-safe; they run on the caller's thread.
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

// Computes: the `top` best of `nodes`, best first, ties by smaller id. 0 = all of them.
// Complexity: O(n + top log top) expected.
Result<std::vector<ScoredNode>> TopScores(std::span<const double> scores, const NodeSubset& nodes,
                                          std::size_t top);

// Computes: score / largest score. All are 0 when the largest is 0.
// Complexity: O(n).
Result<std::vector<double>> ScaleByMaximum(std::span<const double> scores, const NodeSubset& nodes);

// Computes: the share of other nodes with a smaller score; ties count half. The best of distinct
//   scores gets 1, the worst 0. Equal scores all get 0.5, and so does a single node.
// Complexity: O(n log n).
Result<std::vector<double>> PercentileRanks(std::span<const double> scores,
                                            const NodeSubset& nodes);

}  // namespace plexus
