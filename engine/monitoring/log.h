// LogEntry: something that happened inside, reported to a callback of the host.
//
// The library prints nothing. Where GraphOptions::on_log is set it is called with what maintenance
// did and what went wrong, by the thread that did it, holding no lock. It must neither throw (what
// it throws is dropped) nor call the graph or database that reports it, and it should be quick.
//
// `event` is a stable name. Fields that end in _ms are durations.
//
//   graph       compaction.began (delta_arcs, runs), compaction.ended (delta_arcs, arcs, ms) and
//               .failed; vector_compaction.ended (space, ms) and .failed; packing.ended (ms) and
//               .failed; stall.ended (ms): Apply waited for the delta; journal.failed: the graph is
//               read-only from now on
//   database    open.ended (sequence, checkpoint, replayed, ms); open.tail_dropped and
//               checkpoint.damaged: what opening bypassed; checkpoint, trim, scrub, purge,
//               hard_purge, backup, close: .began, .ended (ms), .failed (the call returns why);
//               background.failed: a checkpoint in the background; refresh.reopened
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace plexus {

enum class LogLevel : std::uint8_t { kInfo, kWarning, kError };

// "info", "warning", "error".
std::string_view LogLevelName(LogLevel level);

struct LogField {
  std::string_view name = {};
  std::uint64_t value = 0;
};

struct LogEntry {
  LogLevel level = LogLevel::kInfo;
  std::string_view event;
  std::string message;  // for people; fields are not repeated in it
  std::vector<LogField> fields;

  // "info compaction.ended: delta folded into the base (delta_arcs 12, arcs 40, ms 3)"
  std::string ToString() const;
};

using LogCallback = std::function<void(const LogEntry&)>;

// Calls `callback`, if there is one. Without memory for the entry nothing is reported.
void Log(const LogCallback& callback, LogLevel level, std::string_view event,
         std::string_view message, std::initializer_list<LogField> fields = {}) noexcept;

}  // namespace plexus
