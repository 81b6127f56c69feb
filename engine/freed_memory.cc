// Blocks that arrays keep, and malloc_trim where it is worth it.
#include "engine/freed_memory.h"

#include <algorithm>
#include <cstddef>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "engine/aligned_array.h"

namespace plexus {

void ReturnFreedMemory() noexcept {
  DropKeptBlocks();
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
  constexpr std::size_t kLeast = std::size_t{8} << 20, kPart = 8;
  const struct mallinfo2 now = mallinfo2();
  if (now.fordblks > std::max(kLeast, (now.uordblks + now.hblkhd) / kPart)) malloc_trim(kLeast / 8);
#endif
#endif
}

}  // namespace plexus
