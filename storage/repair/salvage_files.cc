// The data blocks of a sorted file, one after the other, over whatever is damaged.
//
// A block is a run of entries (three varints: bytes of the key shared with the entry before,
// bytes that follow, bytes of the value; then those bytes), an array of restart offsets, their
// number, and a trailer of five bytes. Files are written without compression, so the next block
// begins where the trailer ends. Where an entry makes no sense, the walk looks on, byte by byte,
// for one that is by itself and proves its value.
#include "storage/repair/salvage.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <rocksdb/write_batch.h>

#include "storage/log/log_tail.h"

namespace plexus::storage_internal {

namespace {

constexpr std::size_t kInternalBytes = 8;  // sequence and type behind each key
constexpr std::size_t kTrailerBytes = 5, kFooterBytes = 53;
constexpr std::uint64_t kTableMagic = 0x88e241b785f4cff7ull;
constexpr std::uint8_t kDeletion = 0, kValue = 1, kSingleDeletion = 7;

bool ReadVarint(std::string_view bytes, std::size_t& at, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(bytes[at++]);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

std::uint32_t U32(std::string_view bytes, std::size_t at) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Keys of log, payload, sections and purge marks.
bool IsKeySize(std::uint64_t size) { return size == 8 || (size >= 10 && size <= 12); }

class SortedFileSalvage {
 public:
  SortedFileSalvage(std::string_view bytes, const FoundSink& found, const LostSink& lost)
      : bytes_(bytes), found_(found), lost_(lost), data_end_(FindDataEnd()) {}

  void Walk() {
    std::string key, next;
    std::size_t at = 0;
    bool in_block = false;
    if (!data_end_) lost_(bytes_.size(), "its end is not that of a sorted file");
    // Behind the data nothing is missed, but where they end, a damaged footer may be wrong.
    auto lost = [&](std::size_t from, const std::string& what) {
      if (!data_end_ || from < *data_end_) lost_(from, what);
    };
    while (at < bytes_.size()) {
      const auto entry = Parse(at, in_block ? key : "", next);
      const bool verified = entry && MatchesDigest(*entry, next);
      std::string ignored;
      // A value that is damaged inside leaves its neighbours where they are.
      if (verified || (entry && (Parse(entry->end, next, ignored) || BlockEnd(entry->end)))) {
        if (!verified) lost(entry->value, "the value does not match its digest");
        key.swap(next);
        at = entry->end;
        in_block = true;
        continue;
      }
      if (const auto block = in_block ? BlockEnd(at) : std::nullopt) {
        at = *block;
        in_block = false;
        continue;
      }
      const std::size_t resumed = LookOn(at + 1, key);
      lost(at,
           "bytes that cannot be read, up to the entry that ends at " + std::to_string(resumed));
      at = resumed;
      in_block = true;
    }
  }

 private:
  struct Entry {
    std::size_t value = 0, end = 0;
    std::uint64_t shared = 0;
    std::uint8_t type = 0;
  };
  std::optional<std::size_t> FindDataEnd() const {
    if (bytes_.size() < kFooterBytes) return std::nullopt;
    const std::size_t footer = bytes_.size() - kFooterBytes;
    std::uint64_t magic, meta_at, meta_size, index_at, index_size;
    std::memcpy(&magic, bytes_.data() + bytes_.size() - sizeof magic, sizeof magic);
    std::size_t at = footer + 1;
    if (magic != kTableMagic || !ReadVarint(bytes_, at, meta_at) ||
        !ReadVarint(bytes_, at, meta_size) || !ReadVarint(bytes_, at, index_at) ||
        !ReadVarint(bytes_, at, index_size) || index_at > footer)
      return std::nullopt;
    return index_at;
  }

  std::optional<Entry> Parse(std::size_t at, const std::string& before, std::string& key) const {
    Entry entry;
    std::uint64_t own = 0, size = 0;
    if (!ReadVarint(bytes_, at, entry.shared) || !ReadVarint(bytes_, at, own) ||
        !ReadVarint(bytes_, at, size))
      return std::nullopt;
    const std::size_t left = bytes_.size() - at;
    if (entry.shared > before.size() || own > left || size > left - own ||
        own + entry.shared < kInternalBytes || !IsKeySize(own + entry.shared - kInternalBytes))
      return std::nullopt;
    key.assign(before, 0, entry.shared).append(bytes_, at, own);
    entry.type = static_cast<std::uint8_t>(key[key.size() - kInternalBytes]);
    if (entry.type != kValue && entry.type != kDeletion && entry.type != kSingleDeletion)
      return std::nullopt;
    entry.value = at + own;
    entry.end = entry.value + size;
    return entry;
  }

  // Behind the entries of a block: the restart offsets, of which the first is 0.
  std::optional<std::size_t> BlockEnd(std::size_t at) const {
    if (at + 8 > bytes_.size() || U32(bytes_, at) != 0) return std::nullopt;
    for (std::size_t count = 1; at + 4 * count + 4 <= bytes_.size(); ++count) {
      const std::uint32_t value = U32(bytes_, at + 4 * count);
      if (value == count) return std::min(at + 4 * count + 4 + kTrailerBytes, bytes_.size());
      if (count > 1 && value <= U32(bytes_, at + 4 * count - 4))
        return std::nullopt;  // they ascend
    }
    return std::nullopt;
  }

  bool MatchesDigest(const Entry& entry, const std::string& key) const {
    return found_({std::string_view(key).substr(0, key.size() - kInternalBytes),
                   bytes_.substr(entry.value, entry.end - entry.value), entry.value,
                   entry.type != kValue});
  }
  // The next entry that shares nothing and proves itself; its end, or the file's.
  std::size_t LookOn(std::size_t from, std::string& key) const {
    for (std::size_t at = from; (at = bytes_.find('\0', at)) != std::string_view::npos; ++at) {
      const auto entry = Parse(at, "", key);
      if (entry && entry->type == kValue && MatchesDigest(*entry, key)) return entry->end;
    }
    key.clear();
    return bytes_.size();
  }

  const std::string_view bytes_;
  const FoundSink& found_;
  const LostSink& lost_;
  const std::optional<std::size_t> data_end_;  // where the footer says that the index begins
};

}  // namespace

void WalkSortedFile(std::string_view bytes, const FoundSink& found, const LostSink& lost) {
  SortedFileSalvage(bytes, found, lost).Walk();
}

// --- The writes of a write-ahead log, over damaged places.

namespace {

// Hands on the puts and deletions of one write.
class Puts : public rocksdb::WriteBatch::Handler {
 public:
  Puts(const FoundSink& found, std::uint64_t offset) : found_(found), offset_(offset) {}
  bool whole() const { return whole_; }

