// Aligned allocation; large blocks are mappings of their own on huge pages.
//
// Not malloc's: it keeps freed blocks of up to 32 MiB, and a block made of memory that
// was once in use lies on the small pages of then, whatever one advises afterwards.
//
// Touching a page for the first time costs more than a short search: blocks of middle size
// are kept when they are freed, up to kKeptBytes in all, for the next of the same size. A
// kernel called again on the same graph finds its result's and its scratch's pages in place.
// A lock guards them, for some ten instructions; a fork waits for it, as it does for malloc's,
// so a child of threads may make arrays.
//
// What was never written, and what was freed, must not be read. Kept blocks would hide both,
// and so would the zeroes of fresh pages. Checked builds (debug; the sanitizers are) write what
// no kernel can take for an answer into blocks they hand out and blocks they keep. Under the
// address sanitizer nothing is mapped or kept: freed blocks go to its quarantine.
#include "engine/arrays/aligned_array.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "engine/arrays/freed_memory.h"
#include "engine/mutex.h"

namespace plexus {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLine = 64, kPage = 4096;
// Not under the address sanitizer, so that reads beyond an end are found.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kMap = false;
#elif defined(__has_feature)
constexpr bool kMap = !__has_feature(address_sanitizer);
#else
constexpr bool kMap = true;
#endif
#if defined(NDEBUG)
constexpr bool kChecked = false;
#else
constexpr bool kChecked = true;
#endif

std::size_t RoundUp(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

// As f64 and as f32 not a number, as an id or a count beyond every end. Only the first 8 MiB:
// tests of large graphs would wait for their pages otherwise.
void Soil(void* data, std::size_t bytes) noexcept {
  constexpr std::uint32_t kPoison = 0x7FF5A5A5;
  if (kChecked)
    std::fill_n(static_cast<std::uint32_t*>(data), std::min(bytes, 4 * kHugePage) / sizeof(kPoison),
                kPoison);
}

// Mapped one huge page too long, for the alignment; what is over at both ends goes back.
void* Map(std::size_t bytes) {
  const std::size_t mapped = bytes + kHugePage;
  void* const raw =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) throw std::bad_alloc();
  char* const begin = static_cast<char*>(raw);
  const std::size_t before =
      (kHugePage - reinterpret_cast<std::uintptr_t>(raw) % kHugePage) % kHugePage;
  char* const data = begin + before;
  if (before > 0) munmap(begin, before);
  munmap(data + bytes, kHugePage - before);
  madvise(data, bytes, MADV_HUGEPAGE);  // a hint: may fail
  return data;
}

// From half a huge page on, and an end that fills half of one, too: writing a huge page for the
// first time takes less than writing half of it by small ones.
std::size_t MappedBytes(std::size_t bytes) {
  const std::size_t end = bytes % kHugePage;
  return RoundUp(bytes, end >= kHugePage / 2 ? kHugePage : kPage);
}
bool IsMapped(std::size_t bytes) { return kMap && bytes >= kHugePage / 2; }

void Release(void* data, std::size_t bytes) noexcept {
  if (IsMapped(bytes))
    munmap(data, MappedBytes(bytes));
  else
    std::free(data);
}

// Freed blocks, the oldest first. Whole pages, so that equal sizes are common.
class KeptBlocks {
 public:
  static KeptBlocks& All() {
    static KeptBlocks* const all = Make();  // outlives every static array
    return *all;
  }
  static bool Fits(std::size_t bytes) {
    return kMap && bytes >= kMinKeptBytes && bytes <= kMaxKeptBytes;
  }

