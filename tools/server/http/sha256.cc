// libmd computes the hash.
#include "tools/server/http/sha256.h"

#include <sha2.h>

#include <algorithm>
#include <cstdint>

namespace plexus::tools::server {

std::string Sha256(std::string_view text) {
  char digits[SHA256_DIGEST_STRING_LENGTH];
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digits);
  return digits;
}

bool SameSecret(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    different |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^
                                       static_cast<unsigned char>(b[i]));
  return different == 0;
}

}  // namespace plexus::tools::server
