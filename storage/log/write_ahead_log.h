// RocksDB's write-ahead log as bytes: blocks of 32 KiB with pieces of writes, each with a CRC-32C.
//
// A write (one rocksdb::WriteBatch) is a full piece, or a first, middle ones and a last. A piece
// does not pass the end of its block; where a block has no room for a header zeros fill it. For
// readers that ask for what RocksDB has no call for: repair, and a view that follows (log_tail.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plexus::storage_internal {

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
