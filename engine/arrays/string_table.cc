// StringTable: arenas for the bytes, pages for the entries, one hash index.
#include "engine/arrays/string_table.h"

#include <algorithm>
#include <cstring>
#include <random>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/arrays/aligned_array.h"
#include "engine/arrays/string_table_parts.h"
#include "engine/error.h"

namespace plexus {

namespace {

constexpr std::size_t kFirstChunk = 4096, kMaxChunk = std::size_t{4} << 20;
constexpr std::uint32_t kLarge = 4096;  // strings: fewer are copied
constexpr std::uint32_t kShare = 16;    // an index over another has at most this part of its ids

std::uint64_t ProcessSeed() {
  static const std::uint64_t seed = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }();
  return seed;
}

// Whether no other pointer has it. If so, all that was read through others happened before:
// use_count alone orders nothing, a copy that goes joins their releases. (ThreadSanitizer does
// not know fences.)
template <class T>
bool Sole(const std::shared_ptr<T>& pointer) {
  if (pointer.use_count() != 1) return false;
  std::shared_ptr<T>(pointer).reset();
  return true;
}

}  // namespace

StringTable::StringTable()
    : index_(std::make_shared<Index>(64)), storage_(std::make_shared<Storage>()) {}
StringTable::StringTable(View view)
    : size_(view.size_),
      index_(std::const_pointer_cast<Index>(std::move(view.index_))),
      storage_(std::const_pointer_cast<Storage>(std::move(view.storage_))) {
  if (!index_) {
    index_ = std::make_shared<Index>(64);
    storage_ = std::make_shared<Storage>();
    return;
  }
  // Never append to a chunk or page that another table may append to.
  const std::size_t pages = (std::size_t{size_} + kEntriesPerPage - 1) / kEntriesPerPage;
  const bool exclusive = size_ > 0 && storage_.use_count() == 1 && !storage_->chunks.empty() &&
                         storage_->pages[pages - 1].use_count() == 1 &&
                         storage_->chunks.back().use_count() == 1;
  auto own = std::make_shared<Storage>(*storage_);
  storage_.reset();
  own->pages.resize(pages);
  if (!exclusive && size_ % kEntriesPerPage) {
    auto page = std::make_shared<Storage::Page>();
    std::memcpy(page->entries, own->pages.back()->entries,
                size_ % kEntriesPerPage * sizeof(std::uint64_t));
    own->pages.back() = std::move(page);
  }
  if (!exclusive) own->chunks.push_back(std::make_shared<Storage::Chunk>(kFirstChunk));
  if (!exclusive && size_ >= kLarge) index_ = Index::Over(index_, size_);
  storage_ = std::move(own);
}
StringTable::~StringTable() = default;
StringTable::StringTable(StringTable&&) noexcept = default;
StringTable& StringTable::operator=(StringTable&&) noexcept = default;

std::uint64_t StringTable::Hash(std::string_view text) {
  return XXH3_64bits_withSeed(text.data(), text.size(), ProcessSeed());
}

std::string_view StringTable::operator[](std::uint32_t id) const { return storage_->Get(id); }

void StringTable::Prefetch(std::uint64_t hash) const {
  for (const Index* in = index_.get(); in; in = in->below.get())
    __builtin_prefetch(&in->slots[in->Home(TagOf(hash))]);
}

std::optional<std::uint32_t> StringTable::Find(std::string_view text, std::uint64_t hash) const {
  return storage_->Find(*index_, text, hash, size_);
}

