// The writes of a write-ahead log, over damaged places.
#include <algorithm>

#include <rocksdb/write_batch.h>

#include "storage/log/write_ahead_log.h"
#include "storage/repair/salvage.h"

namespace plexus::storage_internal {

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
