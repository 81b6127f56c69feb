// Freed memory that arrays and the C library's allocator keep, given back to the system.
//
// A compaction, a load or a checkpoint frees as much as the graph takes, in blocks that are
// kept for later. Internal.
#pragma once

#include <cstdint>

namespace plexus {

// O(pages kept and free blocks), a few milliseconds for 100 MB; threads that share an arena with
// freed blocks wait for it. Nothing is done without glibc. Thread-safe.
void ReturnFreedMemory() noexcept;
// The same, unless that was done a few seconds ago and the process has hardly grown since: for
// frequent calls that others follow.
void ReturnMoreFreedMemory() noexcept;

// Pages of the process in RAM; 0 where the system does not report it. Some microseconds.
std::uint64_t ResidentBytes() noexcept;

// Returns it when the scope ends. Declared first, so that all else of the scope is gone by then.
class ReturnFreedMemoryAtEnd {
 public:
  explicit ReturnFreedMemoryAtEnd(bool wanted) : wanted_(wanted) {}
  ~ReturnFreedMemoryAtEnd() {
    if (wanted_) ReturnFreedMemory();
  }
  ReturnFreedMemoryAtEnd(const ReturnFreedMemoryAtEnd&) = delete;
  ReturnFreedMemoryAtEnd& operator=(const ReturnFreedMemoryAtEnd&) = delete;

 private:
  const bool wanted_;
};

}  // namespace plexus
