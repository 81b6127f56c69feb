// The handler that Boost.JSON's push parser drives; see json_tree.h.
#include "storage/formats/base/json_tree.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/schema.h"
#include "storage/formats/base/decimal.h"

namespace plexus::formats::internal {

namespace json = boost::json;

namespace {

std::string_view View(json::string_view s) { return {s.data(), s.size()}; }

// Keeps nothing.
struct Nothing {
  static constexpr std::size_t max_array_size = -1;
  static constexpr std::size_t max_object_size = -1;
  static constexpr std::size_t max_string_size = -1;
  static constexpr std::size_t max_key_size = -1;

  std::string why;  // what the handler itself refuses

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

struct Handler : Nothing {
  Handler(std::size_t max_string, bool nul) : max_string_bytes(max_string), allows_nul(nul) {}

  std::size_t max_string_bytes;
  bool allows_nul;
  std::string bytes;                   // of strings, keys and digits; reserved ahead
  std::vector<JsonValue> open;         // values whose container is not complete
  std::vector<std::size_t> marks;      // where each open container's values begin
  std::vector<std::string_view> keys;  // of each open container (member names)
  std::string_view pending_key;
  std::vector<JsonValue> nodes;  // children of complete containers
  std::vector<std::string_view> sorted;
  std::size_t values = 0;
  std::size_t part = 0;  // begin of the string or number being read

  bool Refuse(json::error_code& ec, std::string what) {
    why = std::move(what);
    ec = json::error::syntax;
    return false;
  }
  void Reset(std::size_t text_size) {
    bytes.clear();
    bytes.reserve(text_size);  // decoding never lengthens: views stay valid
    open.clear();
    marks.clear();
    keys.clear();
    nodes.clear();
    pending_key = {};
    part = 0;
    values = 0;
    why.clear();
  }
  std::string_view Close() {
    std::string_view s(bytes.data() + part, bytes.size() - part);
    part = bytes.size();
    return s;
  }
  // A value takes some hundred bytes here and may be two in the text.
  bool Counts(json::error_code& ec) {
    if (++values <= JsonParser::kMaxValues) return true;
    return Refuse(ec, "more than " + std::to_string(JsonParser::kMaxValues) + " values");
  }
  JsonValue& Push(JsonType type) {
    JsonValue& v = open.emplace_back();
    v.type = type;
    v.key = std::exchange(pending_key, {});
    return v;
  }

  bool Begin(json::error_code& ec) {
    if (!Counts(ec)) return false;
    keys.push_back(std::exchange(pending_key, {}));
    marks.push_back(open.size());
    return true;
  }
  bool End(JsonType type) {
    const std::size_t mark = marks.back();
    marks.pop_back();
    JsonValue v;
    v.type = type;
    v.count = static_cast<std::uint32_t>(open.size() - mark);
    v.first = static_cast<std::uint32_t>(nodes.size());
    v.key = keys.back();
    keys.pop_back();
    nodes.insert(nodes.end(), open.begin() + static_cast<std::ptrdiff_t>(mark), open.end());
    open.resize(mark);
    open.push_back(v);
    return true;
  }
  bool on_array_begin(json::error_code& ec) { return Begin(ec); }
  bool on_array_end(std::size_t, json::error_code&) { return End(JsonType::kArray); }
  bool on_object_begin(json::error_code& ec) { return Begin(ec); }
  bool on_object_end(std::size_t, json::error_code& ec) {
    const std::size_t mark = marks.back();
    sorted.clear();
    for (std::size_t i = mark; i < open.size(); ++i) sorted.push_back(open[i].key);
    std::sort(sorted.begin(), sorted.end());
    auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end())
      return Refuse(ec, "key \"" + std::string(twice->substr(0, 80)) + "\" stands twice");
    return End(JsonType::kObject);
  }
  bool on_string_part(json::string_view s, std::size_t n, json::error_code& ec) {
    if (n > max_string_bytes)
      return Refuse(ec, "string over " + std::to_string(max_string_bytes) + " bytes");
    bytes.append(View(s));
    return true;
  }
  bool on_string(json::string_view s, std::size_t n, json::error_code& ec) {
    if (!Counts(ec) || !on_string_part(s, n, ec)) return false;
    const std::string_view text = Close();
    if (!allows_nul && text.find('\0') != std::string_view::npos)
      return Refuse(ec, "a string holds U+0000 (NUL)");
    Push(JsonType::kString).text = text;
    return true;
  }
  bool on_key_part(json::string_view s, std::size_t n, json::error_code& ec) {
    return on_string_part(s, n, ec);
  }
  bool on_key(json::string_view s, std::size_t n, json::error_code& ec) {
    if (!on_string_part(s, n, ec)) return false;
    pending_key = Close();
    return true;
  }
  bool on_number_part(json::string_view s, json::error_code&) {
    bytes.append(View(s));
    return true;
  }
  bool Double(std::string_view digits, json::error_code& ec) {
    double d = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), d);
    if (error == std::errc::result_out_of_range && IsSmall(digits))
      d = digits.starts_with('-') ? -0.0 : 0.0;
    else if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(d))
      return Refuse(ec, "number " + std::string(digits.substr(0, 40)) + " is out of range");
    JsonValue& v = Push(JsonType::kDouble);
    v.text = digits;
    v.d = d;
    return true;
  }
  bool on_int64(std::int64_t i, json::string_view s, json::error_code& ec) {
    if (!Counts(ec)) return false;
    bytes.append(View(s));
    std::string_view digits = Close();
    if (i == 0 && digits.starts_with('-')) return Double(digits, ec);  // -0
    JsonValue& v = Push(JsonType::kInt);
    v.text = digits;
    v.i = i;
    return true;
  }
  bool on_uint64(std::uint64_t u, json::string_view s, json::error_code& ec) {
    if (!Counts(ec)) return false;
    bytes.append(View(s));
    JsonValue& v = Push(u <= INT64_MAX ? JsonType::kInt : JsonType::kUint);
    v.text = Close();
    v.u = u;
    return true;
  }
  bool on_double(double, json::string_view s, json::error_code& ec) {
    if (!Counts(ec)) return false;
    bytes.append(View(s));
    return Double(Close(), ec);
  }
  bool on_bool(bool b, json::error_code& ec) {
    if (!Counts(ec)) return false;
    Push(JsonType::kBool).boolean = b;
    return true;
  }
  bool on_null(json::error_code& ec) {
    if (!Counts(ec)) return false;
    Push(JsonType::kNull);
    return true;
  }
};

