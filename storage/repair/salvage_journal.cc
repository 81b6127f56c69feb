// RocksDB's write-ahead log: blocks of 32 KiB with pieces of writes, each with a CRC-32C.
#include <array>
#include <cstring>

#include <rocksdb/write_batch.h>

#include "storage/repair/salvage.h"

namespace plexus::storage {

namespace {

constexpr std::size_t kBlock = 32 << 10, kHeader = 7;

std::uint32_t Crc32c(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      made[i] = i;
      for (int bit = 0; bit < 8; ++bit) made[i] = (made[i] >> 1) ^ (made[i] & 1 ? 0x82F63B78u : 0);
    }
    return made;
  }();
  std::uint32_t crc = ~0u;
  for (const char c : bytes) crc = table[(crc ^ static_cast<std::uint8_t>(c)) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

std::uint32_t Masked(std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u; }

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
  enum Type : std::uint8_t { kZero = 0, kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };
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
    if (at + kHeader > block_end) return false;
    std::uint32_t crc;
    std::uint16_t size;
    std::memcpy(&crc, bytes.data() + at, sizeof crc);
    std::memcpy(&size, bytes.data() + at + 4, sizeof size);
    const auto type = static_cast<std::uint8_t>(bytes[at + 6]);
    return type >= kFull && type <= kLast && at + kHeader + size <= block_end &&
           Masked(Crc32c(bytes.substr(at + 6, size + std::size_t{1}))) == crc;
  };
  for (std::size_t at = 0; at + kHeader <= bytes.size();) {
    const std::size_t block_end = std::min(bytes.size(), (at / kBlock + 1) * kBlock);
    if (at + kHeader > block_end) {
      at = block_end;
      continue;
    }
    std::uint32_t crc;
    std::uint16_t size;
    std::memcpy(&crc, bytes.data() + at, sizeof crc);
    std::memcpy(&size, bytes.data() + at + 4, sizeof size);
    const auto type = static_cast<std::uint8_t>(bytes[at + 6]);
    if (type == kZero && size == 0 && crc == 0) {  // room that was never written
      at = block_end;
      continue;
    }
    if (!sound(at, block_end)) {
      open = false;
      // Its length may be right all the same: then a sound piece follows, or nothing does.
      const std::size_t next = at + kHeader + size;
      if (sound(next, block_end) || next == bytes.size()) {
        lost(at, "a piece that does not match its checksum");
        at = next;
      } else {
        lost(at, "a piece that does not match its checksum; the rest of its 32 KiB is lost");
        at = block_end;
      }
      continue;
    }
    if (type == kFull || type == kFirst) {
      if (open) lost(begin, "a write without its end");
      write.clear();
      begin = at;
      open = true;
    }
    if (open) write.append(bytes, at + kHeader, size);
    if (open && (type == kFull || type == kLast)) finish();
    at += kHeader + size;
  }
  if (open) lost(begin, "a write without its end");
}

}  // namespace plexus::storage
