// RestatedValues: what a later record states with another value.
//
// A batch takes the last value of each thing, so the graph cannot tell that one was replaced.
// Things go by a hash. Open addressing, one look-up a value. Not thread-safe; internal to
// storage/formats.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace plexus::formats::internal {

inline constexpr std::uint64_t kHashPrime = 0x9E3779B97F4A7C15;

class RestatedValues {
 public:
  // Forgets what was stated.
  void Reset() {
    std::ranges::fill(slots_, Slot{});
    count_ = 0;
  }

  // The line that stated another value of `thing`, or 0.
  std::uint64_t Note(std::uint64_t thing, std::uint32_t value, std::uint64_t line) {
    if (2 * (count_ + 1) > slots_.size()) Grow();
    thing = std::max<std::uint64_t>(thing, 1);
    Slot& slot = Find(slots_, thing);
    if (slot.thing == 0) {
      slot = {thing, line, value};
      ++count_;
      return 0;
    }
    const std::uint64_t before = std::exchange(slot.line, line);
    return std::exchange(slot.value, value) == value ? 0 : before;
  }

 private:
  struct Slot {
    std::uint64_t thing = 0, line = 0;  // 0: free
    std::uint32_t value = 0;
  };
  static Slot& Find(std::vector<Slot>& in, std::uint64_t thing) {
    const std::size_t mask = in.size() - 1;
    const std::uint64_t hash = thing * kHashPrime;
    std::size_t at = (hash ^ (hash >> 32)) & mask;
    while (in[at].thing != 0 && in[at].thing != thing) at = (at + 1) & mask;
    return in[at];
  }
  void Grow() {
    std::vector<Slot> larger(std::max<std::size_t>(2 * slots_.size(), 256));
    for (const Slot& slot : slots_)
      if (slot.thing != 0) Find(larger, slot.thing) = slot;
    slots_ = std::move(larger);
  }

  std::vector<Slot> slots_;  // a power of two of them
  std::size_t count_ = 0;
};

// The same of edges, each with several attributes, of which a line states some.
class StatedAttributes {
 public:
  using Digests = std::array<std::uint32_t, 6>;  // 0: not stated
  struct Earlier {
    std::uint64_t line = 0;  // that named the edge last; 0: none did
    bool differs = false;    // what is stated now is not what was known
    bool replaces = false;   // some value was stated otherwise
  };

  void Reset() {
    std::ranges::fill(slots_, 0);
    edges_.clear();
  }
  // Brings what Note looks at towards the cache.
  void Prefetch(std::uint64_t edge) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[Home(edge)]);
  }
  Earlier Note(std::uint64_t edge, const Digests& values, std::uint64_t line) {
    if (2 * (edges_.size() + 1) > slots_.size()) Grow();
    std::uint64_t& slot = Find(edge);
    if (slot == 0) {
      edges_.push_back({edge, line, values});
      slot = SlotOf(edge, edges_.size());
      return {};
    }
    Said& said = edges_[(slot & kPlace) - 1];
    Earlier earlier;
    earlier.line = std::exchange(said.line, line);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == 0 || values[i] == said.values[i]) continue;
      earlier.differs = true;
      earlier.replaces |= said.values[i] != 0;
      said.values[i] = values[i];
    }
    return earlier;
  }

 private:
  struct Said {
    std::uint64_t edge = 0, line = 0;
    Digests values{};
  };
  // A slot has the upper half of the hash and the place in edges_, from 1, so that the table stays
  // in the cache; 0: free.
  static constexpr std::uint64_t kPlace = 0xFFFFFFFF;
  static std::uint64_t SlotOf(std::uint64_t edge, std::size_t place) {
    return (edge & ~kPlace) | place;
  }
  std::size_t Home(std::uint64_t edge) const { return (edge ^ (edge >> 32)) & (slots_.size() - 1); }
  std::uint64_t& Find(std::uint64_t edge) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = Home(edge);
    while (slots_[at] != 0 &&
           ((slots_[at] ^ edge) > kPlace || edges_[(slots_[at] & kPlace) - 1].edge != edge))
      at = (at + 1) & mask;
    return slots_[at];
  }
  void Grow() {
    slots_.assign(std::max<std::size_t>(2 * slots_.size(), 64), 0);
    for (std::size_t i = 0; i < edges_.size(); ++i)
      Find(edges_[i].edge) = SlotOf(edges_[i].edge, i + 1);
  }

  std::vector<std::uint64_t> slots_;  // a power of two of them
  std::vector<Said> edges_;
};

}  // namespace plexus::formats::internal
