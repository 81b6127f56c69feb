// BucketSortTopK: the best of a list of scores, best first, ties by id, in about linear time.
//
// Comparing a hundred random scores costs a wrongly guessed branch for every other
// comparison, which was a third of a small traversal. Here each score picks one of up to 256
// equal steps between the best and the worst (a monotone function of the score, so steps
// never contradict the order), one pass counts, one places, and only what shares a step
// is compared. Steps beyond the `top` best are not placed. Lists that crowd into few
// steps are sorted the ordinary way.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/types.h"

namespace plexus::traversal::internal {

// One by one, for what is nearly in order.
template <class T, class Less>
void InsertionSort(T* first, T* past, Less less) {
  for (T* i = first; i + 1 < past; ++i)
    for (T* j = i + 1; j > first && less(*j, *(j - 1)); --j) std::swap(*j, *(j - 1));
}

// What shares a step: many are sorted, few inserted one by one.
template <class T, class Less>
void SortBucket(T* first, T* past, Less less) {
  constexpr std::ptrdiff_t kMaxInsertionSort = 16;
  if (past - first > kMaxInsertionSort) return std::sort(first, past, less);
  InsertionSort(first, past, less);
}

struct ScoredLabel {
  double value = 0;  // >= 0, finite
  NodeId node = kNoNode;
  std::uint32_t label = 0;
};

inline bool BetterLabel(const ScoredLabel& a, const ScoredLabel& b) {
  return a.value != b.value ? a.value > b.value : a.node < b.node;
}

// Sorts `list` best first and cuts it to `top` (0 = all); `spare` is scratch. O(n) for
// spread scores, O(n log n) at worst. REQUIRES distinct nodes.
inline void BucketSortTopK(std::vector<ScoredLabel>& list, std::size_t top,
                           std::vector<ScoredLabel>& spare) {
  constexpr std::size_t kSteps = 256, kMaxInsertionSort = 16;
  const std::size_t wanted = top == 0 ? list.size() : std::min(top, list.size());
  auto ordinary = [&] {
    const auto cut = list.begin() + static_cast<std::ptrdiff_t>(wanted);
    if (wanted < list.size()) std::nth_element(list.begin(), cut, list.end(), BetterLabel);
    std::sort(list.begin(), cut, BetterLabel);
    list.resize(wanted);
  };
  if (wanted < kMaxInsertionSort) return ordinary();
  double least = list[0].value, most = list[0].value;
  for (const ScoredLabel& l : list) {
    least = std::min(least, l.value);
    most = std::max(most, l.value);
  }
  const std::size_t steps = std::min(std::bit_ceil(list.size()) * 2, kSteps);
  const double scale = static_cast<double>(steps - 1) / (most - least);
  if (!std::isfinite(scale) || list.size() > kSteps * kMaxInsertionSort) return ordinary();
  auto step = [&](const ScoredLabel& l) {
    return static_cast<std::size_t>(static_cast<std::uint32_t>((most - l.value) * scale));
  };
  std::array<std::uint32_t, kSteps + 2> begins;  // of a step, after the second loop
  std::fill_n(begins.begin(), steps + 2, 0);
  for (const ScoredLabel& l : list) ++begins[std::min(step(l), steps) + 1];
  std::size_t last = 0;  // the step in which the list is cut
  std::uint32_t crowd = 0;
  for (std::size_t s = 0; s <= steps; ++s) {
    if (begins[s] < wanted) last = s;
    crowd = std::max(crowd, begins[s + 1]);
    begins[s + 1] += begins[s];
  }
  spare.resize(begins[last + 1]);
  const std::size_t past = spare.size();
  // As it is filled a step's begin moves to its end.
  for (const ScoredLabel& l : list)
    if (const std::size_t s = std::min(step(l), steps); s <= last) spare[begins[s]++] = l;
  if (crowd <= kMaxInsertionSort)  // nothing is far from its place
    InsertionSort(spare.data(), spare.data() + past, BetterLabel);
  else
    for (std::size_t s = 0, from = 0; s <= last; from = begins[s++])
      SortBucket(spare.data() + from, spare.data() + begins[s], BetterLabel);
  spare.resize(wanted);
  list.swap(spare);
}

}  // namespace plexus::traversal::internal
