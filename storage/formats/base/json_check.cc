// Boost.JSON's parser with a handler that keeps nothing; see json_check.h.
#include "storage/formats/base/json_check.h"

#include <boost/json/basic_parser_impl.hpp>
#include <cstdint>
#include <string>

#include "engine/schema.h"

namespace plexus::formats::internal {

namespace json = boost::json;

namespace {

constexpr std::size_t kMaxDepth = 256;  // the parser recurses

struct Nothing {
  static constexpr std::size_t max_array_size = -1;
  static constexpr std::size_t max_object_size = -1;
  static constexpr std::size_t max_string_size = -1;
  static constexpr std::size_t max_key_size = -1;

  using Code = json::error_code;
  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_array_begin(Code&) { return true; }
  bool on_array_end(std::size_t, Code&) { return true; }
  bool on_object_begin(Code&) { return true; }
  bool on_object_end(std::size_t, Code&) { return true; }
  bool on_string_part(json::string_view, std::size_t, Code&) { return true; }
  bool on_string(json::string_view, std::size_t, Code&) { return true; }
  bool on_key_part(json::string_view, std::size_t, Code&) { return true; }
  bool on_key(json::string_view, std::size_t, Code&) { return true; }
  bool on_number_part(json::string_view, Code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, Code&) { return true; }
  bool on_uint64(std::uint64_t, json::string_view, Code&) { return true; }
  bool on_double(double, json::string_view, Code&) { return true; }
  bool on_bool(bool, Code&) { return true; }
  bool on_null(Code&) { return true; }
  bool on_comment_part(json::string_view, Code&) { return true; }
  bool on_comment(json::string_view, Code&) { return true; }
};

// The first half of a character, as an escape, right before `at`.
bool IsHalf(std::string_view text, std::size_t at) {
  if (at < 6 || at > text.size()) return false;
  const std::string_view escape = text.substr(at - 6, 4);
  return escape.starts_with("\\u") && (escape[2] == 'd' || escape[2] == 'D') &&
         std::string_view("89abAB").find(escape[3]) != std::string_view::npos;
}

bool EndsTheCheck(const json::error_code& ec, std::string_view text, std::size_t used) {
  return ec == json::error::too_deep || ec == json::error::exponent_overflow ||
         ec == json::error::illegal_leading_surrogate ||
         ec == json::error::illegal_trailing_surrogate ||
         ec == json::error::expected_utf16_escape ||
         (ec == json::error::syntax && IsHalf(text, used));
}

}  // namespace

Status CheckJson(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::basic_parser<Nothing> parser(options);
  json::error_code ec;
  std::size_t used = 0;
  try {
    used = parser.write_some(false, text.data(), text.size(), ec);
  } catch (const std::exception& e) {  // out of memory
    return Exhausted("JSON: ", e.what());
  }
  if (EndsTheCheck(ec, text, used)) return {};
  const auto wrong = [&](const std::string& what) {
    return Invalid("JSON: ", what, " at byte ", used + 1);
  };
  if (ec) return wrong(IsValidUtf8(text) ? ec.message() : "not valid UTF-8");
  for (; used < text.size(); ++used)
    if (std::string_view(" \t\r\n").find(text[used]) == std::string_view::npos)
      return wrong("something follows the value");
  return {};
}

}  // namespace plexus::formats::internal
