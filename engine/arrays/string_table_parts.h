// The inside of a StringTable, shared by the files that implement it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/arrays/aligned_array.h"
#include "engine/arrays/cold_strings.h"
#include "engine/arrays/string_table.h"

namespace plexus {

inline constexpr std::size_t kEntriesPerPage = 8192;
inline constexpr std::size_t kMaxBulkChunk = std::size_t{1} << 30;

// Where a string lies: 16 bits chunk, 32 bits offset, 16 bits size.
inline std::uint64_t PackEntry(std::size_t chunk, std::size_t offset, std::size_t size) {
  return (std::uint64_t{chunk} << 48) | (std::uint64_t{offset} << 16) | size;
}
inline constexpr std::uint64_t kColdEntry = ~std::uint64_t{0};  // no chunk has this number

inline std::uint32_t TagOf(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

// A set of ids, as words of 64.
inline bool HasBit(std::span<const std::uint64_t> words, std::uint32_t id) {
  return id / 64 < words.size() && (words[id / 64] >> id % 64 & 1);
}

// Slots are ordered by hash tag (slot = tag scaled to the capacity, then linear
// probing), so growing is one sequential sweep and needs no string.
//
// Tables may share an index: each finds ids below its own size only. Who inserts must be the one
// whose size is the index's count, which `Claim` sees to; any other table takes a copy first.
// So going on from a view costs nothing until something new is inserted.
//
// Of a large view that another has, too, a table (as a preview's) begins an index of its own over
// that one, so neither copies it. Of many strings one index is made of both.
struct StringTable::Index {
  using Slot = std::atomic<std::uint64_t>;
  static_assert(sizeof(Slot) == sizeof(std::uint64_t) && std::is_trivially_destructible_v<Slot>);

  explicit Index(std::uint64_t capacity_pow2)
      : capacity(capacity_pow2),
        memory(capacity_pow2),
        slots(reinterpret_cast<Slot*>(memory.data())) {
    for (std::uint64_t i = 0; i < capacity; ++i) new (slots + i) Slot(0);
  }
  std::uint64_t Home(std::uint32_t tag) const { return (std::uint64_t{tag} * capacity) >> 32; }
  // The right to put ids size, ..., size + more - 1; into a copy when another table has it or had
  // it.
  static void Claim(std::shared_ptr<Index>& index, std::uint32_t size, std::uint64_t more) {
    std::uint64_t expected = size;
    if (index->count.compare_exchange_strong(expected, size + more, std::memory_order_relaxed))
      return;
    index = index->Copy(index->capacity, size);
    index->count.store(size + more, std::memory_order_relaxed);
  }
  // REQUIRES the id claimed.
  void Put(std::uint32_t tag, std::uint32_t id) {
    PutNew(tag, id, [](std::uint32_t) { return false; });
  }
  // False: equal(another id) of this tag.
  template <class Equal>
  bool PutNew(std::uint32_t tag, std::uint32_t id, const Equal& equal) {
    std::uint64_t at = Home(tag);
    while (const std::uint64_t slot = slots[at].load(std::memory_order_relaxed)) {
      if (slot >> 32 == tag && equal(static_cast<std::uint32_t>(slot) - 1)) return false;
      at = (at + 1) & (capacity - 1);
    }
    slots[at].store((std::uint64_t{tag} << 32) | (id + 1), std::memory_order_release);
    return true;
  }
  // Another one of this or a larger capacity with the first `size` ids; `whole`: and with those of
  // the index below it, in place of that.
  std::shared_ptr<Index> Copy(std::uint64_t new_capacity, std::uint32_t size,
                              bool whole = false) const {
    auto copy = std::make_shared<Index>(new_capacity);
    copy->count.store(size, std::memory_order_relaxed);
    if (!whole) {
      copy->below = below;
      copy->below_size = below_size;
    }
    ForEachSlot(size, whole, [&](std::uint32_t tag, std::uint32_t id) { copy->Put(tag, id); });
    return copy;
  }
  // An index over this one, with no ids of its own.
  static std::shared_ptr<Index> Over(const std::shared_ptr<Index>& index, std::uint32_t size) {
    if (index->below) return index->Copy(index->capacity, size);
    auto made = std::make_shared<Index>(64);
    made->count.store(size, std::memory_order_relaxed);
    made->below = index;
    made->below_size = size;
    return made;
  }
  // fn(tag, id) of ids below `size`; `whole`: and of those in the index below.
  template <class Fn>
  void ForEachSlot(std::uint32_t size, bool whole, Fn&& fn) const {
    for (std::uint64_t i = 0; i < capacity; ++i) {
      const std::uint64_t slot = slots[i].load(std::memory_order_acquire);
      const std::uint32_t id = static_cast<std::uint32_t>(slot) - 1;
      if (slot && id < size) fn(static_cast<std::uint32_t>(slot >> 32), id);
    }
    if (whole && below) below->ForEachSlot(below_size, true, fn);
  }
  const std::uint64_t capacity;
  std::shared_ptr<const Index> below;  // null: none; has none itself
  std::uint32_t below_size = 0;        // the ids that it has
  std::atomic<std::uint64_t> count{0};
  AlignedArray<std::uint64_t> memory;  // on huge pages when it is large
  Slot* const slots;
};

// The spine: pointers to chunks and pages. Immutable once a view may hold it;
// what it points to is append-only.
struct StringTable::Storage {
  struct Chunk {
    explicit Chunk(std::size_t capacity) : bytes(capacity) {}
    AlignedArray<char> bytes;
    std::size_t used = 0;  // writer only
  };
  struct Page {
    std::uint64_t entries[kEntriesPerPage];
  };
  // Ids without a text, as bits. `left`: those of them whose bytes are still somewhere here.
  struct Forgotten {
    std::vector<std::uint64_t> words;
    std::uint32_t count = 0, left = 0;
    bool has(std::uint32_t id) const { return HasBit(words, id); }
    // False: it was there.
    bool Add(std::uint32_t id) {
      if (id / 64 >= words.size()) words.resize(id / 64 + 1, 0);
      const bool is_new = !has(id);
      words[id / 64] |= std::uint64_t{1} << id % 64;
      count += is_new;
      return is_new;
    }
  };
  std::vector<std::shared_ptr<Chunk>> chunks;
  std::vector<std::shared_ptr<Page>> pages;  // null: full, and all of it is cold
  std::shared_ptr<const ColdStrings> cold;   // null: there are none
  std::shared_ptr<Forgotten> forgotten;      // null: there are none

  bool is_cold(std::uint32_t id) const { return cold && cold->has(id); }
  bool is_forgotten(std::uint32_t id) const { return forgotten && forgotten->has(id); }
  // Those that no index of slots has to hold.
  std::uint32_t packed_count() const {
    return (cold ? cold->count() : 0) + (forgotten ? forgotten->count - forgotten->left : 0);
  }
  std::string_view Get(std::uint32_t id) const {
    if (is_forgotten(id)) return "";  // not null: memcpy takes it
    const Page* page = pages[id / kEntriesPerPage].get();
    const std::uint64_t e = page ? page->entries[id % kEntriesPerPage] : kColdEntry;
    if (e == kColdEntry) return cold->Get(id);
    return {chunks[e >> 48]->bytes.data() + ((e >> 16) & 0xFFFFFFFFu), e & 0xFFFFu};
  }
  std::optional<std::uint32_t> Find(const Index& index, std::string_view text, std::uint64_t hash,
                                    std::uint32_t size) const {
    const std::uint32_t tag = TagOf(hash);
    for (const Index* in = &index; in; size = in->below_size, in = in->below.get())
      for (std::uint64_t at = in->Home(tag);; at = (at + 1) & (in->capacity - 1)) {
        const std::uint64_t slot = in->slots[at].load(std::memory_order_acquire);
        if (!slot) break;
        if (slot >> 32 != tag) continue;
        const std::uint32_t id = static_cast<std::uint32_t>(slot) - 1;
        if (id < size && Get(id) == text) return id;
      }
    const auto found = cold ? cold->Find(text, hash) : std::nullopt;
    return found && is_forgotten(*found) ? std::nullopt : found;
  }
};

}  // namespace plexus
