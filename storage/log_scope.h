// LogScope: logs that maintenance began, and that it ended or failed and after how long.
//
// Made before the locks of the work are taken, so that it ends after them.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "engine/monitoring/monitoring.h"

namespace plexus::storage_internal {

class LogScope {
 public:
  // `what` is text of the program's own.
  LogScope(const LogCallback& log, std::string_view what) : log_(log), what_(what) {
    if (log_) LogEvent(LogLevel::kInfo, ".began", {});
  }
  ~LogScope() {
    if (!log_) return;
    const auto ms =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                       std::chrono::steady_clock::now() - began_)
                                       .count());
    LogEvent(done_ ? LogLevel::kInfo : LogLevel::kError, done_ ? ".ended" : ".failed",
             {{"ms", ms}});
  }
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

  // Before the work's last result is returned.
  template <class Outcome>
  Outcome Done(Outcome outcome) {
    done_ = outcome.has_value();
    return outcome;
  }

 private:
  void LogEvent(LogLevel level, std::string_view end,
                std::initializer_list<LogField> fields) noexcept {
    try {
      Log(log_, level, std::string(what_) += end, what_, fields);
    } catch (...) {  // no memory
    }
  }

  const LogCallback log_;  // a copy: the work may renew the database's parts
  const std::string_view what_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  bool done_ = false;
};

}  // namespace plexus::storage_internal
