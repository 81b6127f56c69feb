// Blocks that arrays keep, and malloc_trim where it is worth it.
#include "engine/arrays/freed_memory.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "engine/arrays/aligned_array.h"

namespace plexus {

namespace {

constexpr std::size_t kLeast = std::size_t{8} << 20;
// Free blocks of the allocator when they were given back. They count on, though no page is theirs.
std::atomic<std::size_t> free_then = 0;

}  // namespace

void ReturnFreedMemory() noexcept {
  DropKeptBlocks();
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
  constexpr std::size_t kPart = 8;
  const struct mallinfo2 now = mallinfo2();
  if (now.fordblks > std::max(kLeast, (now.uordblks + now.hblkhd) / kPart)) malloc_trim(kLeast / 8);
  free_then = now.fordblks;
#endif
#endif
}

void ReturnMoreFreedMemory() noexcept {
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
  if (mallinfo2().fordblks <= free_then + kLeast) return;
#endif
#endif
  ReturnFreedMemory();
}

}  // namespace plexus
