// Hand-written readers, as the standard library's take locales and surprises.
#include "tools/operations/framework/arguments.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "engine/graph.h"
#include "engine/times.h"
#include "storage/formats/base/json_tree.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

constexpr std::int64_t kMinTimeMs = -62'167'219'200'000;  // the year 0

template <class T>
std::optional<T> WholeNumber(std::string_view text) {
  T value{};
  const auto end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || at != end) return std::nullopt;
  return value;
}

bool AllDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool Skip(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<std::uint64_t> ParseCount(std::string_view text) {
  return WholeNumber<std::uint64_t>(text);
}

std::optional<double> ParseNumber(std::string_view text) {
  const auto number = WholeNumber<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

WeightedKey SplitWeight(std::string_view text) {
  const std::size_t at = text.rfind('=');
  if (at != std::string_view::npos && at > 0) {
    if (const auto weight = ParseNumber(text.substr(at + 1)))
      return {std::string(text.substr(0, at)), *weight};
  }
  return {std::string(text), 1.0};
}

Result<std::vector<std::string>> ParseList(std::string_view text) {
  std::vector<std::string> items;
  const bool several = text.find(',') != std::string_view::npos;
  for (std::string_view rest = text;;) {
    std::string item;
    const bool quoted = Skip(rest, '"');
    if (quoted) {
      for (;;) {
        const std::size_t end = rest.find('"');
        if (end == std::string_view::npos)
          return Invalid(Quoted(text), " has a quote that is not closed");
        item += rest.substr(0, end);
        rest.remove_prefix(end + 1);
        if (!Skip(rest, '"')) break;
        item += '"';
      }
      if (!rest.empty() && rest.front() != ',')
        return Invalid(Quoted(text), ": expected a comma after a closing quote");
    } else {
      item = rest.substr(0, rest.find(','));
      rest.remove_prefix(item.size());
    }
    if (quoted || !item.empty() || !several) items.push_back(std::move(item));
    if (!Skip(rest, ',')) return items;
  }
}

Status CheckJson(const std::string& where, std::string_view text) {
  formats::internal::JsonParser parser;
  const auto parsed = parser.Parse(text);
  return parsed ? Status()
                : Status(Fail(parsed.error().code, where + ": " + parsed.error().message));
}

Result<std::int64_t> ParseTime(std::string_view given, std::int64_t now_ms) {
  std::string_view digits = given;
  if (digits.ends_with("ms")) digits.remove_suffix(2);
  const auto ms = WholeNumber<std::int64_t>(digits);
  if (ms && *ms >= kMinTimeMs && *ms <= kMaxTimeMs) return *ms;
  const bool number = AllDigits(digits) || (digits.starts_with('-') && AllDigits(digits.substr(1)));
  if (number)
    return Invalid(Quoted(given),
                   " lies outside the years 0 to 9999; times are milliseconds since "
                   "1970, or 2026-11-21T22:05:00Z");
  if (const auto time = ParseAskedTime(given, now_ms)) return *time;
  return Invalid(Quoted(given), " is no time; expected ", AskedTimes(now_ms),
                 " or milliseconds since 1970");
}

Result<std::int64_t> ParseDuration(std::string_view text) {
  if (const auto length = ParseLengthOfTime(text)) return *length;
  return Invalid(Quoted(text),
                 " is no length of time; expected 2w, 30d, 12h, 90m, 45s or 250ms, above 0");
}

Result<Moment> ParseMoment(std::string_view text, std::int64_t now_ms) {
  if (AllDigits(text)) {
    const auto number = WholeNumber<std::uint64_t>(text);
    if (number && *number < kFirstTimeNumber) return Moment{Sequence{*number}};
  }
  const Result<std::int64_t> time = ParseTime(text, now_ms);
  if (time) return Moment{*time};
  return Invalid(Quoted(text), " is neither a sequence number nor a time; expected 42, ",
                 AskedTimes(now_ms), " or 1700000000000ms");
}

Result<std::optional<std::chrono::steady_clock::time_point>> DeadlineAfter(
    std::chrono::steady_clock::time_point begun, std::optional<double> seconds) {
  using Clock = std::chrono::steady_clock;
  if (!seconds) return std::nullopt;
  if (!(*seconds >= 0)) return Invalid("--max-seconds is 0 or more");
  constexpr double kYears = 1e9;  // some 30 years
  if (*seconds > kYears) return std::nullopt;
  return begun +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
}

Result<Direction> ParseDirection(std::string_view text) {
  if (text == "out") return Direction::kOut;
  if (text == "in") return Direction::kIn;
  if (text == "both") return Direction::kBoth;
  return Invalid("direction ", Quoted(text), " is not one of out, in, both");
}

namespace {
constexpr Metric kMetrics[] = {Metric::kCosine, Metric::kInnerProduct, Metric::kL2};
}

std::string_view MetricName(Metric metric) {
  return metric == Metric::kCosine ? "cosine" : metric == Metric::kInnerProduct ? "ip" : "l2";
}

Result<Metric> ParseMetric(std::string_view text) {
  for (Metric metric : kMetrics)
    if (text == MetricName(metric)) return metric;
  return Invalid("metric ", Quoted(text), " is not one of cosine, ip, l2");
}

std::vector<std::string> MetricNames() {
  std::vector<std::string> names;
  for (Metric metric : kMetrics) names.emplace_back(MetricName(metric));
  return names;
}

std::size_t EditDistance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > limit) return limit + 1;
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t best = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
      best = std::min(best, row[j]);
    }
    if (best > limit) return limit + 1;
    before = last;
    last = row;
  }
  return last[b.size()];
}

std::optional<std::string> Nearest(std::string_view given,
                                   std::span<const std::string> candidates) {
  constexpr std::size_t kLongest = 128;  // bytes
  if (given.size() > kLongest) return std::nullopt;
  const auto letters = [](std::string_view name) {
    return name.size() - std::min(name.find_first_not_of('-'), name.size());
  };
  const std::size_t size = letters(given);
  const std::size_t limit = size < 4 ? 1 : size < 9 ? 2 : 3;
  std::size_t best = limit + 1;
  std::optional<std::string> nearest;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = EditDistance(given, candidate, limit);
    if (distance < best && distance < std::max<std::size_t>(letters(candidate), 1)) {
      best = distance;
      nearest = candidate;
    }
  }
  if (best < 2 || size < 3) return nearest;
  const std::string* longer = nullptr;  // the shortest that begins so
  for (const std::string& candidate : candidates)
    if (candidate.starts_with(given) && (!longer || candidate.size() < longer->size()))
      longer = &candidate;
  return longer ? *longer : nearest;
}

std::string ShellWord(std::string_view text) {
  const bool plain = std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_.:/-=,").contains(c);
  });
  if (plain && !text.starts_with('-')) return std::string(text);
  std::string word = text.starts_with('-') ? "-- '" : "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string DidYouMean(std::string_view given, std::span<const std::string> candidates) {
  const auto nearest = Nearest(given, candidates);
  return nearest && *nearest != given ? "; did you mean '" + *nearest + "'?" : std::string();
}

}  // namespace plexus::tools
