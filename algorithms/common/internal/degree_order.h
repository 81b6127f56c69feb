// The order by falling degree that private layouts number sources in, and when it is worth its
// cost.
#pragma once

#include <bit>
#include <cstdint>

namespace plexus::common_internal {

// Buckets of falling degree, to a quarter of an octave: coarse enough to leave nodes that
// were near each other so.
inline constexpr std::uint32_t kDegreeBuckets = 4 * 33;
inline std::uint32_t DegreeBucket(std::uint32_t degree) {
  const auto octave = static_cast<std::uint32_t>(std::bit_width(degree));
  const std::uint32_t quarter = octave >= 3 ? degree >> (octave - 3) & 3 : 0;
  return kDegreeBuckets - 1 - (4 * octave + quarter);
}

// Few nodes hold most arcs: the first sixteenth, by degree, two fifths of all or more. On an
// even graph the order would cost locality and bring nothing.
template <class Number>
bool IsSkewed(Number arcs_of_first_sixteenth, Number arcs) {
  return arcs_of_first_sixteenth * 5 >= arcs * 2;
}

}  // namespace plexus::common_internal
