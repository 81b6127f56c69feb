// JsonParser: one JSON text to a tree of views, strictly.
//
// Boost.JSON reads the grammar; this keeps what its own tree would lose: duplicate
// keys (refused), a number's own digits (so that f32 and f64 are rounded once and
// exactly), -0. The tree lives in the parser and is reused from text to text: no
// allocation per value. Refused: anything outside RFC 8259, depth over 32, invalid
// UTF-8, lone surrogates, strings over the limit or with U+0000, more values than kMaxValues,
// numbers beyond f64.
// One parser per thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "engine/error.h"

namespace plexus::formats::internal {

enum class JsonType : std::uint8_t { kNull, kBool, kInt, kUint, kDouble, kString, kArray, kObject };

std::string_view JsonTypeName(JsonType type);

struct JsonValue {
  JsonType type = JsonType::kNull;
  bool boolean = false;
  std::uint32_t count = 0;  // children of an array or object
  std::uint32_t first = 0;  // index of the first child
  union {
    std::int64_t i = 0;  // kInt
    std::uint64_t u;     // kUint: above INT64_MAX
    double d;            // kDouble
  };
  std::string_view key;   // when a member of an object
  std::string_view text;  // kString: the characters; numbers: the digits

  bool is_null() const { return type == JsonType::kNull; }
  bool is_string() const { return type == JsonType::kString; }
  bool is_number() const {
    return type == JsonType::kInt || type == JsonType::kUint || type == JsonType::kDouble;
  }
  double number() const {
    return type == JsonType::kInt    ? static_cast<double>(i)
           : type == JsonType::kUint ? static_cast<double>(u)
                                     : d;
  }
};

class JsonParser {
 public:
  static constexpr std::size_t kMaxDepth = 32;
  static constexpr std::size_t kMaxValues = 1'000'000;  // of a text, containers among them

  // `allows_nul`: for what is stored already, as the engine takes it.
  explicit JsonParser(std::size_t max_string_bytes = std::size_t{1} << 20, bool allows_nul = false);
  ~JsonParser();
  JsonParser(JsonParser&&) noexcept;

  // The root; it and all views live until the next Parse. kInvalidArgument says
  // what is wrong and at which byte.
  Result<const JsonValue*> Parse(std::string_view text);
  std::span<const JsonValue> children(const JsonValue& value) const;
  // The member named `key`; null if it does not exist.
  const JsonValue* Find(const JsonValue& object, std::string_view key) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The number rounded once to f32; nullopt when not a number, not finite.
std::optional<float> JsonToFloat(const JsonValue& value);

// Whether a text that is not read is JSON. What the tree cannot hold is none of its business: any
// number of values, strings of any length and with U+0000, numbers of any size, names that stand
// twice. What is nested deeper than 256 and an escape of half a character end the check.
// kInvalidArgument says what is wrong and at which byte.
Status CheckJson(std::string_view text);

}  // namespace plexus::formats::internal
