// Stable least-significant-digit radix sort of positions by 32-bit keys.
//
// Batches, runs and csr building all sort by several integer columns in turn;
// a stable pass per column, least significant first, does that in linear time.
// Digits that are constant over the input are skipped, so sorting by a kind that
// never changes costs one scan. Serial, deterministic.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace plexus {

// Stably reorders `order` (positions) by key(position), a std::uint32_t.
// `scratch` is resized as needed.
template <class Key>
void StableSortBy(std::vector<std::uint32_t>& order, std::vector<std::uint32_t>& scratch, Key&& key) {
  const std::size_t n = order.size();
  if (n < 2) return;
  std::uint32_t all_or = 0, all_and = ~std::uint32_t{0};
  bool sorted = true;
  std::uint32_t previous = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t k = key(order[i]);
    all_or |= k;
    all_and &= k;
    sorted &= k >= previous;
    previous = k;
  }
  if (sorted) return;
  const std::uint32_t varying = all_or ^ all_and;
  scratch.resize(n);
  constexpr int kBits = 11;
  constexpr std::uint32_t kMask = (1u << kBits) - 1;
  for (int shift = 0; shift < 32; shift += kBits) {
    if (!((varying >> shift) & kMask)) continue;
    std::array<std::uint32_t, 1 << kBits> start{};
    for (std::size_t i = 0; i < n; ++i) ++start[(key(order[i]) >> shift) & kMask];
    std::uint32_t sum = 0;
    for (auto& s : start) sum += std::exchange(s, sum);
    for (std::size_t i = 0; i < n; ++i) scratch[start[(key(order[i]) >> shift) & kMask]++] = order[i];
    order.swap(scratch);
  }
}

}  // namespace plexus
