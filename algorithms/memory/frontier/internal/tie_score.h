// A score as sets are ranked by: what is equal by the formula is equal in bits.
//
// Sums of tenths and thirds differ in their last bits by the order and the terms that they are of.
// Here they are rounded to ten decimals. The middle between two steps is moved to where sums of
// tenths, of small fractions and of powers of two do not lie, so that no such sum is rounded up
// once and down once. Private to algorithms/memory.
#pragma once

#include <cmath>

namespace plexus::memory::internal {

inline double TieScore(double score) {
  constexpr double kSteps = 1e10, kGolden = 0.6180339887498949;
  return std::floor(score * kSteps + kGolden) / kSteps;
}

}  // namespace plexus::memory::internal
