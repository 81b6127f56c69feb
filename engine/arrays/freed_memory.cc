// Blocks that arrays keep, and malloc_trim where it is worth it.
#include "engine/arrays/freed_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "engine/arrays/aligned_array.h"

namespace plexus {

namespace {

constexpr std::uint64_t kLeast = std::uint64_t{8} << 20;
// Returned again after this time even if the process has not grown: what it has may be free.
constexpr std::int64_t kPauseMs = 5000;

// When it was last returned, and what was resident then.
std::atomic<std::int64_t> returned_at_ms = 0;
std::atomic<std::uint64_t> resident_then = 0;  // 0: it was not returned yet

std::int64_t NowMs() noexcept {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::uint64_t ResidentBytes() noexcept {
  char text[64] = {};  // pages: all, resident, ...
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t read = ::read(file, text, sizeof(text) - 1);
  close(file);
  if (read <= 0) return 0;
  char* end = text;
  std::strtoull(text, &end, 10);
  return std::strtoull(end, nullptr, 10) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// mallinfo2 would tell what there is to return; it visits the same free blocks, under the same
// locks, as malloc_trim does, and takes longer.
void ReturnFreedMemory() noexcept {
  engine_internal::DropKeptBlocks();
#if defined(__GLIBC__)
  malloc_trim(kLeast / 8);
#endif
  returned_at_ms = NowMs();
  resident_then = ResidentBytes();
}

void ReturnMoreFreedMemory() noexcept {
  const bool just_now = resident_then == 0 || NowMs() - returned_at_ms < kPauseMs;
  if (just_now && ResidentBytes() < resident_then + kLeast) return;
  ReturnFreedMemory();
}

}  // namespace plexus