json::parse_options Strict(std::size_t max_depth) {
  json::parse_options options;
  options.max_depth = max_depth;
  return options;
}

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

// The one value of `text`. A check ends early where EndsTheCheck says so.
template <class H>
Status ReadAll(json::basic_parser<H>& parser, std::string_view text) {
  json::error_code ec;
  std::size_t used = 0;
  try {
    used = parser.write_some(false, text.data(), text.size(), ec);
  } catch (const std::exception& e) {  // out of memory
    return Exhausted("JSON: ", e.what());
  }
  const auto wrong = [&](std::string_view what) {
    return Invalid("JSON: ", what, " at byte ", used + 1);
  };
  if (std::is_same_v<H, Nothing> && EndsTheCheck(ec, text, used)) return {};
  if (!parser.handler().why.empty()) return wrong(parser.handler().why);
  if (ec) return wrong(IsValidUtf8(text) ? ec.message() : "not valid UTF-8");
  for (; used < text.size(); ++used)
    if (std::string_view(" \t\r\n").find(text[used]) == std::string_view::npos)
      return wrong("something follows the value");
  return {};
}

}  // namespace

struct JsonParser::Impl {
  Impl(std::size_t max_string, bool nul) : parser(Strict(kMaxDepth), max_string, nul) {}
  json::basic_parser<Handler> parser;
};

JsonParser::JsonParser(std::size_t max_string_bytes, bool allows_nul)
    : impl_(std::make_unique<Impl>(max_string_bytes, allows_nul)) {}
JsonParser::~JsonParser() = default;
JsonParser::JsonParser(JsonParser&&) noexcept = default;

Result<const JsonValue*> JsonParser::Parse(std::string_view text) {
  auto& parser = impl_->parser;
  Handler& handler = parser.handler();
  handler.Reset(text.size());
  parser.reset();
  PLEXUS_TRY(ReadAll(parser, text));
  PLEXUS_CHECK(handler.open.size() == 1, "a complete text has one root");
  return &handler.open.front();
}

std::span<const JsonValue> JsonParser::children(const JsonValue& value) const {
  return std::span(impl_->parser.handler().nodes).subspan(value.first, value.count);
}

const JsonValue* JsonParser::Find(const JsonValue& object, std::string_view key) const {
  for (const JsonValue& v : children(object))
    if (v.key == key) return &v;
  return nullptr;
}

std::string_view JsonTypeName(JsonType type) {
  constexpr std::string_view kNames[] = {"null",     "a boolean", "an integer", "an integer",
                                         "a number", "a string",  "an array",   "an object"};
  return kNames[static_cast<std::size_t>(type)];
}

std::optional<float> JsonToFloat(const JsonValue& value) {
  return value.is_number() ? ReadF32(value.text) : std::nullopt;
}

Status CheckJson(std::string_view text) {
  constexpr std::size_t kMaxDepth = 256;  // the parser recurses
  json::basic_parser<Nothing> parser(Strict(kMaxDepth));
  return ReadAll(parser, text);
}

}  // namespace plexus::formats::internal
