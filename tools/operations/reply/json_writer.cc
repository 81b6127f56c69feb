// Strings are escaped by Boost.JSON, numbers written by std::to_chars.
#include "tools/operations/reply/json_writer.h"

#include <boost/json/serialize.hpp>
#include <charconv>
#include <cmath>
#include <sstream>

#include "engine/schema.h"

namespace plexus::tools {
namespace {

// JSON is UTF-8: what is none, as a word of the command line may be, becomes U+FFFD.
std::string Repaired(std::string_view text) {
  std::string repaired;
  while (!text.empty()) {
    std::size_t length = 1;
    while (length <= 4 && length <= text.size() && !IsValidUtf8(text.substr(0, length))) ++length;
    const bool valid = length <= 4 && length <= text.size();
    repaired += valid ? text.substr(0, length) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(valid ? length : 1);
  }
  return repaired;
}

}  // namespace

void JsonWriter::Separate() {
  if (comma_) out_ << ',';
  comma_ = true;
}

void JsonWriter::Open(char bracket) {
  Separate();
  out_ << bracket;
  comma_ = false;
}

void JsonWriter::Close(char bracket) {
  out_ << bracket;
  comma_ = true;
}

void JsonWriter::Key(std::string_view name) {
  Value(name);
  out_ << ':';
  comma_ = false;
}

void JsonWriter::Value(std::string_view text) {
  if (!IsValidUtf8(text)) return Value(std::string_view(Repaired(text)));
  Separate();
  out_ << boost::json::serialize(boost::json::string_view(text.data(), text.size()));
}

template <class Real>
void JsonWriter::Shortest(Real number) {
  if (!std::isfinite(number)) return Raw("null");
  Separate();
  char text[40];
  auto end = std::to_chars(text, text + sizeof text, number);
  out_.write(text, end.ptr - text);
}

void JsonWriter::Value(double number) { Shortest(number); }
void JsonWriter::Value(float number) { Shortest(number); }

void JsonWriter::Integer(std::int64_t number) {
  Separate();
  out_ << number;
}

void JsonWriter::Unsigned(std::uint64_t number) {
  Separate();
  out_ << number;
}

void JsonWriter::Raw(std::string_view json) {
  Separate();
  out_ << json;
}

std::string JsonText(const std::function<void(JsonWriter&)>& write) {
  std::ostringstream text;
  JsonWriter json(text);
  write(json);
  return std::move(text).str();
}

std::string JsonObject(const std::function<void(JsonWriter&)>& write) {
  return JsonText([&](JsonWriter& json) {
    json.BeginObject();
    write(json);
    json.EndObject();
  });
}

}  // namespace plexus::tools
