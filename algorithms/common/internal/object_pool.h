// Pool: scratch objects lent to one block of a parallel loop at a time.
//
// As many are made as blocks run at once. Whoever takes one gives it back as it was
// found, or says that what is in it means nothing; so which block had it before cannot
// be told. Reserve before the loop, where running out of memory may still throw: then
// Take and Give allocate nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/parallel.h"

namespace plexus::internal {

template <class T>
class Pool {
 public:
  // As many as a loop over `blocks` can have at work at once. REQUIRES no loop at work.
  void Reserve(const Executor& executor, std::size_t blocks) {
    const std::size_t count = std::min(blocks, static_cast<std::size_t>(executor.thread_count()));
    free_.reserve(count);
    while (free_.size() < count) free_.push_back(std::make_unique<T>());
  }
  // `make()` returns a unique_ptr<T>; only called by the thread that will use it first.
  template <class Make>
  std::unique_ptr<T> Take(Make&& make) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<T> object = std::move(free_.back());
        free_.pop_back();
        return object;
      }
    }
    return make();
  }
  std::unique_ptr<T> Take() {
    return Take([] { return std::make_unique<T>(); });
  }
  void Give(std::unique_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(object));
  }
  // Those that nobody has. REQUIRES no loop at work.
  std::vector<std::unique_ptr<T>>& idle() { return free_; }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace plexus::internal
