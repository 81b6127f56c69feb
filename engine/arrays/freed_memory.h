// Freed memory that arrays and the C library's allocator keep, given back to the system.
//
// A compaction, a load or a checkpoint frees as much as the graph takes, in blocks that are
// kept for later. Internal.
#pragma once

namespace plexus {

// O(pages kept), a few milliseconds for 100 MB; threads that share an arena with freed blocks
// wait for it. Leaves the allocator's blocks alone where they are few, and with another C library
// than glibc. Thread-safe.
void ReturnFreedMemory() noexcept;
// The same, unless the allocator keeps hardly more than after the last time: for frequent calls.
void ReturnMoreFreedMemory() noexcept;

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
