// LoadScratch: room outside of memory for what a load's budget does not hold (edge_load.h).
//
// Implemented over a file by storage/, over memory by tests. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/error.h"
#include "engine/types.h"

namespace plexus {

class LoadScratch {
 public:
  virtual ~LoadScratch() = default;
  // Room for so many bytes: where it begins. It costs nothing before something is written.
  std::uint64_t Reserve(std::uint64_t bytes) {
    return end_.fetch_add(bytes, std::memory_order_relaxed);
  }
  // Within what is reserved. An error, kIo say, ends the load.
  virtual Status Write(std::uint64_t at, std::span<const std::byte> bytes) = 0;
  // What was written there.
  virtual Status Read(std::uint64_t at, std::span<std::byte> bytes) = 0;
  // It is not read again.
  virtual void Forget(std::uint64_t at, std::uint64_t bytes) noexcept {
    (void)at;
    (void)bytes;
  }

 private:
  std::atomic<std::uint64_t> end_ = 0;
};

// A batch of a load whose arrays lie in the scratch.
struct StoredBatch {
  std::uint64_t at = 0;
  std::uint64_t edges = 0;         // 0: it is not there
  std::uint8_t columns = 0;        // which arrays it has
  std::vector<KindId> kinds = {};  // that its edges have, ascending; empty: kLink
  StringId strings = 0;            // the largest label and 1
};

}  // namespace plexus
