// StringTable: an append-only map string <-> dense u32 id, read without locks.
//
// Node keys and interned strings both live in one. The single writer inserts;
// readers look up through View at the same time. Bytes lie in stable arenas,
// so a string_view handed out lives as long as any View. The hash index is open
// addressing over atomic words (hash tag, id + 1) published by release stores;
// growing publishes a larger index in the next View, older views keep theirs.
// Hashes are seeded per process against flooding; the seed never reaches disk.
//
// Strings that are hardly read (keys of removed nodes, labels without an edge) can be
// packed (cold_strings.h): they take a third, keep their ids, and are found as before, more slowly.
//
// A string can be forgotten: its id stays, with the empty text, and the text may come again under
// another id. Its bytes go when the table is packed. Views from before still have it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/types.h"

namespace plexus {

class StringTable {
  struct Index;
  struct Storage;

 public:
  // A consistent prefix of the table: ids below size().
  class View {
   public:
    View() = default;
    std::uint32_t size() const { return size_; }
    std::uint64_t size_bytes() const;                     // resident: bytes, entries, index
    std::string_view operator[](std::uint32_t id) const;  // REQUIRES id < size()
    std::optional<std::uint32_t> Find(std::string_view text) const;
    std::optional<std::uint32_t> Find(std::string_view text, std::uint64_t hash) const;
    std::uint32_t packed_count() const;   // and those forgotten whose bytes are gone
    bool packed(std::uint32_t id) const;  // REQUIRES id < size(), as the next
    bool forgotten(std::uint32_t id) const;
    std::uint32_t forgotten_count() const;
    // Whether both have the same packed strings: one was continued from the other.
    bool SharesPacked(const View& other) const;

   private:
    friend class StringTable;
    std::shared_ptr<const Index> index_;
    std::shared_ptr<const Storage> storage_;
    std::uint32_t size_ = 0;
  };

  // Reads many strings in order of their ids, of which packed ones stay packed. Of one thread.
  class Cursor {
   public:
    explicit Cursor(View view);
    ~Cursor();
    std::string_view operator[](std::uint32_t id);  // until the next call

   private:
    struct Unpacked;
    View view_;
    std::unique_ptr<Unpacked> unpacked_;
  };

  StringTable();
  // Goes on from a view: takes over its parts when they are not shared, else copies what it writes
  // to. So a state may be continued twice.
  explicit StringTable(View view);
  ~StringTable();
  StringTable(StringTable&&) noexcept;
  StringTable& operator=(StringTable&&) noexcept;

  // The seeded hash that Find and Insert use; compute it in parallel, ahead.
  static std::uint64_t Hash(std::string_view text);

  std::uint32_t size() const { return size_; }
  std::uint64_t size_bytes() const;  // resident: bytes, offsets and index
  std::string_view operator[](std::uint32_t id) const;

  struct Inserted {
    std::uint32_t id;
    bool is_new;
  };
  Inserted Insert(std::string_view text, std::uint64_t hash);
  Inserted Insert(std::string_view text) { return Insert(text, Hash(text)); }
  std::optional<std::uint32_t> Find(std::string_view text, std::uint64_t hash) const;
  std::optional<std::uint32_t> Find(std::string_view text) const { return Find(text, Hash(text)); }
  // Brings the index line of `hash` towards the cache before Find/Insert.
  void Prefetch(std::uint64_t hash) const;
  void Reserve(std::uint32_t strings, std::uint64_t bytes);

  // Appends many distinct strings (a checkpoint's keys): text i is
  // bytes[offsets[i], offsets[i + 1]). Faster than Insert one by one, and
  // returns false when two strings are equal (the table is then unusable).
  bool AppendAll(std::span<const std::uint64_t> offsets, std::string_view bytes);

  // REQUIRES ids < size(). O(size / 64 + ids), as views keep what they have.
  void Forget(std::span<const std::uint32_t> ids);
  // The next id, forgotten from the beginning.
  void InsertForgotten();
  bool forgotten(std::uint32_t id) const;
  std::uint32_t forgotten_count() const;
  std::uint32_t forgotten_bytes_left() const;  // how many of them have their bytes still

  // The strings of `view` with their ids, of which those whose bit is set in `pack` (word id / 64)
  // are packed. Ids beyond the words are not. O(strings).
  static StringTable Packed(const View& view, std::span<const std::uint64_t> pack);
  // The same of strings that are in no table yet, as AppendAll takes them, of which those whose bit
  // is set in `forgotten` are none; no table when two others are equal.
  static std::optional<StringTable> Packed(std::span<const std::uint64_t> offsets,
                                           std::string_view bytes,
                                           std::span<const std::uint64_t> pack,
                                           std::span<const std::uint64_t> forgotten = {});
  std::uint32_t packed_count() const;

  View Publish() const;

 private:
  void ReserveIndex(std::uint64_t strings);
  template <class TextOf, class Put>
  static StringTable Pack(std::uint32_t count, TextOf&& text_of,
                          std::span<const std::uint64_t> pack,
                          std::span<const std::uint64_t> forgotten, Put&& put, bool* twice);

  std::uint32_t size_ = 0;
  std::shared_ptr<Index> index_;
  std::shared_ptr<Storage> storage_;
};

}  // namespace plexus
