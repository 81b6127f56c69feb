// BitDistance: a query in four bit planes against rows of one bit a value, one function per
// instruction level.
//
//   differences[r] = sum over p of 2^p * (bits in which row r and plane p differ)
//
// exactly, so that every level gives the same numbers. Rows lie in groups of kBitGroup: word w of
// all of them, then word w + 1, so that a lane of a register is a row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "algorithms/common/simd_level.h"

namespace plexus::retrieval_internal {

inline constexpr std::size_t kBitGroup = 8;   // rows
inline constexpr std::size_t kBitPlanes = 4;  // of a query

// `planes`: kBitPlanes times `words`. `rows`: groups * words * kBitGroup.
using BitDistance = void (*)(const std::uint64_t* planes, std::size_t words,
                             const std::uint64_t* rows, std::size_t groups,
                             std::uint32_t* differences);

// The level, or the best one there is.
BitDistance PickBitDistance(SimdLevel level);

}  // namespace plexus::retrieval_internal