  // Null: none of this size. The last freed is the likeliest to be in the cache.
  void* Take(std::size_t bytes) {
    const MutexLock lock(mutex_);
    for (std::size_t i = count_; i-- > 0;)
      if (blocks_[i].bytes == bytes) return Remove(i).data;
    return nullptr;
  }
  // All of them back to the system. False: there were none.
  bool Drop() noexcept {
    Block old[kBlocks];
    std::size_t dropped = 0;
    {
      const MutexLock lock(mutex_);
      while (count_ > 0) old[dropped++] = Remove(0);
    }
    for (std::size_t i = 0; i < dropped; ++i) Release(old[i].data, old[i].bytes);
    return dropped > 0;
  }
  void Keep(void* data, std::size_t bytes) noexcept {
    Block old[kBlocks];
    std::size_t dropped = 0;
    {
      const MutexLock lock(mutex_);
      while (count_ == kBlocks || total_ + bytes > kKeptBytes) old[dropped++] = Remove(0);
      blocks_[count_++] = {data, bytes};
      total_ += bytes;
    }
    for (std::size_t i = 0; i < dropped; ++i) Release(old[i].data, old[i].bytes);
  }

 private:
  struct Block {
    void* data;
    std::size_t bytes;
  };
  static constexpr std::size_t kBlocks = 16, kKeptBytes = std::size_t{32} << 20;
  static constexpr std::size_t kMinKeptBytes = std::size_t{64} << 10,
                               kMaxKeptBytes = std::size_t{8} << 20;

  static KeptBlocks* Make() {
    auto all = std::make_unique<KeptBlocks>();
    // fork holds it between these functions, which no analysis of one of them sees.
    const auto take = []() PLEXUS_NO_THREAD_SAFETY_ANALYSIS { All().mutex_.lock(); };
    const auto give = []() PLEXUS_NO_THREAD_SAFETY_ANALYSIS { All().mutex_.unlock(); };
    const int failed = pthread_atfork(take, give, give);
    if (failed != 0) throw std::bad_alloc();
    return all.release();
  }
  Block Remove(std::size_t i) PLEXUS_REQUIRES(mutex_) {
    const Block block = blocks_[i];
    std::copy(blocks_ + i + 1, blocks_ + count_, blocks_ + i);
    --count_;
    total_ -= block.bytes;
    return block;
  }

  Mutex mutex_;
  Block blocks_[kBlocks] PLEXUS_GUARDED_BY(mutex_);
  std::size_t count_ PLEXUS_GUARDED_BY(mutex_) = 0;
  std::size_t total_ PLEXUS_GUARDED_BY(mutex_) = 0;
};

// Made before main: a fork beside the first array of another thread would leave the child
// waiting for ever for what that thread makes.
[[maybe_unused]] const KeptBlocks& kMadeEarly = KeptBlocks::All();

void* Fresh(std::size_t bytes) {
  if (IsMapped(bytes)) return Map(MappedBytes(bytes));
  const std::size_t alignment = bytes >= kHugePage ? kHugePage : kLine;
  void* const data = std::aligned_alloc(alignment, RoundUp(bytes, alignment));
  if (!data) throw std::bad_alloc();
  return data;
}

void* SoiledFresh(std::size_t bytes) {
  void* const data = Fresh(bytes);
  Soil(data, bytes);
  return data;
}

}  // namespace

void* engine_internal::AllocateAligned(std::size_t bytes) {
  if (bytes > SIZE_MAX - 2 * kHugePage) throw std::bad_alloc();
  if (KeptBlocks::Fits(bytes)) {
    bytes = RoundUp(bytes, kPage);
    if (void* const kept = KeptBlocks::All().Take(bytes)) return kept;
  }
  try {
    return SoiledFresh(bytes);
  } catch (const std::bad_alloc&) {
    if (!KeptBlocks::All().Drop()) throw;
    return SoiledFresh(bytes);
  }
}

void engine_internal::FreeAligned(void* data, std::size_t bytes) noexcept {
  if (KeptBlocks::Fits(bytes)) {
    Soil(data, bytes);
    return KeptBlocks::All().Keep(data, RoundUp(bytes, kPage));
  }
  Release(data, bytes);
}

void engine_internal::DropKeptBlocks() noexcept { KeptBlocks::All().Drop(); }

// --- Blocks that arrays keep, and malloc_trim where it is worth it.

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
