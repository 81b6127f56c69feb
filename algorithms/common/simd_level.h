// SimdLevel: the instruction level of a vector kernel.
//
// A vector kernel is compiled as scalar code, for AVX2 and for AVX-512. Tests force a level. All
// others take the best one of the machine, but none above what the environment variable PLEXUS_SIMD
// names ("scalar" or "avx2"), which is read once.
#pragma once

#include <cstdint>
#include <string_view>

namespace plexus {

enum class SimdLevel : std::uint8_t { kBest, kScalar, kAvx2, kAvx512 };

// True when this machine has the level. kBest and kScalar always are.
bool HasSimdLevel(SimdLevel level);
// The level that kBest means in this process.
SimdLevel BestSimdLevel();
// "scalar", "avx2", "avx512" or "best".
std::string_view SimdLevelName(SimdLevel level);

}  // namespace plexus