  rocksdb::Status PutCF(std::uint32_t, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    whole_ &= found_({key.ToStringView(), value.ToStringView(), offset_});
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteCF(std::uint32_t, const rocksdb::Slice& key) override {
    whole_ &= found_({key.ToStringView(), {}, offset_, true});
    return rocksdb::Status::OK();
  }
  rocksdb::Status SingleDeleteCF(std::uint32_t, const rocksdb::Slice&) override {
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteRangeCF(std::uint32_t, const rocksdb::Slice&,
                                const rocksdb::Slice&) override {
    return rocksdb::Status::OK();
  }

 private:
  const FoundSink& found_;
  const std::uint64_t offset_;
  bool whole_ = true;
};

}  // namespace

void WalkWriteAheadLog(std::string_view bytes, const FoundSink& found, const LostSink& lost) {
  std::string write;
  std::size_t begin = 0;  // of `write`
  bool open = false;
  auto finish = [&] {
    Puts puts(found, begin);
    if (!rocksdb::WriteBatch(write).Iterate(&puts).ok() || !puts.whole())
      lost(begin, "a write that cannot be read");
    open = false;
  };
  // Whether a piece that matches its checksum begins there.
  auto sound = [&](std::size_t at, std::size_t block_end) {
    if (at + kWalHeader > block_end) return false;
    const std::string_view rest = bytes.substr(at, block_end - at);
    return IsSound(ReadWalPiece(rest), rest);
  };
  for (std::size_t at = 0; at + kWalHeader <= bytes.size();) {
    const std::size_t block_end = std::min(bytes.size(), (at / kWalBlock + 1) * kWalBlock);
    if (at + kWalHeader > block_end) {
      at = block_end;
      continue;
    }
    const WalPiece piece = ReadWalPiece(bytes.substr(at));
    if (piece.nothing()) {  // room that was never written
      at = block_end;
      continue;
    }
    const std::size_t next = at + piece.end();
    if (!sound(at, block_end)) {
      open = false;
      // Its length may be right all the same: then a sound piece follows, or nothing does.
      if (sound(next, block_end) || next == bytes.size()) {
        lost(at, "a piece that does not match its checksum");
        at = next;
      } else {
        lost(at, "a piece that does not match its checksum; the rest of its 32 KiB is lost");
        at = block_end;
      }
      continue;
    }
    if (piece.begins()) {
      if (open) lost(begin, "a write without its end");
      write.clear();
      begin = at;
      open = true;
    }
    if (open) write.append(bytes, at + kWalHeader, piece.size);
    if (open && piece.ends()) finish();
    at = next;
  }
  if (open) lost(begin, "a write without its end");
}

}  // namespace plexus::storage_internal
