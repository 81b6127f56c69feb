// NarrowDot: a query of 16-bit whole numbers against many rows of 8-bit ones, one function per
// instruction level.
//
// dots[i] = query . codes[i * stride, i * stride + n), exactly, so that every level gives the same
// numbers. n is a multiple of kNarrowStep. REQUIRES that no sum of |query[j]| * 127 exceeds the
// largest int32 (NarrowQuery sees to it).
#pragma once

#include <cstddef>
#include <cstdint>

#include "algorithms/common/simd_level.h"

namespace plexus::retrieval_internal {

inline constexpr std::size_t kNarrowStep = 32;  // codes

using NarrowDot = void (*)(const std::int16_t* query, std::size_t n, const std::int8_t* codes,
                           std::size_t stride, std::size_t count, std::int32_t* dots);

// The level, or the best one there is.
NarrowDot PickNarrowDot(SimdLevel level);

}  // namespace plexus::retrieval_internal
