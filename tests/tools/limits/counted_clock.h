// A steady clock that counts: time stands still until the thread that was chosen has looked so many
// times, and is then far beyond every deadline. So a test of a deadline depends on steps alone.
//
// Included by exactly one file of a test program: it takes the place of
// std::chrono::steady_clock::now() there, also for the shared libraries that the program loads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace plexus::testing {

class CountedClock {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  // From now on looks of this thread are counted; `looks` later the time is up.
  static void ExpireAfter(std::uint64_t looks) {
    Counts() = true;
    Looked() = 0;
    Left() = looks;
  }
  // How often this thread has looked since then.
  static std::uint64_t looked() { return Looked(); }

  static std::chrono::steady_clock::duration Now() {
    if (Counts()) ++Looked();
    const bool over = Looked() > Left();
    return std::chrono::hours(over ? 2'000'000 : 1'000'000);
  }

 private:
  static bool& Counts() {
    thread_local bool counts = false;
    return counts;
  }
  static std::atomic<std::uint64_t>& Looked() {
    static std::atomic<std::uint64_t> looked = 0;
    return looked;
  }
  static std::atomic<std::uint64_t>& Left() {
    static std::atomic<std::uint64_t> left = kNever;
    return left;
  }
};

}  // namespace plexus::testing

std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept {
  return time_point(plexus::testing::CountedClock::Now());
}
