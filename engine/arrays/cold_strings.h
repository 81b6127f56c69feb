// ColdStrings: strings that are unlikely to be read, packed, each with its id.
//
// What a StringTable keeps of the keys of removed nodes and of labels that no edge has. Texts lie
// in the order of ids, each as its difference from the one before (front coding: how much of its
// end goes, what comes instead), in blocks of 64 ids. Ids are found by hash: buckets of four with a
// byte of the hash each, six bytes an id. A key that counts up takes two or three bytes more, a
// random one its length and three.
//
// Immutable but for blocks that were unpacked for Get: they are kept, so that views stay.
// Thread-safe, without locks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/arrays/aligned_array.h"

namespace plexus {

class ColdStrings {
 public:
  static constexpr std::uint32_t kBlockIds = 64;

  class Builder {
   public:
    // REQUIRES ids ascending, each once. `hash`: StringTable::Hash.
    void Add(std::uint32_t id, std::string_view text, std::uint64_t hash);
    // Null when there are none, or when two texts are equal (then `twice`).
    std::shared_ptr<const ColdStrings> Finish(bool* twice) &&;

   private:
    std::vector<std::uint64_t> ids_, first_;  // by block: which ids are here; where its bytes begin
    std::vector<std::uint32_t> id_;
    std::vector<std::uint64_t> hash_;
    std::string bytes_, before_;
  };

  ~ColdStrings();
  ColdStrings(const ColdStrings&) = delete;
  ColdStrings& operator=(const ColdStrings&) = delete;

  std::uint32_t count() const { return static_cast<std::uint32_t>(id_.size()); }
  bool has(std::uint32_t id) const {
    const std::size_t block = id / kBlockIds;
    return block < ids_.size() && (ids_[block] >> id % kBlockIds & 1);
  }
  // REQUIRES has(id). Unpacks the id's block, the first time, and keeps that; throws
  // std::bad_alloc.
  std::string_view Get(std::uint32_t id) const;
  std::optional<std::uint32_t> Find(std::string_view text, std::uint64_t hash) const;
  std::uint64_t size_bytes() const;

  // A block unpacked for one reader that reads many.
  struct Unpacked {
    std::size_t block = ~std::size_t{0};
    std::array<std::uint32_t, kBlockIds + 1> ends;  // of texts in `bytes`; the first is 0
    std::string bytes;
  };
  // The same as Get, until the next call.
  std::string_view Get(std::uint32_t id, Unpacked& unpacked) const;

 private:
  friend class Builder;
  struct Kept;  // an unpacked block
  ColdStrings() = default;
  bool Equals(std::uint32_t id, std::string_view text) const;
  void Unpack(std::size_t block, Unpacked& into) const;
  std::uint32_t Rank(std::uint32_t id) const;  // among those of its block

  AlignedArray<std::uint64_t> ids_, first_;
  AlignedArray<std::uint8_t> bytes_;
  // By bucket of the hash; `starts_` has an end.
  AlignedArray<std::uint32_t> starts_, id_;
  AlignedArray<std::uint8_t> tag_;
  int bucket_shift_ = 63;
  mutable std::vector<std::atomic<Kept*>> kept_;
  mutable std::atomic<std::uint64_t> kept_bytes_ = 0;
};

}  // namespace plexus
