// LogTail: what a live writer appended to the write-ahead log since a place in it, read by our
// own reader. O(what is new), where RocksDB reads such a log from its first byte.
//
// It understands what nearly every write is: new records in order, with their payloads. All else
// is left to RocksDB: purge marks, payloads that are overwritten, deletions, pieces of another
// kind, a checksum or a running hash that does not match. A write that is not all there yet is
// not read, and nothing behind it. Free functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/record.h"
#include "storage/log/log_reader.h"

namespace plexus::storage_internal {

struct LogTail {
  struct NewRecord {
    Record record;      // its payloads without bytes
    std::string value;  // as it is stored
    LogPoint point;     // after it
  };
  struct NewPayload {
    PayloadRef ref;
    std::string value;  // as it is stored: digest, then bytes
  };
  std::vector<NewRecord> records;
  std::vector<NewPayload> payloads;
  std::uint64_t end = 0;  // where the last whole write ends, as an offset in the file
  bool cut = false;       // a write begins there that is not all there
};

// `bytes` are those of a log from `begin`, where a write begins, to its end at present; `after`
// is the last record before it. Column families have the numbers that they have in `rocks`.
// Nothing: RocksDB must be asked.
std::optional<LogTail> ReadLogTail(std::string_view bytes, std::uint64_t begin, LogPoint after,
                                   const Rocks& rocks);

// --- The log as bytes: blocks of 32 KiB with pieces of writes, each with a CRC-32C.
//
// A write (one rocksdb::WriteBatch) is a full piece, or a first, middle ones and a last. A piece
// does not pass the end of its block; where a block has no room for a header zeros fill it.
// Repair reads them, too.

inline constexpr std::size_t kWalBlock = 32 << 10, kWalHeader = 7;

enum class WalPieceType : std::uint8_t { kZero = 0, kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

struct WalPiece {
  std::uint32_t crc = 0;
  std::uint16_t size = 0;  // of what follows the header
  WalPieceType type = WalPieceType::kZero;

  std::size_t end() const { return kWalHeader + size; }
  bool begins() const { return type == WalPieceType::kFull || type == WalPieceType::kFirst; }
  bool ends() const { return type == WalPieceType::kFull || type == WalPieceType::kLast; }
  bool nothing() const { return type == WalPieceType::kZero && size == 0 && crc == 0; }
};

// REQUIRES kWalHeader bytes.
WalPiece ReadWalPiece(std::string_view bytes);
// Whether the piece that `bytes` begin with lies in them, is of a known type and matches its
// checksum. REQUIRES kWalHeader bytes.
bool IsSound(const WalPiece& piece, std::string_view bytes);

}  // namespace plexus::storage_internal
