// A line is one write, so that lines of several threads do not mix.
#include "tools/server/server_log.h"

#include <unistd.h>

#include <atomic>

#include "tools/operations/framework/request.h"
#include "tools/server/json_text.h"

namespace plexus::tools::server {
namespace {

std::atomic<LogForm> log_form = LogForm::kWords;

void WriteLine(std::string_view level, std::string_view text, const LogFields& fields) {
  std::string line;
  if (log_form == LogForm::kJson) {
    ObjectText object;
    object.Raw("time_ms", std::to_string(ClockMs())).Text("level", level).Text("text", text);
    for (const auto& [name, value] : fields) object.Text(name, value);
    line = object.object() + "\n";
  } else {
    line = "plexus: ";
    if (level == "error") line += "error: ";
    line += text;
    for (const auto& [name, value] : fields) line += " " + std::string(name) + "=" + value;
    for (char& c : line)
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    line += "\n";
  }
  // A lost line changes nothing.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void SetLogForm(LogForm form) { log_form = form; }

void LogInfo(std::string_view text, const LogFields& fields) {
  if (log_form != LogForm::kQuiet) WriteLine("info", text, fields);
}

void LogError(std::string_view text, const LogFields& fields) { WriteLine("error", text, fields); }

}  // namespace plexus::tools::server