StringTable::Inserted StringTable::Insert(std::string_view text, std::uint64_t hash) {
  if (auto found = Find(text, hash)) return {*found, false};
  PLEXUS_CHECK(text.size() < 65536, "strings are limited at the door");
  // Room for the entry and the bytes; the spine is replaced, never edited.
  const bool need_page =
      size_ % kEntriesPerPage == 0 && size_ / kEntriesPerPage >= storage_->pages.size();
  const bool need_chunk =
      storage_->chunks.empty() ||
      storage_->chunks.back()->bytes.size() - storage_->chunks.back()->used < text.size();
  if (need_page || need_chunk) {
    auto grown = std::make_shared<Storage>(*storage_);
    if (need_page) grown->pages.push_back(std::make_shared<Storage::Page>());
    if (need_chunk) {
      // Doubling, but again after a bulk chunk, which is full to its last byte: one more string
      // must not cost megabytes of fresh memory.
      std::size_t size = kFirstChunk;
      if (!grown->chunks.empty() && grown->chunks.back()->used < grown->chunks.back()->bytes.size())
        size = std::min(kMaxChunk, std::max(kFirstChunk, grown->chunks.back()->bytes.size() * 2));
      PLEXUS_CHECK(grown->chunks.size() < 65535, "string arenas are full");
      grown->chunks.push_back(std::make_shared<Storage::Chunk>(std::max(size, text.size())));
    }
    storage_ = std::move(grown);
  }
  auto& chunk = *storage_->chunks.back();
  if (!text.empty()) std::memcpy(chunk.bytes.data() + chunk.used, text.data(), text.size());
  storage_->pages[size_ / kEntriesPerPage]->entries[size_ % kEntriesPerPage] =
      PackEntry(storage_->chunks.size() - 1, chunk.used, text.size());
  chunk.used += text.size();
  const std::uint64_t hot =
      size_ - (index_->below ? index_->below_size : storage_->packed_count());
  if ((hot + 1) * 3 > index_->capacity * 2) ReserveIndex(hot + hot / 2 + 64);
  Index::Claim(index_, size_, 1);
  index_->Put(TagOf(hash), size_);
  return {size_++, true};
}

void StringTable::Reserve(std::uint32_t strings, std::uint64_t) {
  ReserveIndex(strings - std::min(strings, index_->below ? index_->below_size
                                                         : storage_->packed_count()));
}

// `strings`: those of this index, without the one below it.
void StringTable::ReserveIndex(std::uint64_t strings) {
  const bool whole = index_->below && strings > index_->below_size / kShare;
  std::uint64_t capacity = index_->capacity;
  if (whole) {
    strings += index_->below_size;
    capacity = std::max(capacity, index_->below->capacity);
  }
  while (strings * 3 > capacity * 2) capacity *= 2;
  if (!whole && capacity == index_->capacity) return;
  index_ = index_->Copy(capacity, size_, whole);
}

void StringTable::Forget(std::span<const std::uint32_t> ids) {
  auto storage = std::make_shared<Storage>(*storage_);
  auto forgotten = storage->forgotten ? std::make_shared<Storage::Forgotten>(*storage->forgotten)
                                      : std::make_shared<Storage::Forgotten>();
  for (const std::uint32_t id : ids) forgotten->left += forgotten->Add(id);
  storage->forgotten = std::move(forgotten);
  storage_ = std::move(storage);
}

// In place where no view can see it: a table is made of many such, one after another.
void StringTable::InsertForgotten() {
  if (!Sole(storage_)) storage_ = std::make_shared<Storage>(*storage_);
  auto& forgotten = storage_->forgotten;
  if (!forgotten)
    forgotten = std::make_shared<Storage::Forgotten>();
  else if (!Sole(forgotten))
    forgotten = std::make_shared<Storage::Forgotten>(*forgotten);
  forgotten->Add(size_);
  if (size_ / kEntriesPerPage >= storage_->pages.size())
    storage_->pages.push_back(std::make_shared<Storage::Page>());
  storage_->pages[size_ / kEntriesPerPage]->entries[size_ % kEntriesPerPage] = kColdEntry;
  Index::Claim(index_, size_, 1);
  ++size_;
}

