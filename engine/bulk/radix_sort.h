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
void StableSortBy(std::vector<std::uint32_t>& order, std::vector<std::uint32_t>& scratch,
                  Key&& key) {
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
    for (std::size_t i = 0; i < n; ++i)
      scratch[start[(key(order[i]) >> shift) & kMask]++] = order[i];
    order.swap(scratch);
  }
}

// A position with its 64-bit key beside it, so that passes read in order.
struct KeyedPosition {
  std::uint64_t key;
  std::uint32_t position;
};

// Stably sorts `items` by key.
inline void StableSort(std::vector<KeyedPosition>& items, std::vector<KeyedPosition>& scratch) {
  const std::size_t n = items.size();
  std::uint64_t all_or = 0, all_and = ~std::uint64_t{0};
  bool sorted = true;
  for (std::size_t i = 0; i < n; ++i) {
    all_or |= items[i].key;
    all_and &= items[i].key;
    sorted &= i == 0 || items[i].key >= items[i - 1].key;
  }
  if (sorted) return;
  scratch.resize(n);
  constexpr int kBits = 11;
  constexpr std::uint64_t kMask = (1u << kBits) - 1;
  for (int shift = 0; shift < 64; shift += kBits) {
    if (!(((all_or ^ all_and) >> shift) & kMask)) continue;
    std::array<std::uint32_t, 1 << kBits> start{};
    for (const KeyedPosition& k : items) ++start[(k.key >> shift) & kMask];
    std::uint32_t sum = 0;
    for (auto& s : start) sum += std::exchange(s, sum);
    for (const KeyedPosition& k : items) scratch[start[(k.key >> shift) & kMask]++] = k;
    items.swap(scratch);
  }
}

// Stably sorts items[0, n) by the low `bits` bits of key(item), between `items` and
// `other` (both hold n); returns the one that has the result. For what fits a cache.
template <class Item, class Key>
Item* RadixSort(Item* items, Item* other, std::size_t n, int bits, Key&& key) {
  if (n < 128) {  // by insertion
    for (std::size_t i = 1; i < n; ++i) {
      const Item item = items[i];
      std::size_t at = i;
      for (; at > 0 && key(item) < key(items[at - 1]); --at) items[at] = items[at - 1];
      items[at] = item;
    }
    return items;
  }
  const int passes = (bits + 10) / 11;
  const int digit = (bits + passes - 1) / passes;
  const std::uint64_t mask = (std::uint64_t{1} << digit) - 1;
  std::uint32_t counts[6][2048] = {};
  for (std::size_t i = 0; i < n; ++i)
    for (int p = 0; p < passes; ++p) ++counts[p][(key(items[i]) >> (p * digit)) & mask];
  for (int p = 0; p < passes; ++p) {
    const int shift = p * digit;
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d <= mask; ++d) sum += std::exchange(counts[p][d], sum);
    for (std::size_t i = 0; i < n; ++i)
      other[counts[p][(key(items[i]) >> shift) & mask]++] = items[i];
    std::swap(items, other);
  }
  return items;
}

}  // namespace plexus
