// Budget: how much a kernel may spend before it stops and says `truncated`.
//
// A kernel that runs out returns what it has: every value in the reply is right
// for the part of the graph it looked at. Node and edge limits cut at the same
// place at any thread count; a deadline or a cancel flag cannot promise that.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

namespace plexus {

struct Budget {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t nodes = kUnlimited;  // nodes (traverse: labels) reached
  std::uint64_t edges = kUnlimited;  // arcs followed
  std::optional<std::chrono::steady_clock::time_point> deadline;
  const std::atomic<bool>* cancel = nullptr;  // set from any thread to stop

  // True when the deadline has passed or the caller asked to stop.
  bool Interrupted() const {
    if (cancel && cancel->load(std::memory_order_relaxed)) return true;
    return deadline && std::chrono::steady_clock::now() >= *deadline;
  }
};

}  // namespace plexus
