// ScratchPool<T>: large scratch handed on from block to block of a parallel loop, so
// that there is one per thread at work and not one per block.
//
// Take one, use it, Give it back. Thread-safe; what is taken may hold anything.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace plexus::internal {

template <class T>
class ScratchPool {
 public:
  std::unique_ptr<T> Take() {
    {
      std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<T> taken = std::move(free_.back());
        free_.pop_back();
        return taken;
      }
    }
    return std::make_unique<T>();
  }
  void Give(std::unique_ptr<T> scratch) {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(scratch));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace plexus::internal
