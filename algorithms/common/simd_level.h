// SimdLevel: the instruction level that a vector kernel is to take.
//
// Every kernel has a scalar text and, through Highway, the same text for AVX2 and AVX-512. Tests
// force a level; everyone else takes the best one that the machine has.
#pragma once

#include <cstdint>
#include <string_view>

namespace plexus {

enum class SimdLevel : std::uint8_t { kBest, kScalar, kAvx2, kAvx512 };

// Whether this machine and build have the level; kBest and kScalar always.
bool HasSimdLevel(SimdLevel level);
// The level that kBest stands for here.
SimdLevel BestSimdLevel();
// "scalar", "avx2", "avx512", "best".
std::string_view SimdLevelName(SimdLevel level);

}  // namespace plexus