bool StringTable::AppendAll(std::span<const std::uint64_t> offsets, std::string_view bytes) {
  if (offsets.size() < 2) return true;
  const std::size_t count = offsets.size() - 1;
  if (index_->below) index_ = index_->Copy(index_->below->capacity * 2, size_, true);
  Reserve(static_cast<std::uint32_t>(size_ + count), 0);
  Index::Claim(index_, size_, count);
  auto grown = std::make_shared<Storage>(*storage_);
  std::size_t done = 0;
  while (done < count) {
    // A chunk of whole strings, at most kMaxBulkChunk bytes.
    std::size_t end = done;
    while (end < count && offsets[end + 1] - offsets[done] <= kMaxBulkChunk) ++end;
    if (end == done) return false;  // one string beyond every limit
    std::size_t size = offsets[end] - offsets[done];
    auto chunk = std::make_shared<Storage::Chunk>(std::max<std::size_t>(size, 1));
    if (size) std::memcpy(chunk->bytes.data(), bytes.data() + offsets[done], size);
    chunk->used = chunk->bytes.size();
    grown->chunks.push_back(chunk);
    for (std::size_t i = done; i < end; ++i) {
      std::size_t id = size_ + i;
      if (offsets[i + 1] - offsets[i] >= 65536) return false;
      if (id / kEntriesPerPage >= grown->pages.size())
        grown->pages.push_back(std::make_shared<Storage::Page>());
      grown->pages[id / kEntriesPerPage]->entries[id % kEntriesPerPage] = PackEntry(
          grown->chunks.size() - 1, offsets[i] - offsets[done], offsets[i + 1] - offsets[i]);
    }
    done = end;
  }
  storage_ = std::move(grown);
  // Hash ahead in small groups, so that index lines are on their way.
  constexpr std::size_t kAhead = 16;
  std::uint64_t hashes[kAhead];
  for (std::size_t i = 0; i < count; i += kAhead) {
    std::size_t end = std::min(count, i + kAhead);
    for (std::size_t k = i; k < end; ++k) {
      hashes[k - i] = Hash(bytes.substr(offsets[k], offsets[k + 1] - offsets[k]));
      Prefetch(hashes[k - i]);
    }
    for (std::size_t k = i; k < end; ++k) {
      const std::string_view text = bytes.substr(offsets[k], offsets[k + 1] - offsets[k]);
      const auto equal = [&](std::uint32_t id) { return storage_->Get(id) == text; };
      if (!index_->PutNew(TagOf(hashes[k - i]), size_, equal)) return false;
      ++size_;
    }
  }
  return true;
}

std::uint64_t StringTable::size_bytes() const { return Publish().size_bytes(); }

StringTable::View StringTable::Publish() const {
  View v;
  v.index_ = index_;
  v.storage_ = storage_;
  v.size_ = size_;
  return v;
}

std::string_view StringTable::View::operator[](std::uint32_t id) const { return storage_->Get(id); }

bool StringTable::View::SharesPacked(const View& other) const {
  const auto of = [](const View& view) {
    return view.storage_ ? view.storage_->cold.get() : nullptr;
  };
  return of(*this) == of(other);
}

std::uint64_t StringTable::View::size_bytes() const {
  if (!storage_) return 0;
  std::uint64_t bytes = index_->capacity * sizeof(std::uint64_t);
  if (index_->below) bytes += index_->below->capacity * sizeof(std::uint64_t);
  for (const auto& page : storage_->pages) bytes += page ? sizeof(Storage::Page) : 0;
  for (const auto& chunk : storage_->chunks) bytes += chunk->bytes.size();
  if (storage_->cold) bytes += storage_->cold->size_bytes();
  if (storage_->forgotten) bytes += storage_->forgotten->words.size() * sizeof(std::uint64_t);
  return bytes;
}

std::optional<std::uint32_t> StringTable::View::Find(std::string_view text) const {
  return Find(text, StringTable::Hash(text));
}

std::optional<std::uint32_t> StringTable::View::Find(std::string_view text,
                                                     std::uint64_t hash) const {
  if (!index_) return std::nullopt;
  return storage_->Find(*index_, text, hash, size_);
}

}  // namespace plexus
