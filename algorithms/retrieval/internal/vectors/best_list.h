// BestList: the nearest nodes seen so far, as many as are asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "algorithms/retrieval/internal/vectors/candidate_search.h"

namespace plexus::retrieval::internal {

// The `top` best seen so far, 0 = all; its front is the worst of them.
class BestList {
 public:
  explicit BestList(std::size_t top) : top_(top) {}
  // False: certainly not among the best, whatever the node.
  bool Admits(double rank) const {
    return best_.size() < top_ || top_ == 0 || rank >= best_.front().rank;
  }
  void Add(RankedNode node) {
    if (top_ != 0 && best_.size() == top_) {
      if (!(node < best_.front())) return;
      std::pop_heap(best_.begin(), best_.end());
      best_.back() = node;
    } else {
      best_.push_back(node);
    }
    if (top_ != 0) std::push_heap(best_.begin(), best_.end());
  }
  std::vector<RankedNode> Take() { return std::move(best_); }

 private:
  std::size_t top_;
  std::vector<RankedNode> best_;
};

}  // namespace plexus::retrieval::internal
