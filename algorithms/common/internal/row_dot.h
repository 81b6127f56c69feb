// RowDot: the sum of one row's terms, gathered from wherever its neighbors point to.
//
// For kernels that want each row's own sum: PageRank in f64, HITS, Katz.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/types.h"

namespace plexus::common_internal {

// How far ahead the ids of sources are prefetched, in arcs. The processor follows a stream
// by itself, but not while its line buffers are full of gathers: an early prefetch made a sweep
// 1.3 to 1.6 times as fast. A prefetch beyond the end of an array does nothing.
constexpr std::size_t kPullAhead = 512;

// Terms [kFrom, kFrom + kCount) of a row as a balanced tree.
template <std::uint32_t kFrom, std::uint32_t kCount, class Term>
inline auto TermTree(const Term& term) {
  if constexpr (kCount == 1) {
    return term(kFrom);
  } else {
    constexpr std::uint32_t kLeft = kCount / 2;
    return TermTree<kFrom, kLeft>(term) + TermTree<kFrom + kLeft, kCount - kLeft>(term);
  }
}

// The sum of one row: trees of eight, taken in turn to two sums of f64.
template <bool kWeighted, class Real>
inline double RowDot(const NodeId* neighbors, const float* weights, std::uint32_t count,
                     const Real* contribution) {
  std::uint32_t i = 0;
  auto term = [&](std::uint32_t k) {
    if constexpr (kWeighted)
      return contribution[neighbors[i + k]] * static_cast<Real>(weights[i + k]);
    else
      return contribution[neighbors[i + k]];
  };
  auto ahead = [&] {
    __builtin_prefetch(neighbors + i + kPullAhead);
    if constexpr (kWeighted) __builtin_prefetch(weights + i + kPullAhead);
  };
  double even = 0, odd = 0;
  if (count > 0) ahead();
  for (; i + 16 <= count; i += 16) {
    ahead();
    even += static_cast<double>(TermTree<0, 8>(term));
    odd += static_cast<double>(TermTree<8, 8>(term));
  }
  if (count & 8) {
    even += static_cast<double>(TermTree<0, 8>(term));
    i += 8;
  }
  if (count & 4) {
    odd += static_cast<double>(TermTree<0, 4>(term));
    i += 4;
  }
  if (count & 2) {
    even += static_cast<double>(TermTree<0, 2>(term));
    i += 2;
  }
  if (count & 1) odd += static_cast<double>(term(0));
  return even + odd;
}

}  // namespace plexus::common_internal
