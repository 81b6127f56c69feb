// TokenCache: node references of one piece by token, without hashing strings.
//
// A short token packed into one word is its own key in a small direct-mapped cache,
// so an endpoint named again costs no hashing here and no look-up when the batch is
// applied. One cache a thread. Internal to storage/formats.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "storage/formats/pipeline/record_parser.h"

namespace plexus::formats::internal {

inline std::uint64_t Load8(const char* p) {
  std::uint64_t w;
  std::memcpy(&w, p, 8);
  return w;
}

// A token's first 8 bytes, zero-padded. REQUIRES 8 readable bytes.
inline std::uint64_t Word(std::string_view token) {
  const std::uint64_t word = Load8(token.data());
  return token.size() < 8 ? word & ((std::uint64_t{1} << (8 * token.size())) - 1) : word;
}

// Node references of one piece by token.
class TokenCache {
 public:
  TokenCache() : slots_(std::size_t{1} << kBits) {}
  void Reset() {
    if (++generation_ == 0) {
      slots_.assign(slots_.size(), Slot{});
      generation_ = 1;
    }
  }
  void Prefetch(std::uint64_t word) const { __builtin_prefetch(&slots_[SlotOf(word)]); }
  NodeRef Get(std::string_view token, std::uint64_t word, Piece& piece, TouchedNodes* touched) {
    if (token.size() > 8) return Name(token, piece, touched);
    Slot& slot = slots_[SlotOf(word)];
    if (slot.word != word || slot.generation != generation_)
      slot = {word, generation_, (last_ = Name(token, piece, touched)).index()};
    return last_.Sibling(slot.local);
  }

 private:
  static constexpr int kBits = 16;
  struct Slot {
    std::uint64_t word = 0;
    std::uint32_t generation = 0, local = 0;
  };
  static std::size_t SlotOf(std::uint64_t word) {
    word ^= word >> 29;  // digits differ in few bits: spread them before multiplying
    return (word * 0x9E3779B97F4A7C15ull) >> (64 - kBits);
  }
  static NodeRef Name(std::string_view token, Piece& piece, TouchedNodes* touched) {
    if (touched) touched->Mark(token);
    return piece.batch.Node(token);
  }
  std::vector<Slot> slots_;
  std::uint32_t generation_ = 0;
  NodeRef last_;  // of this generation, so of the piece's batch
};

}  // namespace plexus::formats::internal
