// Pool: scratch objects lent to one block of a parallel loop at a time.
//
// As many are made as blocks run at once. Whoever takes one gives it back as it was
// found, so which block had it before cannot be told.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace plexus::internal {

template <class T>
class Pool {
 public:
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
