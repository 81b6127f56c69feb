// Digests over xxHash, which stays inside this file.
#include "storage/base/digest.h"

#include <bit>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace plexus::storage_internal {

// Digests and arrays are written as they lie in memory.
static_assert(std::endian::native == std::endian::little);

std::uint64_t Digest(ByteSpan bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t DigestAroundSeal(ByteSpan bytes, std::size_t seal_offset) {
  const std::uint8_t zeros[kSealBytes] = {};
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, bytes.data(), seal_offset);
  XXH3_64bits_update(&state, zeros, kSealBytes);
  const ByteSpan rest = bytes.subspan(seal_offset + kSealBytes);
  XXH3_64bits_update(&state, rest.data(), rest.size());
  return XXH3_64bits_digest(&state);
}

std::uint64_t ChainHash(std::uint64_t previous, std::uint64_t digest) {
  std::uint8_t pair[16];
  std::memcpy(pair, &previous, 8);
  std::memcpy(pair + 8, &digest, 8);
  return Digest({pair, sizeof pair});
}

}  // namespace plexus::storage_internal
