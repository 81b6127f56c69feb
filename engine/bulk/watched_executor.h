// An executor whose loops end early when who watches the work says stop. Private to the engine.
//
// It is the progress of the work, too: between blocks it says again what was reported last, a few
// times a second, and once the answer is stop, passes over the blocks that are left and throws
// Stopped in the thread that began the loop. So no array that is half filled is read.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/monitoring/monitoring.h"
#include "engine/mutex.h"
#include "engine/parallel.h"

namespace plexus::engine_internal {

class WatchedExecutor final : public Executor, public Progress {
 public:
  struct Stopped {};
  // Both must stay.
  WatchedExecutor(Executor& executor, Progress& progress)
      : executor_(executor), progress_(progress) {}

  // From now on it does what the executor does, and nothing else.
  void Rest() { resting_ = true; }

  int thread_count() const override { return executor_.thread_count(); }
  void Run(std::size_t blocks, BlockTask task) override {
    if (resting_) return executor_.Run(blocks, task);
    auto watched = [&](std::size_t block) {
      if (GoesOn()) task(block);
    };
    executor_.Run(blocks, BlockTask(watched));
    if (stopped_) throw Stopped();
  }
  bool Report(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    if (resting_) return true;
    {
      const MutexLock lock(mutex_);
      phase_ = phase;
      done_ = done;
      total_ = total;
    }
    if (!progress_.Report(phase, done, total)) stopped_ = true;
    return !stopped_;
  }

 private:
  // False: stop. Asks who watches, if that is due.
  bool GoesOn() {
    using std::chrono::steady_clock;
    if (stopped_) return false;
    const auto now = steady_clock::now().time_since_epoch().count();
    constexpr auto kPause = steady_clock::duration(std::chrono::milliseconds(100)).count();
    auto said = said_.load(std::memory_order_relaxed);
    if (now - said < kPause || !said_.compare_exchange_strong(said, now)) return true;
    std::string phase;
    std::uint64_t done, total;
    {
      const MutexLock lock(mutex_);
      phase = phase_;
      done = done_;
      total = total_;
    }
    if (!progress_.Report(phase, done, total)) stopped_ = true;
    return !stopped_;
  }

  Executor& executor_;
  Progress& progress_;
  bool resting_ = false;
  std::atomic<bool> stopped_ = false;
  std::atomic<std::chrono::steady_clock::rep> said_ = 0;
  Mutex mutex_;
  std::string phase_ PLEXUS_GUARDED_BY(mutex_) = "checking";
  std::uint64_t done_ PLEXUS_GUARDED_BY(mutex_) = 0;
  std::uint64_t total_ PLEXUS_GUARDED_BY(mutex_) = 0;
};

}  // namespace plexus::engine_internal
