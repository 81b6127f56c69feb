// Stable least-significant-digit radix sorts.
//
// Batches, runs and csr building all sort by several integer columns in turn;
// a stable pass per column, least significant first, does that in linear time.
// Digits that are constant over the input are skipped, so sorting by a kind that
// never changes costs one scan. Serial, deterministic.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace plexus {

// Stably sorts `items` by key(item), an unsigned number. `scratch` is resized as needed.
template <class Item, class Key>
void StableSortBy(std::vector<Item>& items, std::vector<Item>& scratch, Key&& key) {
  using Number = std::invoke_result_t<Key, const Item&>;
  const std::size_t n = items.size();
  if (n < 2) return;
  Number all_or = 0, all_and = ~Number{0}, previous = 0;
  bool sorted = true;
  for (const Item& item : items) {
    const Number k = key(item);
    all_or |= k;
    all_and &= k;
    sorted &= k >= previous;
    previous = k;
  }
  if (sorted) return;
  const Number varying = all_or ^ all_and;
  scratch.resize(n);
  constexpr int kBits = 11;
  constexpr Number kMask = (1u << kBits) - 1;
  for (int shift = 0; shift < std::numeric_limits<Number>::digits; shift += kBits) {
    if (!((varying >> shift) & kMask)) continue;
    std::array<std::uint32_t, 1 << kBits> start{};
    for (const Item& item : items) ++start[(key(item) >> shift) & kMask];
    std::uint32_t sum = 0;
    for (auto& s : start) sum += std::exchange(s, sum);
    for (const Item& item : items) scratch[start[(key(item) >> shift) & kMask]++] = item;
    items.swap(scratch);
  }
}

// A position with its 64-bit key beside it, so that passes read in order.
struct KeyedPosition {
  std::uint64_t key;
  std::uint32_t position;
};

// How many items each chunk has of each part (counts[chunk * parts + part]) becomes where it writes
// them: part after part, in each the chunks in order. Returns where parts begin, and the end.
template <class Count>
std::vector<Count> PlaceParts(std::vector<Count>& counts, std::size_t parts) {
  std::vector<Count> begin(parts + 1);
  Count sum = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    begin[part] = sum;
    for (std::size_t at = part; at < counts.size(); at += parts)
      sum += std::exchange(counts[at], sum);
  }
  begin[parts] = sum;
  return begin;
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
