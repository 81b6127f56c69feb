// Inner product, squared distance and cosine of two f32 vectors, f64 results.
//
// Three instruction levels of the same text: scalar f64 loops, AVX2 and AVX-512
// through Highway. The best one that the machine has is taken unless the caller
// forces another. The wide levels sum stretches of at most 512 products in f32 and
// fold them into f64, so that every level is within 1e-6 of the exact value,
// relative to |a||b| (to |a - b|^2 for the distance): a stretch makes at most 14
// roundings of 2^-24 (Higham, Accuracy and Stability, 2nd ed., section 4.2: sums in
// a tree). Products that f32 cannot hold are done again in f64. Of differences and
// products below 1e-22 squared, some count as zero.
//
// Pure functions, thread-safe, no alignment needed. REQUIRES a.size() == b.size()
// and finite values.
#pragma once

#include <span>

#include "algorithms/common/simd_level.h"

namespace plexus {

// A level that the machine lacks is replaced by the best one it has.
double InnerProduct(std::span<const float> a, std::span<const float> b,
                    SimdLevel level = SimdLevel::kBest);
double SquaredDistance(std::span<const float> a, std::span<const float> b,
                       SimdLevel level = SimdLevel::kBest);
// In [-1, 1]; 0 when either vector is zero; exactly 1 for a vector and itself.
double Cosine(std::span<const float> a, std::span<const float> b,
              SimdLevel level = SimdLevel::kBest);

}  // namespace plexus
