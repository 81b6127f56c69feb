// NarrowUppers: upper bounds of the ranks of rows in 8 bits, one function per instruction level.
//
// 16 rows make a group, whose codes lie by steps of 4: a step has the first 4 codes of row 0, of
// row 1 and so on, then come the next 4. So a lane belongs to one row, and neither the sums nor the
// arithmetic of the bounds cross lanes. Codes are widened to 16 bits, and pairs of products are
// added up in 32; with the query in 16 bits that is exact, so every level has the same sums.
#pragma once

#include <cstddef>
#include <cstdint>

#include "algorithms/common/common.h"
#include "engine/schema.h"

namespace plexus::retrieval::internal {

inline constexpr std::size_t kNarrowGroup = 16;  // rows
inline constexpr std::size_t kNarrowStep = 4;    // codes

struct NarrowGroups {
  const std::int8_t* codes;  // [count][steps][kNarrowGroup][kNarrowStep]
  const float* bounds;       // [count]{scale, norm, error}[kNarrowGroup]
  std::size_t steps, count;
};

// A query, and what makes a bound of its product with a row of scale s, norm x and error e:
//   product = scale * s * (codes . codes) + of_error * e + of_norm * x
struct NarrowForm {
  Metric metric;
  const std::int16_t* codes;  // REQUIRES that no sum of |code| * 127 exceeds the largest int32
  double scale, of_error, of_norm;
  double norm;               // of the query. REQUIRES > 0.
  double kernel, vanishing;  // what the f32 kernels lose of squares, and what they take for zero
};

// upper[kNarrowGroup * i + r]: of row r of group i. Bit r of reach[i]: it is at least `least`.
using NarrowUppers = void (*)(const NarrowForm& form, const NarrowGroups& groups, double least,
                              double* upper, std::uint16_t* reach);

// The level, or the best one there is.
NarrowUppers PickNarrowUppers(SimdLevel level);

}  // namespace plexus::retrieval::internal
