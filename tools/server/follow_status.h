// How far a replica is behind its source, for whoever asks. Thread-safe.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <utility>

#include "engine/types.h"

namespace plexus::tools::server {

class FollowStatus {
 public:
  using Clock = std::chrono::steady_clock;
  struct Lag {
    std::string state;  // "following", or why it is not
    bool connected = false;
    Sequence source_sequence = 0;  // as last heard
    std::uint64_t sequences = 0;   // of it that are not here
    // Since the replica last had all that the source had said; 0 while it has.
    double seconds = 0;
    std::uint64_t copies = 0;  // of all files that were taken
  };

  explicit FollowStatus(std::string source) : source_(std::move(source)) {}
  const std::string& source() const { return source_; }

  // The source ends at `last`, and the replica has all up to `here`.
  void Update(Sequence last, Sequence here) {
    const std::lock_guard lock(mutex_);
    source_sequence_ = last;
    connected_ = true;
    state_ = "following";
    if (here >= last) level_ = Clock::now();
  }
  // Whether that is another state than the last.
  bool Lost(std::string why) {
    const std::lock_guard lock(mutex_);
    connected_ = false;
    return std::exchange(state_, why) != why;
  }
  void Copied() {
    const std::lock_guard lock(mutex_);
    ++copies_;
  }
  Lag Now(Sequence here) const {
    const std::lock_guard lock(mutex_);
    Lag lag{state_, connected_, source_sequence_};
    lag.copies = copies_;
    if (source_sequence_ > here) lag.sequences = source_sequence_ - here;
    if (lag.sequences > 0 || !connected_)
      lag.seconds = std::chrono::duration<double>(Clock::now() - level_).count();
    return lag;
  }

 private:
  const std::string source_;
  mutable std::mutex mutex_;
  std::string state_ = "starting";
  bool connected_ = false;
  Sequence source_sequence_ = 0;
  std::uint64_t copies_ = 0;
  Clock::time_point level_ = Clock::now();
};

}  // namespace plexus::tools::server
