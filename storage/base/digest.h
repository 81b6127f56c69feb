// Digests: XXH3-64 in the few shapes that the format needs.
//
// They detect damage; they prove nothing about the author of the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace plexus::storage_internal {

using ByteSpan = std::span<const std::uint8_t>;

inline ByteSpan AsBytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view AsText(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t Digest(ByteSpan bytes, std::uint64_t seed = 0);

// Digest of `bytes` with the 16 bytes at `seal_offset` taken as zeros: how a
// buffer carries its own digest. REQUIRES seal_offset + 16 <= bytes.size().
inline constexpr std::size_t kSealBytes = 16;
std::uint64_t DigestAroundSeal(ByteSpan bytes, std::size_t seal_offset);

// The running hash of a log after a record with `digest`.
std::uint64_t ChainHash(std::uint64_t previous, std::uint64_t digest);

// --- Numbers as bytes, the lowest first.

inline void AppendLittleEndian(std::string& to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to.push_back(static_cast<char>(value >> (8 * i)));
}

// Of at most 8 bytes.
inline std::uint64_t ReadLittleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = (value << 8) | static_cast<std::uint8_t>(bytes[i]);
  return value;
}

}  // namespace plexus::storage_internal
