// Budget: how much a kernel may spend before it stops and sets `truncated`.
//
// A kernel that runs out returns a partial result. Every value in the reply is right for the part
// of the graph that was read. Node and edge limits stop at the same place at any thread count. A
// deadline or a cancel flag does not.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

namespace plexus {

struct Budget {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t nodes = kUnlimited;  // Nodes reached (Traverse: labels).
  std::uint64_t edges = kUnlimited;  // Arcs followed.
  // The kernel stops after this time.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  const std::atomic<bool>* cancel = nullptr;  // Any thread may set it to stop the kernel.

  // True when the deadline has passed or the cancel flag is set.
  bool Interrupted() const {
    if (cancel && cancel->load(std::memory_order_relaxed)) return true;
    return deadline && std::chrono::steady_clock::now() >= *deadline;
  }
};

}  // namespace plexus
