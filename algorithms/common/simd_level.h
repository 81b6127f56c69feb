// SimdLevel: the instruction level of a vector kernel.
//
// Every kernel is compiled as scalar code and, through Highway, for AVX2 and AVX-512. Tests force a
// level. All others take the best level of the machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace plexus {

enum class SimdLevel : std::uint8_t { kBest, kScalar, kAvx2, kAvx512 };

// True when this machine and build have the level. kBest and kScalar always are.
bool HasSimdLevel(SimdLevel level);
// The level that kBest means on this machine.
SimdLevel BestSimdLevel();
// "scalar", "avx2", "avx512" or "best".
std::string_view SimdLevelName(SimdLevel level);

}  // namespace plexus
