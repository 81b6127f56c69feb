// Appending JSON to a string: the one spelling of strings and numbers that export
// uses, so that equal graphs give equal bytes.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace plexus::engine_internal {

// Quoted; `"`, `\` and control characters (U+007F too) escaped, all else as it is.
void AppendJsonString(std::string& out, std::string_view text);

// Shortest digits that read back as the same bits.
template <class T>
void AppendNumber(std::string& out, T value) {
  char digits[40];
  auto result = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, result.ptr);
}

// An f64 that reads back as an f64: "3.0", not "3".
void AppendJsonDouble(std::string& out, double value);

// `"key":`, with a comma before it unless it opens the object.
inline void AppendJsonKey(std::string& out, std::string_view key) {
  if (out.back() != '{') out += ',';
  AppendJsonString(out, key);
  out += ':';
}

// A member of an object: a text, a truth, or a number.
template <class T>
void AppendJsonMember(std::string& out, std::string_view key, const T& value) {
  AppendJsonKey(out, key);
  if constexpr (std::is_same_v<T, bool>)
    out += value ? "true" : "false";
  else if constexpr (std::is_arithmetic_v<T>)
    AppendNumber(out, value);
  else
    AppendJsonString(out, value);
}

// ["a","b"]; `append(element)` writes one.
template <class List, class Append>
void AppendJsonList(std::string& out, const List& list, Append&& append) {
  char before = '[';
  for (const auto& element : list) {
    out += std::exchange(before, ',');
    append(element);
  }
  out += before == '[' ? "[]" : "]";
}

}  // namespace plexus::engine_internal
