// Pieces to writes, writes to records.
#include "storage/log/log_tail.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <rocksdb/write_batch.h>

#include "storage/log/payload_store.h"
#include "storage/log/rocks_journal.h"

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

// --- Headers and checksums of pieces.

namespace {

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

}  // namespace

WalPiece ReadWalPiece(std::string_view bytes) {
  WalPiece piece;
  std::memcpy(&piece.crc, bytes.data(), sizeof piece.crc);
  std::memcpy(&piece.size, bytes.data() + 4, sizeof piece.size);
  piece.type = static_cast<WalPieceType>(bytes[6]);
  return piece;
}

bool IsSound(const WalPiece& piece, std::string_view bytes) {
  return piece.type >= WalPieceType::kFull && piece.type <= WalPieceType::kLast &&
         piece.end() <= bytes.size() &&
         Masked(Crc32c(bytes.substr(6, piece.size + std::size_t{1}))) == piece.crc;
}

}  // namespace plexus::storage_internal
