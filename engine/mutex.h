// Mutexes and scoped locks that clang's thread-safety analysis knows: -Wthread-safety checks that
// what is PLEXUS_GUARDED_BY a mutex is touched only by who holds it. Other compilers see the
// standard mutexes and nothing else. https://clang.llvm.org/docs/ThreadSafetyAnalysis.html
//
// A lambda is checked alone: one that is called under the lock begins with AssertHeld().
#pragma once

#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#if defined(__clang__)
#define PLEXUS_LOCKS(x) __attribute__((x))
#else
#define PLEXUS_LOCKS(x)
#endif
#define PLEXUS_CAPABILITY(name) PLEXUS_LOCKS(capability(name))
#define PLEXUS_SCOPED_CAPABILITY PLEXUS_LOCKS(scoped_lockable)
#define PLEXUS_GUARDED_BY(...) PLEXUS_LOCKS(guarded_by(__VA_ARGS__))
#define PLEXUS_PT_GUARDED_BY(...) PLEXUS_LOCKS(pt_guarded_by(__VA_ARGS__))
#define PLEXUS_ACQUIRED_BEFORE(...) PLEXUS_LOCKS(acquired_before(__VA_ARGS__))
#define PLEXUS_REQUIRES(...) PLEXUS_LOCKS(requires_capability(__VA_ARGS__))
#define PLEXUS_REQUIRES_SHARED(...) PLEXUS_LOCKS(requires_shared_capability(__VA_ARGS__))
#define PLEXUS_EXCLUDES(...) PLEXUS_LOCKS(locks_excluded(__VA_ARGS__))
#define PLEXUS_ACQUIRE(...) PLEXUS_LOCKS(acquire_capability(__VA_ARGS__))
#define PLEXUS_ACQUIRE_SHARED(...) PLEXUS_LOCKS(acquire_shared_capability(__VA_ARGS__))
#define PLEXUS_TRY_ACQUIRE(...) PLEXUS_LOCKS(try_acquire_capability(__VA_ARGS__))
#define PLEXUS_RELEASE(...) PLEXUS_LOCKS(release_capability(__VA_ARGS__))
#define PLEXUS_RELEASE_SHARED(...) PLEXUS_LOCKS(release_shared_capability(__VA_ARGS__))
#define PLEXUS_RELEASE_GENERIC(...) PLEXUS_LOCKS(release_generic_capability(__VA_ARGS__))
#define PLEXUS_ASSERT_CAPABILITY(...) PLEXUS_LOCKS(assert_capability(__VA_ARGS__))
#define PLEXUS_NO_THREAD_SAFETY_ANALYSIS PLEXUS_LOCKS(no_thread_safety_analysis)

namespace plexus {

// A standard mutex as a capability. Each member does what that one's does.
template <class Standard>
class PLEXUS_CAPABILITY("mutex") BasicMutex : public Standard {
 public:
  void lock() PLEXUS_ACQUIRE() { Standard::lock(); }
  bool try_lock() PLEXUS_TRY_ACQUIRE(true) { return Standard::try_lock(); }
  void unlock() PLEXUS_RELEASE() { Standard::unlock(); }
  void lock_shared() PLEXUS_ACQUIRE_SHARED() { Standard::lock_shared(); }
  void unlock_shared() PLEXUS_RELEASE_SHARED() { Standard::unlock_shared(); }
  // The analysis takes the caller's word.
  void AssertHeld() const PLEXUS_ASSERT_CAPABILITY(this) {}
  // Waits for a notification, of which some are spurious, with the mutex given up.
  void Wait(std::condition_variable& changed) PLEXUS_REQUIRES(this) {
    std::unique_lock<std::mutex> held(*this, std::adopt_lock);
    changed.wait(held);
    held.release();
  }
  // The same; false: `time` has come.
  template <class Time>
  bool WaitUntil(std::condition_variable& changed, const Time& time) PLEXUS_REQUIRES(this) {
    std::unique_lock<std::mutex> held(*this, std::adopt_lock);
    const std::cv_status woken = changed.wait_until(held, time);
    held.release();
    return woken == std::cv_status::no_timeout;
  }
};
using Mutex = BasicMutex<std::mutex>;
using SharedMutex = BasicMutex<std::shared_mutex>;

// Holds a mutex of any kind alone.
template <class M>
class PLEXUS_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(M& mutex) PLEXUS_ACQUIRE(mutex) : lock_(mutex) {}
  MutexLock(M& mutex, std::adopt_lock_t held) PLEXUS_REQUIRES(mutex) : lock_(mutex, held) {}
  ~MutexLock() PLEXUS_RELEASE() {}
  void Lock() PLEXUS_ACQUIRE() { lock_.lock(); }
  void Unlock() PLEXUS_RELEASE() { lock_.unlock(); }

 private:
  std::unique_lock<M> lock_;
};

// Holds it together with other readers.
template <class M>
class PLEXUS_SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(M& mutex) PLEXUS_ACQUIRE_SHARED(mutex) : lock_(mutex) {}
  ~ReaderLock() PLEXUS_RELEASE_GENERIC() {}
  void Lock() PLEXUS_ACQUIRE_SHARED() { lock_.lock(); }
  void Unlock() PLEXUS_RELEASE() { lock_.unlock(); }

 private:
  std::shared_lock<M> lock_;
};

// Gives up for a scope what is held around it, however the scope ends.
template <class M>
class PLEXUS_SCOPED_CAPABILITY MutexUnlock {
 public:
  explicit MutexUnlock(M& mutex) PLEXUS_RELEASE(mutex) : lock_(mutex, std::adopt_lock) {
    lock_.unlock();
  }
  ~MutexUnlock() PLEXUS_RELEASE() {
    if (!lock_.owns_lock()) lock_.lock();
    lock_.release();
  }
  MutexUnlock(const MutexUnlock&) = delete;
  MutexUnlock& operator=(const MutexUnlock&) = delete;
  void Lock() PLEXUS_RELEASE() { lock_.lock(); }
  void Unlock() PLEXUS_ACQUIRE() { lock_.unlock(); }

 private:
  std::unique_lock<M> lock_;
};

}  // namespace plexus
