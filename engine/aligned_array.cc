// Aligned allocation with huge pages for large blocks.
#include "engine/aligned_array.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace plexus {

namespace {
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kLine = 64;
std::size_t RoundUp(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }
}  // namespace

void* AllocateAligned(std::size_t bytes) {
  const bool huge = bytes >= kHugePage;
  const std::size_t alignment = huge ? kHugePage : kLine;
  const std::size_t rounded = RoundUp(bytes, kLine);
  if (rounded < bytes) throw std::bad_alloc();
  void* data = std::aligned_alloc(alignment, RoundUp(rounded, alignment));
  if (!data) throw std::bad_alloc();
  if (huge) madvise(data, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);  // a hint: may fail
  return data;
}

void FreeAligned(void* data, std::size_t) noexcept { std::free(data); }

}  // namespace plexus
