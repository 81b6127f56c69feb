// How many bits two rows of words have in common, at the best instruction level.
//
// The wall between the dispatched text (bitset_intersection.cc) and everything else.
#pragma once

#include <cstddef>
#include <cstdint>

#include "algorithms/common/common.h"

namespace plexus::community::internal {

// Bits set in both a[i] and b[i], i < words. No alignment needed.
using CountCommonFn = std::uint64_t (*)(const std::uint64_t* a, const std::uint64_t* b,
                                        std::size_t words);

// Null when the machine or the build lacks the level; kBest and kScalar are always there.
CountCommonFn FindCountCommon(SimdLevel level);

}  // namespace plexus::community::internal
