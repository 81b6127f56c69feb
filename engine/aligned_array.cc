// Aligned allocation; large blocks are mappings of their own on huge pages.
//
// Not malloc's: it keeps freed blocks of up to 32 MiB, and a block made of memory that
// was once in use lies on the small pages of then, whatever one advises afterwards.
#include "engine/aligned_array.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

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

std::size_t RoundUp(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

// Mapped one huge page too long, for the alignment; what is over at both ends goes back.
void* Map(std::size_t bytes) {
  const std::size_t mapped = bytes + kHugePage;
  void* const raw = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) throw std::bad_alloc();
  char* const begin = static_cast<char*>(raw);
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(raw) % kHugePage) % kHugePage;
  char* const data = begin + before;
  if (before > 0) munmap(begin, before);
  munmap(data + bytes, kHugePage - before);
  madvise(data, bytes, MADV_HUGEPAGE);  // a hint: may fail
  return data;
}

}  // namespace

void* AllocateAligned(std::size_t bytes) {
  if (bytes > SIZE_MAX - 2 * kHugePage) throw std::bad_alloc();
  if (kMap && bytes >= kHugePage) return Map(RoundUp(bytes, kPage));
  const std::size_t alignment = bytes >= kHugePage ? kHugePage : kLine;
  void* const data = std::aligned_alloc(alignment, RoundUp(bytes, alignment));
  if (!data) throw std::bad_alloc();
  return data;
}

void FreeAligned(void* data, std::size_t bytes) noexcept {
  if (kMap && bytes >= kHugePage)
    munmap(data, RoundUp(bytes, kPage));
  else
    std::free(data);
}

}  // namespace plexus
