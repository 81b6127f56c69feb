// BestList: the best of what was seen so far, as many as are asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace plexus::retrieval::internal {

// The `top` best seen so far, 0 = all, by a strict order without ties.
template <class T, class Before = std::less<>>
class BestList {
 public:
  explicit BestList(std::size_t top, Before before = {}) : top_(top), before_(before) {}
  void Add(T one) {
    if (full()) {
      if (!before_(one, best_.front())) return;
      std::pop_heap(best_.begin(), best_.end(), before_);
      best_.back() = std::move(one);
    } else {
      best_.push_back(std::move(one));
    }
    if (top_ != 0) std::push_heap(best_.begin(), best_.end(), before_);
  }
  bool full() const { return top_ != 0 && best_.size() == top_; }
  const T& worst() const { return best_.front(); }  // REQUIRES full()
  std::vector<T> Take() { return std::move(best_); }

 private:
  std::size_t top_;
  Before before_;
  std::vector<T> best_;
};

}  // namespace plexus::retrieval::internal
