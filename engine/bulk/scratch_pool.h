// ScratchPool: scratch buffers that the running blocks of a parallel loop borrow.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "engine/arrays/aligned_array.h"
#include "engine/mutex.h"

namespace plexus {

// All buffers are made ahead, as many as blocks run at once, so that nothing can fail
// inside a parallel loop. Thread-safe.
template <class Key>
class ScratchPool {
 public:
  ScratchPool(std::size_t count, std::size_t size) {
    for (std::size_t i = 0; i < count; ++i) free_.emplace_back(size);
  }
  AlignedArray<Key> Take() {
    MutexLock lock(mutex_);
    AlignedArray<Key> scratch = std::move(free_.back());
    free_.pop_back();
    return scratch;
  }
  void Give(AlignedArray<Key> scratch) {
    MutexLock lock(mutex_);
    free_.push_back(std::move(scratch));
  }

 private:
  Mutex mutex_;
  std::vector<AlignedArray<Key>> free_ PLEXUS_GUARDED_BY(mutex_);
};

}  // namespace plexus
