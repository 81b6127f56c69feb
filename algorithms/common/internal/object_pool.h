// ObjectPool: scratch objects lent to one block of a parallel loop at a time.
//
// There are as many objects as blocks run at once. A block acquires a lease and finds its object as
// the last holder left it; it restores what the next one relies on, so no result depends on which
// block held the object before. The end of the lease returns the object. A block that throws does
// not restore its object, so the object is dropped. Reserve before the loop, where running out of
// memory may still throw: Acquire then allocates nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "engine/parallel.h"

namespace plexus::common_internal {

template <class T>
class ObjectPool {
 public:
  // Holds one object and returns it to the pool. Lives no longer than the pool.
  class Lease {
   public:
    Lease(ObjectPool& pool, std::unique_ptr<T> object) : pool_(&pool), object_(std::move(object)) {}
    Lease(Lease&& other) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (object_ && std::uncaught_exceptions() == exceptions_) pool_->Return(std::move(object_));
    }
    T& operator*() const { return *object_; }
    T* operator->() const { return object_.get(); }

   private:
    ObjectPool* pool_;
    std::unique_ptr<T> object_;
    int exceptions_ = std::uncaught_exceptions();
  };

  // As many objects as a loop over `blocks` can use at once. REQUIRES no loop at work.
  template <class Make>
  void Reserve(const Executor& executor, std::size_t blocks, Make&& make) {
    const std::size_t count = std::min(blocks, static_cast<std::size_t>(executor.thread_count()));
    free_.reserve(count);
    while (free_.size() < count) free_.push_back(make());
  }
  void Reserve(const Executor& executor, std::size_t blocks) {
    Reserve(executor, blocks, [] { return std::make_unique<T>(); });
  }
  void Add(std::unique_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(object));
  }
  // `make()` returns a unique_ptr<T>, when no object is free.
  template <class Make>
  Lease Acquire(Make&& make) {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<T> object = std::move(free_.back());
        free_.pop_back();
        return Lease(*this, std::move(object));
      }
    }
    return Lease(*this, make());
  }
  Lease Acquire() {
    return Acquire([] { return std::make_unique<T>(); });
  }
  // The objects that are not leased. REQUIRES no loop at work.
  std::vector<std::unique_ptr<T>>& idle() { return free_; }

 private:
  void Return(std::unique_ptr<T> object) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      free_.push_back(std::move(object));
    } catch (const std::bad_alloc&) {  // the object is dropped
    }
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace plexus::common_internal
