// A length counts back from now; days begin at midnight in UTC.
#include "engine/asked_time.h"

#include <charconv>
#include <chrono>
#include <string>

#include "engine/times.h"

namespace plexus {

std::optional<std::int64_t> ParseLengthOfTime(std::string_view text) {
  struct Unit {
    std::string_view name;
    double ms;
  };
  constexpr Unit kUnits[] = {{"ms", 1},     {"s", 1e3},      {"m", 60e3},
                             {"h", 3600e3}, {"d", 86'400e3}, {"w", 7 * 86'400e3}};
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    const char* const end = text.data() + text.size() - unit.name.size();
    double count = 0;
    const auto [at, error] = std::from_chars(text.data(), end, count);
    if (error == std::errc() && at == end && count * unit.ms >= 1 && count * unit.ms < 1e18)
      return static_cast<std::int64_t>(count * unit.ms);
  }
  return std::nullopt;
}

std::string_view AskedTimes(std::int64_t now_ms) {
  return now_ms == kNoTime
             ? "2026-11, 2026-11-21, 2026-11-21T22:05:00Z"
             : "2026-11, 2026-11-21, 2026-11-21T22:05:00Z, now, today, yesterday, 7d, 12h, 2w";
}

std::optional<std::int64_t> ParseAskedTime(std::string_view text, std::int64_t now_ms) {
  constexpr std::size_t kMonth = 7;  // 2026-11
  if (const auto iso = ParseIsoTime(std::string(text) + (text.size() == kMonth ? "-01" : "")))
    return iso;
  if (now_ms == kNoTime) return std::nullopt;
  using namespace std::chrono;
  const sys_time<milliseconds> now{milliseconds(now_ms)};
  const auto midnight = floor<days>(now);
  std::optional<sys_time<milliseconds>> time;
  if (text == "now") time = now;
  if (text == "today") time = midnight;
  if (text == "yesterday") time = midnight - days(1);
  // "1700000000000ms" is a time by itself.
  if (const auto ago = ParseLengthOfTime(text); ago && *ago <= kMaxTimeMs && !text.ends_with("ms"))
    time = now - milliseconds(*ago);
  if (!time || !IsStoredTime(time->time_since_epoch().count())) return std::nullopt;
  return time->time_since_epoch().count();
}

}  // namespace plexus
