// Times as people and programs write them: ISO 8601, or milliseconds since 1970 in UTC, or before
// now.
//
// Every place that reads a time takes the first two, and every question the third. Now is an
// argument, so a question has the same answer whenever it is asked with the same one. A plain
// number that is far too small for milliseconds is most likely seconds; it is read as it is, and
// readers warn.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/error.h"
#include "engine/types.h"

namespace plexus {

// "2026-11-21", "2026-11-21T22:05", "2026-11-21T22:05:00.123Z", "2026-11-21 22:05:00+02:00":
// 'T' or a blank, any number of decimals (those after the third are cut off), 'Z' or an offset
// (+hh, +hhmm, +hh:mm) or nothing, which is UTC. nullopt: none of these, or no such day or hour.
std::optional<std::int64_t> ParseIsoTime(std::string_view text);

// What ParseIsoTime reads; "2026-11", where the month begins; "7d", "12h", "2w", "90m", "45s": so
// long before now, decimals allowed; "now", "today", "yesterday": where the day begins in UTC.
// kNoTime for now: no relative ones. nullopt: none of these, or a time far from our age.
std::optional<std::int64_t> ParseAskedTime(std::string_view text, std::int64_t now_ms);
// What it takes with such a now, for messages: "2026-11, 2026-11-21, ...".
std::string_view AskedTimes(std::int64_t now_ms);
// A length of time: "2w", "30d", "12h", "90m", "45s", "250ms", above 0. nullopt: none.
std::optional<std::int64_t> ParseLengthOfTime(std::string_view text);

// Milliseconds since 1970 -> "2026-11-21T22:05:00.123Z"; far from our age "123ms".
std::string IsoTime(std::int64_t time_ms);

// The columns that hold times.
bool IsTimeColumn(ColumnId column);

// The time of a batch that is about to be written. kInvalidArgument: after the year 9999, or more
// than `max_ahead_ms` after the host's clock, where there is one.
Status CheckBatchTime(std::int64_t time_ms, std::optional<std::int64_t> now_ms,
                      std::int64_t max_ahead_ms);

// A time that an edge or a column may have: of the years up to 9999, before or after 1970.
inline bool IsStoredTime(std::int64_t time_ms) {
  return -kMaxTimeMs <= time_ms && time_ms <= kMaxTimeMs;
}
// What an error says of another: "9007199254740993 lies beyond the year 9999; ...".
std::string OutOfTime(std::int64_t time_ms);
// "valid_from 7 lies after valid_until 3".
std::string InvertedValidity(std::int64_t valid_from, std::int64_t valid_until);

// 1 to 10^11 - 1: as milliseconds a moment before March 1973, as seconds one up to the year 5138.
inline bool LooksLikeSeconds(std::int64_t time_ms) {
  return time_ms > 0 && time_ms < 100'000'000'000;
}
// "1700000000 is read as milliseconds: 1970-01-20T16:13:20.000Z; for seconds ...".
std::string SecondsWarning(std::int64_t time_ms);

}  // namespace plexus
