// The time and the size of a request, for operations that are not one call of a kernel.
#pragma once

#include <cstdint>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "tools/operations/framework/request.h"

namespace plexus::tools {

class TimeLimit {
 public:
  explicit TimeLimit(const Budget& budget) : budget_(budget) {}
  // Whether a loop ends here. Looks at the clock at the first of 256 calls; once true it stays so.
  bool Up() {
    if (!up_ && calls_++ % kEvery == 0) up_ = budget_.Interrupted();
    return up_;
  }
  // Whether a loop ended.
  bool was_up() const { return up_; }

 private:
  static constexpr std::uint64_t kEvery = 256;
  Budget budget_;
  std::uint64_t calls_ = 0;
  bool up_ = false;
};

// Bytes that a reply may have; 0: no limit. A list that is asked for whole (a top of 0) may have
// more.
inline std::uint64_t MostBytes(const Request& request) {
  constexpr std::uint64_t kAllBytes = std::uint64_t{64} << 20;
  const bool all = request.Has("top") && request.Given("top") && request.Count("top") == 0;
  return all && !request.Given("max_bytes") ? kAllBytes : request.Count("max_bytes");
}

// The texts that a reply is made of, where they are read before it is written: more than it may
// have are not held.
class ReplyRoom {
 public:
  explicit ReplyRoom(const Request& request) : most_(MostBytes(request)) {}
  void Take(std::uint64_t bytes) { held_ += bytes; }
  bool Full() const { return most_ > 0 && held_ > most_; }

 private:
  std::uint64_t most_, held_ = 0;
};

// Hands reports on, and asks to stop once the time of the request is up.
class TimedProgress final : public Progress {
 public:
  TimedProgress() = default;
  // `shown` may be null.
  TimedProgress(Progress* shown, const Budget& budget) : shown_(shown), budget_(budget) {
    budget_.cancel = nullptr;  // whoever shows progress knows of Ctrl-C
  }
  bool Report(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    const bool goes_on = !shown_ || shown_->Report(phase, done, total);
    return goes_on && !budget_.Interrupted();
  }

 private:
  Progress* shown_ = nullptr;
  Budget budget_;
};

// kResourceExhausted: max_seconds of the request are over; kCancelled: it was asked to end. Before
// anything is written, so that what was cut short never is.
Status CheckTime(const Request& request);
// Whether max_seconds are over, without a request to end.
bool TimeIsUp(const Request& request);
// What was cancelled by max_seconds says so.
Error TimedError(const Request& request, Error error);

}  // namespace plexus::tools
