// Power iteration over a Snapshot, from the teleport or from given scores.
#pragma once

#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/pagerank/pagerank.h"

namespace plexus::pagerank::internal {

// The scores to begin with, by dense id, with a sum of 1; empty when `first` is. kInvalidArgument:
// a score that is negative or not finite, or no sum above 0. May throw std::bad_alloc.
Result<std::vector<double>> StartScores(const DenseView& view, std::span<const double> first,
                                        Executor& executor);

// PageRank() begun at `first`, by NodeId. May throw std::bad_alloc.
Result<PageRankResult> IteratePageRank(const Snapshot& snapshot, const PageRankOptions& options,
                                       std::span<const double> first);

}  // namespace plexus::pagerank::internal
