// RateLimit: so many requests a second, with a second's worth at once. PeerRates: one for each
// address.
#pragma once

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <string>

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
    Refill(now);
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }
  // Whether the question leaves no trace.
  bool IsFull(Time now) {
    const std::lock_guard lock(mutex_);
    Refill(now);
    return left_ == most_;
  }

 private:
  void Refill(Time now) {
    if (last_ != Time() && now > last_)
      left_ =
          std::min(most_, left_ + std::chrono::duration<double>(now - last_).count() * per_second_);
    last_ = std::max(last_, now);
  }

  const double per_second_, most_;
  std::mutex mutex_;
  double left_;
  Time last_ = {};
};

// Thread-safe. Addresses above the most that are kept have one limit together.
class PeerRates {
 public:
  explicit PeerRates(double per_second) : per_second_(per_second), others_(per_second) {}

  bool Take(const std::string& peer, RateLimit::Time now) {
    const std::lock_guard lock(mutex_);
    const auto at = limits_.find(peer);
    if (at == limits_.end() && limits_.size() >= kMost)
      for (auto one = limits_.begin(); one != limits_.end();)
        one = one->second.IsFull(now) ? limits_.erase(one) : std::next(one);
    if (at == limits_.end() && limits_.size() >= kMost) return others_.Take(now);
    return limits_.try_emplace(peer, per_second_).first->second.Take(now);
  }

 private:
  static constexpr std::size_t kMost = 1024;
  const double per_second_;
  std::mutex mutex_;
  std::map<std::string, RateLimit> limits_;
  RateLimit others_;
};

}  // namespace plexus::tools::server
