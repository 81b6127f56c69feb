// A progress bar on stderr for work over a second: phase, percent, rate, time left.
//
// Drawn only when stderr is a terminal; in a script it stays silent. It is also
// how Ctrl-C reaches the work: Report returns false once the user interrupted.
// Report may be called from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/monitoring/monitoring.h"

namespace plexus::tools {

class ProgressBar : public Progress {
 public:
  explicit ProgressBar(bool enabled);
  ~ProgressBar() override { End(); }
  void End();  // wipes the line
  bool Report(std::string_view phase, std::uint64_t done, std::uint64_t total) override;

 private:
  using Clock = std::chrono::steady_clock;
  void Draw(Clock::time_point now, std::uint64_t done, std::uint64_t total);

  const bool enabled_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;  // everything below
  std::string phase_;
  Clock::time_point phase_start_ = start_;
  std::uint64_t phase_first_ = 0;
  Clock::time_point last_draw_{};
  bool drawn_ = false;
};

// One line of at most `width` columns, e.g. "reading  [=====>    ]  52%  1.2 M/s
// 3 s left". Pure, for tests.
std::string ProgressLine(std::string_view phase, std::uint64_t done, std::uint64_t total,
                         std::uint64_t done_since_start, double seconds, int width);

}  // namespace plexus::tools
