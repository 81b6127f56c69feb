// HalfDecode: rows of halves as rows of f32, one function per instruction level.
//
// The wall around the dispatched text (half_decode.cc). Every half is an f32 exactly, so levels
// agree bit by bit and with FloatFromHalf (engine/vectors/half.h).
#pragma once

#include <cstddef>

#include "algorithms/common/common.h"

namespace plexus::retrieval::internal {

// Row i is the first `stride` halves at rows + i * row_bytes, and goes to values + i * stride.
// REQUIRES a stride that is a multiple of 16.
using HalfDecode = void (*)(const std::byte* rows, std::size_t row_bytes, std::size_t count,
                            std::size_t stride, float* values);

// Null when the machine or the build lacks the level.
HalfDecode FindHalfDecode(SimdLevel level);
// Of the level, or of the best one there is.
HalfDecode PickHalfDecode(SimdLevel level);

}  // namespace plexus::retrieval::internal
