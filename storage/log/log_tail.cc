// Pieces to writes, writes to records.
#include "storage/log/log_tail.h"

#include <algorithm>

#include <rocksdb/write_batch.h>

#include "storage/log/payload_store.h"
#include "storage/log/rocks_journal.h"
#include "storage/log/write_ahead_log.h"

namespace plexus::storage_internal {

namespace {

// Puts of one write after another: payloads of the next record, then the record.
class NewRecords : public rocksdb::WriteBatch::Handler {
 public:
  NewRecords(const Rocks& rocks, LogPoint after, LogTail& tail)
      : log_(rocks.log()->GetID()),
        payload_(rocks.payload()->GetID()),
        meta_(rocks.meta()->GetID()),
        point_(after),
        tail_(tail) {}
  bool Take(const std::string& write) {
    return rocksdb::WriteBatch(write).Iterate(this).ok() && payloads_ == 0;
  }

  rocksdb::Status PutCF(std::uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    const bool known = family == log_ ? AddRecord(key, value)
                       : family == payload_
                           ? AddPayload(key, value)
                           : family == meta_ && (key == kReplayedKey || key == kOriginKey);
    return known ? rocksdb::Status::OK() : rocksdb::Status::NotSupported();
  }
  rocksdb::Status DeleteCF(std::uint32_t, const rocksdb::Slice&) override {
    return rocksdb::Status::NotSupported();
  }
  rocksdb::Status SingleDeleteCF(std::uint32_t, const rocksdb::Slice&) override {
    return rocksdb::Status::NotSupported();
  }
  rocksdb::Status DeleteRangeCF(std::uint32_t, const rocksdb::Slice&,
                                const rocksdb::Slice&) override {
    return rocksdb::Status::NotSupported();
  }
  rocksdb::Status MergeCF(std::uint32_t, const rocksdb::Slice&, const rocksdb::Slice&) override {
    return rocksdb::Status::NotSupported();
  }

 private:
  bool AddPayload(const rocksdb::Slice& key, const rocksdb::Slice& value) {
    Sequence sequence = 0;
    std::uint32_t ordinal = 0;
    if (!ParsePayloadKey(key, &sequence, &ordinal) || sequence != point_.sequence + 1 ||
        ordinal != payloads_ || value.size() < kPayloadHeader)
      return false;
    tail_.payloads.push_back({PayloadRef::Make(sequence, ordinal), value.ToString()});
    ++payloads_;
    return true;
  }
  bool AddRecord(const rocksdb::Slice& key, const rocksdb::Slice& value) {
    if (SequenceOfLogKey(key) != point_.sequence + 1) return false;
    auto decoded = DecodeNext(value.ToStringView(), point_);
    if (!decoded || decoded->record.payloads.size() != payloads_) return false;
    payloads_ = 0;
    point_ = {decoded->head.sequence, decoded->head.running_hash};
    tail_.records.push_back({std::move(decoded->record), value.ToString(), point_});
    return true;
  }

  const std::uint32_t log_, payload_, meta_;
  LogPoint point_;
  std::size_t payloads_ = 0;  // of the record to come
  LogTail& tail_;
};

}  // namespace

std::optional<LogTail> ReadLogTail(std::string_view bytes, std::uint64_t begin, LogPoint after,
                                   const Rocks& rocks) {
  LogTail tail;
  tail.end = begin;
  NewRecords records(rocks, after, tail);
  std::string write;
  bool open = false;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto left = static_cast<std::size_t>(kWalBlock - (begin + at) % kWalBlock);
    if (left < kWalHeader) {  // zeros, written with the next piece
      at += std::min(left, bytes.size() - at);
      continue;
    }
    const std::string_view rest = bytes.substr(at, left);
    const WalPiece piece = rest.size() < kWalHeader ? WalPiece() : ReadWalPiece(rest);
    if (rest.size() < kWalHeader || (piece.end() <= left && piece.end() > rest.size())) {
      tail.cut = true;
      return tail;
    }
    if (!IsSound(piece, rest) || piece.begins() == open) return std::nullopt;
    if (piece.begins()) write.clear();
    write.append(rest, kWalHeader, piece.size);
    at += piece.end();
    open = !piece.ends();
    if (open) continue;
    if (!records.Take(write)) return std::nullopt;
    tail.end = begin + at;
  }
  tail.cut = open;
  return tail;
}

}  // namespace plexus::storage_internal
