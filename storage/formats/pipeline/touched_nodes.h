// TouchedNodes: which nodes that were there before an import its files name.
//
// An import is many batches, and a batch reports a node as `same` each time it names
// it. One bit per node makes the report count each node once, whatever the cuts.
// Thread-safe: parsers mark concurrently.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/snapshot.h"

namespace plexus::formats::internal {

class TouchedNodes {
 public:
  explicit TouchedNodes(Snapshot before)
      : before_(std::move(before)), words_((std::size_t{before_.node_count()} + 63) / 64) {}

  // Into an empty graph every node is new, and Mark costs one comparison.
  void Mark(std::string_view key) {
    if (words_.empty()) return;
    if (const auto id = before_.Find(key)) Mark(*id);
  }
  void Mark(NodeId id) {
    if (id < before_.node_count() && before_.alive(id) && before_.is_fact(id))
      words_[id / 64].fetch_or(std::uint64_t{1} << (id % 64), std::memory_order_relaxed);
  }

  // Those of `other`, of the same graph.
  void MarkAll(const TouchedNodes& other) {
    for (std::size_t w = 0; w < std::min(words_.size(), other.words_.size()); ++w)
      words_[w].fetch_or(other.words_[w].load(std::memory_order_relaxed),
                         std::memory_order_relaxed);
  }

  std::uint64_t count() const {
    std::uint64_t n = 0;
    for (const auto& w : words_) n += std::popcount(w.load(std::memory_order_relaxed));
    return n;
  }

 private:
  Snapshot before_;
  std::vector<std::atomic<std::uint64_t>> words_;
};

}  // namespace plexus::formats::internal
