// Draws with a carriage return and "erase to the end of the line", ten times a
// second at most.
#include "tools/cli/progress_bar.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tools/cli/signals.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

constexpr auto kQuietStart = std::chrono::seconds(1);
constexpr auto kInterval = std::chrono::milliseconds(100);

bool IsTerminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) && term != nullptr && std::string_view(term) != "dumb";
}

int BarWidth() {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col;
  return 80;
}

std::string Duration(double seconds) {
  char text[32];
  if (seconds < 90)
    std::snprintf(text, sizeof text, "%.0f s", seconds);
  else
    std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
  return text;
}

// Phases that count bytes, as engine/monitoring/monitoring.h has no units.
bool CountsBytes(std::string_view phase) {
  return phase == "importing" || phase == "checking" || phase == "reading" || phase == "checkpoint";
}

std::string Amount(double number, bool bytes) {
  return bytes ? Bytes(static_cast<std::uint64_t>(number)) : ShortNumber(number);
}

}  // namespace

std::string ProgressLine(std::string_view phase, std::uint64_t done, std::uint64_t total,
                         std::uint64_t done_since_start, double seconds, int width) {
  const double rate = seconds > 0 ? static_cast<double>(done_since_start) / seconds : 0;
  const bool bytes = CountsBytes(phase);
  std::string tail = rate > 0 ? "  " + Amount(rate, bytes) + "/s" : "";
  std::string line(phase);
  if (total == 0) {
    line += "  " + Amount(static_cast<double>(done), bytes) + tail;
  } else {
    const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    char percent[16];
    std::snprintf(percent, sizeof percent, "  %3.0f%%", part * 100);
    if (bytes)
      tail = "  " + Amount(static_cast<double>(done), true) + " of " +
             Amount(static_cast<double>(total), true) + tail;
    if (rate > 0 && total >= done)
      tail += "  " + Duration(static_cast<double>(total - done) / rate) + " left";
    const int room = width - static_cast<int>(line.size() + tail.size()) - 12;
    if (room >= 10) {
      const int cells = std::min(room, 40), full = static_cast<int>(part * cells);
      line += "  [" + std::string(full, '=') + std::string(cells - full, ' ') + "]";
    }
    line += percent + tail;
  }
  if (static_cast<int>(line.size()) >= width) line.resize(std::max(1, width - 1));
  return line;
}

ProgressBar::ProgressBar(bool enabled) : enabled_(enabled && IsTerminal()) {}

void ProgressBar::End() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

bool ProgressBar::Report(std::string_view phase, std::uint64_t done, std::uint64_t total) {
  InterruptAtTestPoint(phase);
  if (Interrupted()) return false;
  if (!enabled_) return true;
  const auto now = Clock::now();
  if (now - start_ < kQuietStart) return true;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return true;  // someone else is drawing
  if (phase != phase_) {
    phase_ = phase;
    phase_start_ = now;
    phase_first_ = done;
  }
  if (drawn_ && now - last_draw_ < kInterval) return true;
  Draw(now, done, total);
  return true;
}

void ProgressBar::Draw(Clock::time_point now, std::uint64_t done, std::uint64_t total) {
  last_draw_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - phase_start_).count();
  const std::string line =
      ProgressLine(phase_, done, total, done - std::min(done, phase_first_), seconds, BarWidth());
  std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
  std::fflush(stderr);
}

}  // namespace plexus::tools
