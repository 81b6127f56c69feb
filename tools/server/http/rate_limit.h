// RateLimit: so many requests a second, with a second's worth at once.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>

namespace plexus::tools::server {

// Thread-safe.
class RateLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit RateLimit(double per_second)
      : per_second_(per_second), most_(std::max(1.0, per_second)), left_(most_) {}

  // Whether a request at `now` may pass.
  bool Take(Time now) {
    const std::lock_guard lock(mutex_);
    if (last_ != Time() && now > last_)
      left_ =
          std::min(most_, left_ + std::chrono::duration<double>(now - last_).count() * per_second_);
    last_ = std::max(last_, now);
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

 private:
  const double per_second_, most_;
  std::mutex mutex_;
  double left_;
  Time last_ = {};
};

}  // namespace plexus::tools::server
