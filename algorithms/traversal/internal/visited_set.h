// VisitedSet: which nodes a search has visited, one bit each, at no cost for the rest.
//
// A bitmap that is kept between searches and cleaned word by word: the words that a
// search touched are listed. So the cost of a small search depends on its own nodes only, and a set
// of 300,000 nodes fits the first cache levels. Graphs of over 8 million nodes would make the kept
// memory large and its first cleaning slow; they get a hash table, until a search is so large that
// the bitmap is worth it. Single-threaded to write, shared to read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithms/common/internal/node_map.h"
#include "engine/types.h"

namespace plexus::traversal::internal {

class VisitedSet {
 public:
  static constexpr NodeId kMaxBitmapNodes = NodeId{1} << 23;

  // Empty again, for ids below node_count.
  void Reset(NodeId node_count) {
    if (touched_.size() * 8 > words_.size())
      std::fill(words_.begin(), words_.end(), 0);
    else
      for (const std::uint32_t word : touched_) words_[word] = 0;
    touched_.clear();
    node_count_ = node_count;
    bits_ = node_count <= kMaxBitmapNodes;
    if (bits_)
      Grow();
    else
      map_.Reset(node_count);
  }

  // True when it was not there.
  bool Insert(NodeId node) {
    if (bits_) {
      std::uint64_t& word = words_[node / 64];
      if (word == 0) touched_.push_back(node / 64);
      const std::uint64_t bit = std::uint64_t{1} << (node % 64);
      if (word & bit) return false;
      word |= bit;
      return true;
    }
    std::uint32_t& value = map_.at(node);
    return value == common_internal::NodeMap::kAbsent ? (value = 0, true) : false;
  }
  bool contains(NodeId node) const {
    return bits_ ? words_[node / 64] >> (node % 64) & 1
                 : map_.get(node) != common_internal::NodeMap::kAbsent;
  }
  // Worth the whole array now: many nodes are about to be visited.
  void MakeDense() { map_.MakeDense(); }

  std::size_t size_bytes() const {
    return words_.capacity() * 8 + touched_.capacity() * 4 + map_.size_bytes();
  }

 private:
  void Grow() {
    const std::size_t words = (std::size_t{node_count_} + 63) / 64;
    if (words_.size() < words) words_.resize(words, 0);
  }

  NodeId node_count_ = 0;
  bool bits_ = true;
  std::vector<std::uint64_t> words_;  // zero but for the words listed
  std::vector<std::uint32_t> touched_;
  common_internal::NodeMap map_;
};

}  // namespace plexus::traversal::internal
