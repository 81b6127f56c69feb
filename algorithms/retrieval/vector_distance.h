// Inner product, squared distance and cosine of two f32 vectors, as f64.
//
// Three instruction levels compute the same formula: scalar f64 loops, and AVX2 and AVX-512 through
// Highway. The wide levels sum stretches of at most 512 products in f32 and fold them into f64, so
// every level is within 1e-6 of the exact value, relative to |a||b| (to |a - b|^2 for the
// distance). A stretch makes at most 14 roundings of 2^-24 (Higham, Accuracy and Stability, 2nd
// ed., section 4.2). Products that overflow f32 are computed again in f64. Differences below 1e-22,
// and products below its square, may count as zero.
//
// Threads: pure functions, thread-safe. No alignment is needed. REQUIRES a.size() == b.size() and
//   finite values.
#pragma once

#include <span>

#include "algorithms/common/simd_level.h"

namespace plexus {

// A level that the machine lacks is replaced by its best one. O(dimensions) each.
double InnerProduct(std::span<const float> a, std::span<const float> b,
                    SimdLevel level = SimdLevel::kBest);
double SquaredDistance(std::span<const float> a, std::span<const float> b,
                       SimdLevel level = SimdLevel::kBest);
// In [-1, 1]. 0 when either vector is zero. Exactly 1 for a vector and itself.
double Cosine(std::span<const float> a, std::span<const float> b,
              SimdLevel level = SimdLevel::kBest);

}  // namespace plexus
