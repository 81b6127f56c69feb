// FNV-1a, 64 bits: hashes of queries, ids of events, digests of questions.
//
// Source: Fowler, Noll, Vo; RFC 9923.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plexus::memory::internal {

inline constexpr std::uint64_t kFnvBasis = 0xcbf29ce484222325ull;

constexpr std::uint64_t Fnv1a64(std::string_view bytes, std::uint64_t hash = kFnvBasis) {
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ull;
  }
  return hash;
}

// 16 lower-case hex digits.
inline std::string Hex16(std::uint64_t value) {
  std::string hex(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) hex[i] = "0123456789abcdef"[value & 15];
  return hex;
}

// What separates texts and numbers of a digest from others: each with its length, or a mark.
class DigestText {
 public:
  DigestText& Add(std::string_view text) {
    bytes_ += std::to_string(text.size());
    bytes_ += ':';
    bytes_ += text;
    return *this;
  }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace plexus::memory::internal
