// GraphMlKey: the name and type that a <key> gives to data, and values of those types.
// Internal to storage/text.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "storage/text/ascii.h"
#include "storage/text/json_writer.h"

namespace plexus::text {

enum class GraphMlType { kBoolean, kInteger, kReal, kString };

// A <key>: the name and type of some data.
struct GraphMlKey {
  std::string name;  // "" = not for us
  GraphMlType type = GraphMlType::kString;
  bool nodes = false, edges = false;
  bool has_default = false;
  std::string fallback;  // JSON of <default>, "" = none
};

// The value as JSON appended; false when the text is none of the type's.
inline bool AppendValue(std::string& out, GraphMlType type, std::string_view text) {
  if (type == GraphMlType::kString) {
    AppendJsonString(out, text);
    return true;
  }
  text = Trim(text, " \t\r\n");
  if (type == GraphMlType::kBoolean) {
    if (text != "true" && text != "false" && text != "1" && text != "0") return false;
    out += text == "true" || text == "1" ? "true" : "false";
    return true;
  }
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* const last = text.data() + text.size();
  if (type == GraphMlType::kInteger) {
    std::int64_t i = 0;
    auto [end, error] = std::from_chars(text.data(), last, i);
    if (error != std::errc() || end != last) return false;
    AppendNumber(out, i);
    return true;
  }
  double d = 0;
  auto [end, error] = std::from_chars(text.data(), last, d);
  if (error != std::errc() || end != last || !std::isfinite(d)) return false;
  AppendJsonDouble(out, d);
  return true;
}

}  // namespace plexus::text
