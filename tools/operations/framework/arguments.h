// Arguments in words: weighted keys, times, directions, and "did you mean".
//
// Pure functions; errors are kInvalidArgument and name the text that was given.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/error.h"
#include "engine/schema.h"
#include "engine/types.h"

namespace plexus::tools {

// A whole number >= 0 and a finite number; nothing before or after them.
std::optional<std::uint64_t> ParseCount(std::string_view text);
std::optional<double> ParseNumber(std::string_view text);

// "key=0.5" -> key, 0.5. Split at the last '=' only when a number follows it, so
// keys with '=' in them need no quoting: "a=b" is the key "a=b".
struct WeightedKey {
  std::string key;
  double weight = 1;
};
WeightedKey SplitWeight(std::string_view text);

// "a,b" -> a, b. One that has a comma is in double quotes, a quote inside of them being
// written twice; what is empty, and not quoted, is left out of several.
Result<std::vector<std::string>> ParseList(std::string_view text);

// Strict JSON (storage/formats/base/json_tree.h): no member is repeated, depth at most 32, UTF-8.
// `where` is before what is wrong.
Status CheckJson(const std::string& where, std::string_view text);

// ISO 8601, a month, or a time before now (engine/times.h); "1700000000000" or
// "1700000000000ms": milliseconds since 1970. kNoTime for now: no times before now.
Result<std::int64_t> ParseTime(std::string_view given, std::int64_t now_ms);

// "2w", "30d", "12h", "90m", "45s", "250ms", fractions too: milliseconds, above 0.
Result<std::int64_t> ParseDuration(std::string_view text);

// A plain number below kFirstTimeNumber is a sequence number, else a time.
inline constexpr std::uint64_t kFirstTimeNumber = 100'000'000'000;
struct Moment {
  std::variant<Sequence, std::int64_t> value;  // index 0: sequence, 1: time in ms
};
Result<Moment> ParseMoment(std::string_view text, std::int64_t now_ms);

// --max-seconds: that many from `begun` on; nullopt when it was not given. A time beyond what
// a clock counts is no limit. kInvalidArgument: negative.
Result<std::optional<std::chrono::steady_clock::time_point>> DeadlineAfter(
    std::chrono::steady_clock::time_point begun, std::optional<double> seconds);

// "out", "in" or "both".
Result<Direction> ParseDirection(std::string_view text);

// "cosine", "ip" or "l2".
Result<Metric> ParseMetric(std::string_view text);
std::string_view MetricName(Metric metric);
std::vector<std::string> MetricNames();

// The candidate nearest to `given` by edits; nullopt when none is near.
std::optional<std::string> Nearest(std::string_view given, std::span<const std::string> candidates);
// As a shell reads it as one word, behind "--" if it looks like an option.
std::string ShellWord(std::string_view text);
// "; did you mean 'x'?" or "".
std::string DidYouMean(std::string_view given, std::span<const std::string> candidates);
// Edits (insert, delete, replace, swap neighbours) from a to b, at most `limit` + 1.
std::size_t EditDistance(std::string_view a, std::string_view b, std::size_t limit);

}  // namespace plexus::tools
