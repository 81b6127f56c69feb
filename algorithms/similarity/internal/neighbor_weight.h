// What one shared neighbour adds to a similarity that is a sum
// (algorithms/similarity/similarity.h).
#pragma once

#include <cmath>
#include <cstdint>

#include "algorithms/similarity/similarity.h"

namespace plexus::similarity::internal {

inline bool IsSum(SimilarityMeasure measure) {
  return measure == SimilarityMeasure::kAdamicAdar ||
         measure == SimilarityMeasure::kResourceAllocation;
}

// Of a neighbour that `degree` nodes have. REQUIRES IsSum(measure), degree >= 2.
inline double NeighborWeight(SimilarityMeasure measure, std::uint64_t degree) {
  const double d = static_cast<double>(degree);
  return measure == SimilarityMeasure::kAdamicAdar ? 1.0 / std::log(d) : 1.0 / d;
}

}  // namespace plexus::similarity::internal
