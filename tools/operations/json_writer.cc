// Strings are escaped by Boost.JSON, numbers written by std::to_chars.
#include "tools/operations/json_writer.h"

#include <boost/json/serialize.hpp>
#include <charconv>
#include <cmath>

namespace plexus::tools {

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

}  // namespace plexus::tools
