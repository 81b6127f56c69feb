// Hand-written readers, as the standard library's take locales and surprises.
#include "engine/times.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus {

namespace {

// Takes exactly `digits` digits off the front.
std::optional<int> Take(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool Skip(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// ".123456" -> 123; 0 when none exists.
std::optional<int> TakeMilliseconds(std::string_view& text) {
  if (!Skip(text, '.') && !Skip(text, ',')) return 0;
  int fraction = 0, scale = 100;
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; scale /= 10) {
    fraction += (text.front() - '0') * scale;
    text.remove_prefix(1);
  }
  return fraction;
}

// "Z", "+02:00", "-0530", "+02" or nothing: minutes ahead of UTC.
std::optional<int> TakeOffset(std::string_view& text) {
  if (Skip(text, 'Z') || Skip(text, 'z')) return 0;
  const bool behind = !text.empty() && text.front() == '-';
  if (!Skip(text, '+') && !Skip(text, '-')) return 0;
  const auto hours = Take(text, 2);
  if (!hours || *hours > 23) return std::nullopt;
  int minutes = 0;
  if (Skip(text, ':') || !text.empty()) {
    const auto given = Take(text, 2);
    if (!given || *given > 59) return std::nullopt;
    minutes = *given;
  }
  minutes += *hours * 60;
  return behind ? -minutes : minutes;
}

}  // namespace

std::optional<std::int64_t> ParseIsoTime(std::string_view text) {
  using namespace std::chrono;
  const auto y = Take(text, 4);
  if (!y || !Skip(text, '-')) return std::nullopt;
  const auto m = Take(text, 2);
  if (!m || !Skip(text, '-')) return std::nullopt;
  const auto d = Take(text, 2);
  if (!d) return std::nullopt;
  const year_month_day date{year(*y), month(static_cast<unsigned>(*m)),
                            day(static_cast<unsigned>(*d))};
  if (!date.ok()) return std::nullopt;
  const std::int64_t midnight =
      duration_cast<milliseconds>(sys_days(date).time_since_epoch()).count();
  if (text.empty()) return midnight;
  if (!Skip(text, 'T') && !Skip(text, 't') && !Skip(text, ' ')) return std::nullopt;
  const auto hour = Take(text, 2);
  if (!hour || !Skip(text, ':')) return std::nullopt;
  const auto minute = Take(text, 2);
  if (!minute) return std::nullopt;
  std::optional<int> second = 0, fraction = 0;
  if (Skip(text, ':')) {
    second = Take(text, 2);
    if (second) fraction = TakeMilliseconds(text);
  }
  const auto offset = TakeOffset(text);
  if (!second || !fraction || !offset || !text.empty()) return std::nullopt;
  if (*hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  const std::int64_t minutes = std::int64_t{*hour} * 60 + *minute - *offset;
  return midnight + (minutes * 60 + *second) * 1000 + *fraction;
}

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

std::string IsoTime(std::int64_t time_ms) {
  using namespace std::chrono;
  constexpr std::int64_t kFar = 250'000'000'000'000;  // the year 9892
  if (time_ms < -kFar || time_ms > kFar) return std::to_string(time_ms) + "ms";
  const sys_time<milliseconds> time{milliseconds(time_ms)};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  char text[64];
  std::snprintf(
      text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return text;
}

bool IsTimeColumn(ColumnId column) {
  return column == builtin::kAccessedAt || column == builtin::kCreatedAt ||
         column == builtin::kValidFrom || column == builtin::kValidUntil;
}

std::string SecondsWarning(std::int64_t time_ms) {
  return std::to_string(time_ms) + " is read as milliseconds since 1970: " + IsoTime(time_ms) +
         "; a time in seconds is written " + IsoTime(time_ms * 1000) + " or " +
         std::to_string(time_ms) + "000";
}

std::string OutOfTime(std::int64_t time_ms) {
  return std::to_string(time_ms) + " lies beyond the year 9999; times are milliseconds since 1970";
}

std::string InvertedValidity(std::int64_t valid_from, std::int64_t valid_until) {
  return "valid_from " + std::to_string(valid_from) + " lies after valid_until " +
         std::to_string(valid_until);
}

Status CheckBatchTime(std::int64_t time_ms, std::optional<std::int64_t> now_ms,
                      std::int64_t max_ahead_ms) try {
  const auto refuse = [&](const std::string& why) {
    return Invalid("the batch's time ", time_ms, why);
  };
  if (time_ms > kMaxTimeMs)
    return refuse(" lies after the year 9999; times are milliseconds since 1970");
  if (!now_ms || time_ms <= 0) return {};
  if (*now_ms < time_ms - std::max<std::int64_t>(max_ahead_ms, 0))
    return refuse(" lies more than " + std::to_string(max_ahead_ms) +
                  " ms after the host's clock, " + std::to_string(*now_ms));
  return {};
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
