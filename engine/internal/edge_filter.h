// EdgeFilter: "the delta says nothing about this edge", in one memory access.
//
// A blocked Bloom filter (Putze, Sanders, Singler 2007) over the identities of all
// arcs in the delta, at least 8 bits each, three of them set in one 64-bit word: at
// most some five false positives in a hundred. Most appended edges are new; without
// the filter each would be looked up in every run. Belongs to the writer; not
// thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engine/arrays/aligned_array.h"
#include "engine/types.h"

namespace plexus {

class EdgeFilter {
 public:
  static std::uint64_t Hash(NodeId source, KindId kind, NodeId target, StringId label) {
    std::uint64_t h = ((std::uint64_t{source} << 32) | target) * 0x9E3779B97F4A7C15ull;
    h ^= ((std::uint64_t{label} << 16) | kind) * 0xC2B2AE3D27D4EB4Full;
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93ull;
    return h ^ (h >> 29);
  }
  // Empties the filter and makes room for `arcs` identities.
  void Reset(std::uint64_t arcs) {
    words_ =
        AlignedArray<std::uint64_t>(std::bit_ceil(std::max<std::uint64_t>(64, (arcs + 7) / 8)), 0);
    count_ = 0;
  }
  void Insert(std::uint64_t hash) {
    words_[Word(hash)] |= Mask(hash);
    ++count_;
  }
  // False: never inserted.
  bool MayContain(std::uint64_t hash) const {
    const std::uint64_t mask = Mask(hash);
    return (words_[Word(hash)] & mask) == mask;
  }
  void Prefetch(std::uint64_t hash) const { __builtin_prefetch(&words_[Word(hash)]); }
  std::uint64_t count() const { return count_; }
  std::uint64_t capacity() const { return words_.size() * 8; }

 private:
  std::size_t Word(std::uint64_t hash) const { return (hash >> 24) & (words_.size() - 1); }
  static std::uint64_t Mask(std::uint64_t hash) {
    return std::uint64_t{1} << (hash & 63) | std::uint64_t{1} << (hash >> 6 & 63) |
           std::uint64_t{1} << (hash >> 12 & 63);
  }

  AlignedArray<std::uint64_t> words_ = AlignedArray<std::uint64_t>(64, 0);
  std::uint64_t count_ = 0;
};

}  // namespace plexus
