// ShortKeys: ids of keys of at most 16 bytes that were named lately, found with one look at memory
// where the table of all keys takes three. Internal to storage/formats.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "engine/types.h"
#include "storage/formats/pipeline/token_cache.h"

namespace plexus::formats::internal {

// A key has two slots next to each other; a new one takes the first, and what was there the second.
// Keys have no NUL, so padding with it keeps them apart.
class ShortKeys {
 public:
  static constexpr std::size_t kMostBytes = 16;

  void Prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[SlotOf(hash)]); }
  // Where the id of a key lies; kNoNode: it is to be put there. 8 bytes at `text` can be read.
  NodeId& Find(std::string_view text, std::uint64_t hash) {
    const std::uint64_t first = Word(text.substr(0, 8)),
                        second = text.size() > 8 ? Tail(text.substr(8)) : 0;
    const auto is = [&](const Slot& slot) { return slot.first == first && slot.second == second; };
    const std::size_t at = SlotOf(hash);
    Slot &slot = slots_[at], &other = slots_[at ^ 1];
    if (is(slot)) return slot.id;
    const Slot found = is(other) ? other : Slot{first, second, kNoNode};
    other = slot;
    slot = found;
    return slot.id;
  }
  // Makes room for so many keys, up to a bound; forgets them when it does.
  void Reserve(std::size_t keys) {
    if (2 * keys <= slots_.size() || slots_.size() == kMostSlots) return;
    slots_.assign(std::min(kMostSlots, 4 * slots_.size()), {});
    while (2 * keys > slots_.size() && slots_.size() < kMostSlots) slots_.resize(2 * slots_.size());
  }

 private:
  static constexpr std::size_t kMostSlots = std::size_t{1} << 21;  // 48 MiB
  struct Slot {
    std::uint64_t first = 0, second = 0;
    NodeId id = kNoNode;
  };
  static std::uint64_t Tail(std::string_view text) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), text.size());
    return word;
  }
  std::size_t SlotOf(std::uint64_t hash) const { return hash & (slots_.size() - 1); }

  std::vector<Slot> slots_ = std::vector<Slot>(4096);
};

}  // namespace plexus::formats::internal
