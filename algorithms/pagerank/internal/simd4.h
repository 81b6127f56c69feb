// Which of four doubles are zero, as a mask. The compiler takes a comparison of a vector that
// is wider than the machine's apart and branches on every lane, which for dangling nodes is
// unpredictable: a pass over the nodes took three times as long.
#pragma once

#include <cstdint>
#include <cstring>

namespace plexus::pagerank::internal {

using FourDoubles [[gnu::vector_size(32)]] = double;
using FourMasks [[gnu::vector_size(32)]] = std::int64_t;

inline void ZeroMask(const FourDoubles& values, FourMasks& mask) {
  using Two [[gnu::vector_size(16)]] = double;
  using TwoMasks [[gnu::vector_size(16)]] = std::int64_t;
  Two halves[2];
  std::memcpy(halves, &values, sizeof halves);
  const TwoMasks zero[2] = {halves[0] == 0.0, halves[1] == 0.0};
  std::memcpy(&mask, zero, sizeof zero);
}

}  // namespace plexus::pagerank::internal
