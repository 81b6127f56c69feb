// Entries of the log as text, and telling the host of them.
#include "engine/monitoring/monitoring.h"

namespace plexus {

std::string_view LogLevelName(LogLevel level) {
  constexpr std::string_view kNames[] = {"info", "warning", "error"};
  return kNames[static_cast<std::size_t>(level)];
}

std::string LogEntry::ToString() const {
  std::string out(LogLevelName(level));
  out += ' ';
  out += event;
  out += ": ";
  out += message;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    out += i == 0 ? " (" : ", ";
    out += fields[i].name;
    out += ' ' + std::to_string(fields[i].value);
  }
  if (!fields.empty()) out += ')';
  return out;
}

void Log(const LogCallback& callback, LogLevel level, std::string_view event,
         std::string_view message, std::initializer_list<LogField> fields) noexcept {
  if (!callback) return;
  try {
    LogEntry entry;
    entry.level = level;
    entry.event = event;
    entry.message = message;
    entry.fields = fields;
    callback(entry);
  } catch (...) {  // no memory, or a callback that does not keep its word
  }
}

}  // namespace plexus
