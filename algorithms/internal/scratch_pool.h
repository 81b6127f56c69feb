// ScratchPool<T>: large scratch handed on from block to block of a parallel loop, so
// that there is one per thread at work and not one per block.
//
// Reserve before the loop, where running out of memory may still throw; inside of it
// Take one, use it, Give it back, which then allocate nothing. Take and Give are
// thread-safe; what is taken may hold anything.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/parallel.h"

namespace plexus::internal {

// How many blocks of a loop can be at work at once.
inline std::size_t ScratchCount(const Executor& executor, std::size_t blocks) {
  return std::min(blocks, static_cast<std::size_t>(executor.thread_count()));
}

template <class T>
class ScratchPool {
 public:
  void Reserve(std::size_t count) {
    std::lock_guard lock(mutex_);
    free_.reserve(count);
    while (made_ < count) {
      free_.push_back(std::make_unique<T>());
      ++made_;
    }
  }
  std::unique_ptr<T> Take() {
    std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<T>();  // an executor with more threads than it said
    std::unique_ptr<T> taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }
  void Give(std::unique_ptr<T> scratch) {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(scratch));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
  std::size_t made_ = 0;
};

}  // namespace plexus::internal
