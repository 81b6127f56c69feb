// StringTable: the same strings, those that are hardly read packed.
#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/arrays/string_table_parts.h"
#include "engine/error.h"

namespace plexus {

struct StringTable::Cursor::Unpacked : ColdStrings::Unpacked {};

StringTable::Cursor::Cursor(View view)
    : view_(std::move(view)), unpacked_(std::make_unique<Unpacked>()) {}
StringTable::Cursor::~Cursor() = default;

std::string_view StringTable::Cursor::operator[](std::uint32_t id) {
  const Storage& storage = *view_.storage_;
  if (storage.is_forgotten(id)) return "";
  return storage.is_cold(id) ? storage.cold->Get(id, *unpacked_) : storage.Get(id);
}

std::uint32_t StringTable::packed_count() const { return storage_->packed_count(); }
std::uint32_t StringTable::View::packed_count() const {
  return storage_ ? storage_->packed_count() : 0;
}
bool StringTable::View::packed(std::uint32_t id) const {
  const Storage& s = *storage_;
  if (!s.is_forgotten(id)) return s.is_cold(id);
  const auto& page = s.pages[id / kEntriesPerPage];
  return !s.is_cold(id) && (!page || page->entries[id % kEntriesPerPage] == kColdEntry);
}
bool StringTable::forgotten(std::uint32_t id) const { return storage_->is_forgotten(id); }
bool StringTable::View::forgotten(std::uint32_t id) const { return storage_->is_forgotten(id); }
std::uint32_t StringTable::View::forgotten_count() const {
  return storage_ && storage_->forgotten ? storage_->forgotten->count : 0;
}
std::uint32_t StringTable::forgotten_count() const { return Publish().forgotten_count(); }
std::uint32_t StringTable::forgotten_bytes_left() const {
  return storage_->forgotten ? storage_->forgotten->left : 0;
}

// Two passes over text_of(id): what is packed, then what is not, in chunks that it fills; nothing
// of what is forgotten. put(index, id, text) may enter the latter, in ascending order of ids.
// `twice`: two that are packed are equal.
template <class TextOf, class Put>
StringTable StringTable::Pack(std::uint32_t count, TextOf&& text_of,
                              std::span<const std::uint64_t> pack,
                              std::span<const std::uint64_t> forgotten, Put&& put, bool* twice) {
  StringTable table;
  auto storage = std::make_shared<Storage>();
  std::uint64_t hot_bytes = 0;
  {
    ColdStrings::Builder cold;
    for (std::uint32_t id = 0; id < count; ++id) {
      if (HasBit(forgotten, id)) continue;
      const std::string_view text = text_of(id);
      if (HasBit(pack, id))
        cold.Add(id, text, Hash(text));
      else
        hot_bytes += text.size();
    }
    storage->cold = std::move(cold).Finish(twice);
    if (*twice) return table;
  }
  if (!forgotten.empty()) {
    auto bits = std::make_shared<Storage::Forgotten>();
    for (std::uint32_t id = 0; id < count; ++id)
      if (HasBit(forgotten, id)) bits->Add(id);
    if (bits->count > 0) storage->forgotten = std::move(bits);
  }
  table.storage_ = storage;
  table.Reserve(count, 0);
  table.index_->count.store(count, std::memory_order_relaxed);
  storage->pages.resize((std::size_t{count} + kEntriesPerPage - 1) / kEntriesPerPage);
  const auto page_of = [&](std::uint32_t id) -> Storage::Page& {
    auto& page = storage->pages[id / kEntriesPerPage];
    if (!page) {
      page = std::make_shared<Storage::Page>();
      std::fill_n(page->entries, kEntriesPerPage, kColdEntry);
    }
    return *page;
  };
  if (count % kEntriesPerPage) page_of(count - 1);  // is appended to
  for (std::uint32_t id = 0; id < count; ++id) {
    if (HasBit(pack, id) || HasBit(forgotten, id)) continue;
    const std::string_view text = text_of(id);
    if (storage->chunks.empty() ||
        storage->chunks.back()->bytes.size() - storage->chunks.back()->used < text.size()) {
      PLEXUS_CHECK(storage->chunks.size() < 65535, "string arenas are full");
      storage->chunks.push_back(std::make_shared<Storage::Chunk>(
          std::max<std::size_t>(std::min<std::uint64_t>(hot_bytes, kMaxBulkChunk),
                                std::max<std::size_t>(text.size(), 1))));
    }
    Storage::Chunk& chunk = *storage->chunks.back();
    if (!text.empty()) std::memcpy(chunk.bytes.data() + chunk.used, text.data(), text.size());
    page_of(id).entries[id % kEntriesPerPage] =
        PackEntry(storage->chunks.size() - 1, chunk.used, text.size());
    chunk.used += text.size();
    hot_bytes -= text.size();
    put(*table.index_, id, text);
  }
  table.size_ = count;
  return table;
}

StringTable StringTable::Packed(const View& view, std::span<const std::uint64_t> pack) {
  if (view.size_ == 0) return StringTable();
  Cursor texts(view);
  const Storage& before = *view.storage_;
  std::span<const std::uint64_t> forgotten;
  if (before.forgotten) forgotten = before.forgotten->words;
  bool twice = false;
  StringTable table = Pack(
      view.size_, [&](std::uint32_t id) { return texts[id]; }, pack, forgotten,
      [&](Index& index, std::uint32_t id, std::string_view text) {
        if (before.is_cold(id)) index.Put(TagOf(Hash(text)), id);  // it was packed, and is gone
      },
      &twice);
  PLEXUS_CHECK(!twice, "a table holds a string once");
  // One sweep over the slots, which no hash is needed for.
  view.index_->ForEachSlot(view.size_, true, [&](std::uint32_t tag, std::uint32_t id) {
    if (!HasBit(pack, id) && !HasBit(forgotten, id)) table.index_->Put(tag, id);
  });
  return table;
}

std::optional<StringTable> StringTable::Packed(std::span<const std::uint64_t> offsets,
                                               std::string_view bytes,
                                               std::span<const std::uint64_t> pack,
                                               std::span<const std::uint64_t> forgotten) {
  const std::size_t count = offsets.empty() ? 0 : offsets.size() - 1;
  for (std::size_t i = 0; i < count; ++i)
    if (offsets[i + 1] - offsets[i] >= 65536) return std::nullopt;
  const auto text_of = [&](std::uint32_t id) {
    return bytes.substr(offsets[id], offsets[id + 1] - offsets[id]);
  };
  bool twice = false;
  StringTable table = Pack(
      static_cast<std::uint32_t>(count), text_of, pack, forgotten,
      [](Index&, std::uint32_t, std::string_view) {}, &twice);
  if (twice) return std::nullopt;
  // Hashed ahead in small groups, so that index lines are on their way.
  constexpr std::size_t kAhead = 16;
  std::uint32_t ids[kAhead];
  std::uint64_t hashes[kAhead];
  Index& index = *table.index_;
  const Storage& storage = *table.storage_;
  for (const bool packed : {false, true})
    for (std::uint32_t id = 0; id < count && (!packed || storage.cold);) {
      std::size_t n = 0;
      for (; id < count && n < kAhead; ++id) {
        if (HasBit(pack, id) != packed || HasBit(forgotten, id)) continue;
        ids[n] = id;
        hashes[n] = Hash(text_of(id));
        table.Prefetch(hashes[n++]);
      }
      for (std::size_t i = 0; i < n; ++i) {
        const std::string_view text = text_of(ids[i]);
        if (packed && storage.Find(index, text, hashes[i], table.size_) != ids[i])
          return std::nullopt;
        if (!packed && !index.PutNew(TagOf(hashes[i]), ids[i],
                                     [&](std::uint32_t other) { return text_of(other) == text; }))
          return std::nullopt;
      }
    }
  return table;
}

}  // namespace plexus
