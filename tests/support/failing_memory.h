// Memory that fails on demand: operator new and the arrays' AllocateAligned
// (engine/arrays/aligned_array.h).
//
// Included by exactly one file of a test program, which links with `plexus_failing_memory` (tests/
// CMakeLists.txt): it replaces operator new, and the linker sends the library's calls of
// AllocateAligned here. Counted are allocations of all threads, so that those of a pool's
// threads fail, too. What a library of somebody else asks for is not made to fail where the test
// says so (`spare`): RocksDB is not written to survive it. Of background work only the library's
// own threads are meant (Threads::kOthers), with what they call; RocksDB's serve all of its
// instances.
#pragma once

#include <dlfcn.h>
#include <execinfo.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

namespace plexus::testing {

// One failure, or one that lasts.
enum class Failure { kOnce, kFromThenOn };
// All; the one that makes the FailingMemory; neither that one nor RocksDB's.
enum class Threads { kAll, kThis, kOthers };

class FailingMemory {
 public:
  // The n-th allocation from now on fails, counted from 1. `spare`: part of the file name of a
  // shared library; what it asks for is served, and the next one fails instead.
  FailingMemory(std::int64_t n, Failure failure, const char* spare = nullptr,
                Threads threads = Threads::kAll) {
    Which() = threads;
    Maker() = std::this_thread::get_id();
    if (spare || threads == Threads::kOthers) {  // the first call allocates itself
      void* frames[2];
      backtrace(frames, 2);
    }
    Spared() = spare;
    Lasts() = failure == Failure::kFromThenOn;
    Failed() = false;
    Left() = n;
  }
  ~FailingMemory() { Left() = 0; }
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;

  // Whether some allocation has failed.
  bool failed() const { return Failed(); }

  static bool FailsNow() {
    if (Left().load(std::memory_order_relaxed) == 0) return false;
    if (!IsMeant()) return false;
    std::int64_t left = Left().load();
    while (left > 0 && !Left().compare_exchange_weak(left, left - 1)) {
    }
    if (left == 0 || left > 1) return false;  // not yet; or another thread has ended it
    // The last one stays due while it is another's.
    if (left == 1 && Spared() && InSpared()) {
      Left() = 1;
      return false;
    }
    if (Lasts()) Left() = 1;
    Failed() = true;
    return true;
  }

 private:
  static std::atomic<std::int64_t>& Left() {
    static std::atomic<std::int64_t> left = 0;
    return left;
  }
  static std::atomic<bool>& Failed() {
    static std::atomic<bool> failed = false;
    return failed;
  }
  static Threads& Which() {
    static Threads which = Threads::kAll;
    return which;
  }
  static std::thread::id& Maker() {
    static std::thread::id maker;
    return maker;
  }
  static bool IsMeant() {
    if (Which() == Threads::kAll) return true;
    const bool made_it = std::this_thread::get_id() == Maker();
    if (Which() == Threads::kThis || made_it) return Which() == Threads::kThis && made_it;
    static thread_local const bool of_rocksdb = BeganInRocksDB();
    return !of_rocksdb;
  }
  // The outermost frame of the thread that is not the system's, nor the address sanitizer's, which
  // begins every thread in the program itself.
  static bool BeganInRocksDB() {
#if defined(__has_feature)
    constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
    constexpr bool kSanitized = false;
#endif
    bool own_begin = kSanitized;
    void* frames[96];
    Dl_info info;
    for (int i = backtrace(frames, 96) - 1; i >= 0; --i) {
      if (dladdr(frames[i], &info) == 0 || !info.dli_fname) continue;
      if (std::strstr(info.dli_fname, "/libc.so") || std::strstr(info.dli_fname, "libstdc++"))
        continue;
      if (std::exchange(own_begin, false)) continue;
      return std::strstr(info.dli_fname, "librocksdb") != nullptr;
    }
    return false;
  }
  static bool& Lasts() {
    static bool lasts = false;
    return lasts;
  }
  static const char*& Spared() {
    static const char* spared = nullptr;
    return spared;
  }
  static bool InSpared() {
    void* frames[48];
    const int count = backtrace(frames, 48);
    for (int i = 0; i < count; ++i) {
      Dl_info info;
      if (dladdr(frames[i], &info) != 0 && info.dli_fname && std::strstr(info.dli_fname, Spared()))
        return true;
    }
    return false;
  }
};

// The allocation to try after the n-th: each of the first `all`, then further and further apart.
// PLEXUS_EVERY_ALLOCATION=1: each.
inline std::int64_t NextAllocation(std::int64_t n, std::int64_t all, double growth) {
  static const bool every = std::getenv("PLEXUS_EVERY_ALLOCATION") != nullptr;
  return every || n < all ? n + 1 : static_cast<std::int64_t>(static_cast<double>(n) * growth) + 1;
}

inline void* AskFor(std::size_t bytes, std::size_t alignment) noexcept {
  if (FailingMemory::FailsNow()) return nullptr;
  if (bytes == 0) bytes = 1;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
inline void* AskOrThrow(std::size_t bytes, std::size_t alignment) {
  if (void* memory = AskFor(bytes, alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace plexus::testing

extern "C" {
void* __real__ZN6plexus15engine_internal15AllocateAlignedEm(std::size_t bytes);
void* __wrap__ZN6plexus15engine_internal15AllocateAlignedEm(std::size_t bytes) {
  if (plexus::testing::FailingMemory::FailsNow()) throw std::bad_alloc();
  return __real__ZN6plexus15engine_internal15AllocateAlignedEm(bytes);
}
}

constexpr std::size_t kPlainAlignment = alignof(std::max_align_t);
[[gnu::noinline]] void* operator new(std::size_t n) {
  return plexus::testing::AskOrThrow(n, kPlainAlignment);
}
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a) {
  return plexus::testing::AskOrThrow(n, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  return plexus::testing::AskFor(n, kPlainAlignment);
}
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a,
                                     const std::nothrow_t&) noexcept {
  return plexus::testing::AskFor(n, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(p);
}
