// EraseMutex: shared by who reads the log and checkpoints at length, alone by who erases of them or
// closes them. Who waits to erase holds the gate, so that others do not begin to read.
#pragma once

#include <mutex>
#include <shared_mutex>

#include "engine/mutex.h"
#include "storage/base/fail_points.h"

namespace plexus::storage_internal {

class PLEXUS_CAPABILITY("mutex") EraseMutex {
 public:
  void lock() PLEXUS_ACQUIRE() {
    const std::lock_guard nobody_begins(gate_);
    if (mutex_.try_lock()) return;
    FailPoint(hooks, "erasing.waits");
    mutex_.lock();
  }
  template <class Time>
  bool try_lock_for(const Time& time) PLEXUS_TRY_ACQUIRE(true) {
    const std::lock_guard nobody_begins(gate_);
    return mutex_.try_lock_for(time);
  }
  void unlock() PLEXUS_RELEASE() { mutex_.unlock(); }
  void lock_shared() PLEXUS_ACQUIRE_SHARED() {
    const std::lock_guard in(gate_);
    mutex_.lock_shared();
  }
  void unlock_shared() PLEXUS_RELEASE_SHARED() { mutex_.unlock_shared(); }

  const TestHooks* hooks = nullptr;  // of tests

 private:
  std::mutex gate_;
  std::shared_timed_mutex mutex_;
};

}  // namespace plexus::storage_internal
