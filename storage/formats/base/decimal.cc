// Digits are looked at where std::from_chars says only "out of range".
#include "storage/formats/base/decimal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace plexus::formats::internal {

std::optional<float> ReadF32(std::string_view digits) {
  float value = 0;
  const char* const all = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), all, value);
  if (end != all || digits.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range && IsSmall(digits))
    return digits.starts_with('-') ? -0.0f : 0.0f;
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool IsBelowZero(std::string_view digits) {
  return digits.starts_with('-') &&
         digits.substr(0, digits.find_first_of("eE")).find_first_of("123456789") !=
             std::string_view::npos;
}

bool IsSmall(std::string_view digits) {
  const std::size_t e = digits.find_first_of("eE");
  const std::string_view mantissa = digits.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size()),
                    first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return true;
  // 0.d... times 10^power, d being the first digit that is not 0.
  auto power = first < point ? static_cast<std::int64_t>(point - first)
                             : -static_cast<std::int64_t>(first - point - 1);
  if (e == std::string_view::npos) return power <= 0;
  std::string_view exponent = digits.substr(e + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::int64_t ten = 0;
  const auto read = std::from_chars(exponent.data(), exponent.data() + exponent.size(), ten);
  if (read.ec == std::errc::result_out_of_range) return exponent.starts_with('-');
  return ten <= -power;
}

}  // namespace plexus::formats::internal
