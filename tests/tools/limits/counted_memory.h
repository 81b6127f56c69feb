// Memory that is counted: how much is held, and the most that ever was.
//
// Included by exactly one file of a test program, which links with `plexus_counted_memory` (tests/
// CMakeLists.txt): it replaces operator new, and the linker sends the library's calls of
// AllocateAligned and FreeAligned here. All threads count.
#pragma once

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace plexus::testing {

class CountedMemory {
 public:
  // The most that `work` holds beyond what is held before it, in bytes.
  template <class Work>
  static std::uint64_t PeakOf(Work&& work) {
    const std::int64_t before = Held();
    Peak() = before;
    work();
    return static_cast<std::uint64_t>(Peak() - before);
  }

  static void* Took(void* memory) {
    if (memory) Add(static_cast<std::int64_t>(malloc_usable_size(memory)));
    return memory;
  }
  static void Gives(void* memory) {
    if (memory) Add(-static_cast<std::int64_t>(malloc_usable_size(memory)));
  }
  static void Add(std::int64_t bytes) {
    const std::int64_t held = Held() += bytes;
    std::int64_t peak = Peak();
    while (held > peak && !Peak().compare_exchange_weak(peak, held)) {
    }
  }

 private:
  static std::atomic<std::int64_t>& Held() {
    static std::atomic<std::int64_t> held = 0;
    return held;
  }
  static std::atomic<std::int64_t>& Peak() {
    static std::atomic<std::int64_t> peak = 0;
    return peak;
  }
};

inline void* Counted(std::size_t bytes, std::size_t alignment) {
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = alignment <= alignof(std::max_align_t)
                           ? std::malloc(bytes ? bytes : 1)
                           : std::aligned_alloc(alignment, rounded ? rounded : alignment);
  if (!memory) throw std::bad_alloc();
  return CountedMemory::Took(memory);
}
inline void Uncounted(void* memory) {
  CountedMemory::Gives(memory);
  std::free(memory);
}

}  // namespace plexus::testing

extern "C" {
void* __real__ZN6plexus15engine_internal15AllocateAlignedEm(std::size_t bytes);
void* __wrap__ZN6plexus15engine_internal15AllocateAlignedEm(std::size_t bytes) {
  void* const memory = __real__ZN6plexus15engine_internal15AllocateAlignedEm(bytes);
  plexus::testing::CountedMemory::Add(static_cast<std::int64_t>(bytes));
  return memory;
}
void __real__ZN6plexus15engine_internal11FreeAlignedEPvm(void* memory, std::size_t bytes);
void __wrap__ZN6plexus15engine_internal11FreeAlignedEPvm(void* memory, std::size_t bytes) {
  plexus::testing::CountedMemory::Add(-static_cast<std::int64_t>(bytes));
  __real__ZN6plexus15engine_internal11FreeAlignedEPvm(memory, bytes);
}
}

[[gnu::noinline]] void* operator new(std::size_t n) {
  return plexus::testing::Counted(n, alignof(std::max_align_t));
}
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a) {
  return plexus::testing::Counted(n, static_cast<std::size_t>(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { plexus::testing::Uncounted(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  plexus::testing::Uncounted(p);
}
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept {
  plexus::testing::Uncounted(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  plexus::testing::Uncounted(p);
}
