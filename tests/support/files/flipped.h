// Bytes with one bit changed.
#pragma once

#include <cstddef>
#include <string>

namespace plexus::storage_internal::testing {

inline std::string Flipped(std::string bytes, std::size_t at, unsigned bit) {
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
  return bytes;
}

}  // namespace plexus::storage_internal::testing
