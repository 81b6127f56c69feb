// Headers and checksums of pieces.
#include "storage/log/write_ahead_log.h"

#include <array>
#include <cstring>

namespace plexus::storage_internal {

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
