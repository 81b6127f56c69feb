// A 64-bit number well mixed: splitmix64 (Steele, Lea, Flood, 2014).
#pragma once

#include <cstdint>

namespace plexus::common_internal {

inline std::uint64_t SplitMix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

}  // namespace plexus::common_internal
