// Numbers as bytes, the lowest first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plexus::storage_internal {

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
