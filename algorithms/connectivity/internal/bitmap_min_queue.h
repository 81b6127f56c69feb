// BitmapMinQueue: ids below a bound, of which the least is taken first.
//
// Bits over the ids, and over each level's words bits that say which are not zero, up to a
// single word: an id goes in or out by one word a level, four levels for 16 million, and
// what is near in id is near in memory. A heap of as many pairs moves log2 of them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/types.h"

namespace plexus::connectivity::internal {

class BitmapMinQueue {
 public:
  explicit BitmapMinQueue(NodeId bound) {
    std::size_t words = bound;
    do {
      words = (words + 63) / 64;
      levels_.emplace_back(words, 0);
    } while (words > 1);
  }

  bool empty() const { return levels_.back().empty() || levels_.back()[0] == 0; }
  // REQUIRES id below the bound.
  void Insert(NodeId id) {
    std::size_t at = id;
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[at / 64];
      const bool known = word != 0;
      word |= std::uint64_t{1} << at % 64;
      if (known) return;  // so are the levels above
      at /= 64;
    }
  }
  // REQUIRES !empty().
  NodeId PopMin() {
    std::size_t at = 0;
    for (std::size_t i = levels_.size(); i-- > 0;)
      at = at * 64 + static_cast<std::size_t>(std::countr_zero(levels_[i][at]));
    const auto least = static_cast<NodeId>(at);
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[at / 64];
      word &= word - 1;  // the least of its word
      if (word != 0) break;
      at /= 64;
    }
    return least;
  }

 private:
  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace plexus::connectivity::internal
