// A streaming writer of JSON: what is printed is never held whole in memory.
//
// Commas and nesting are kept right by the writer. Doubles are written in the
// shortest form that reads back as the same bits; NaN and infinity become null. The first
// reply object on standard output ends with "warnings" when there are any (WarnInReply).
// Not thread-safe.
#pragma once

#include <concepts>
#include <cstdint>
#include <ostream>
#include <string_view>

namespace plexus::tools {

class JsonWriter {
 public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}

  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  void Key(std::string_view name);

  void Value(std::string_view text);
  void Value(const char* text) { Value(std::string_view(text)); }
  void Value(double number);
  void Value(float number);
  void Value(bool truth);
  void Value(std::nullptr_t);
  void Value(std::integral auto number) {
    if constexpr (std::signed_integral<decltype(number)>)
      Integer(static_cast<std::int64_t>(number));
    else
      Unsigned(static_cast<std::uint64_t>(number));
  }
  // Text that is JSON already.
  void Raw(std::string_view json);

  template <class T>
  void Field(std::string_view name, const T& value) {
    Key(name);
    Value(value);
  }
  void BeginObject(std::string_view name) {
    Key(name);
    BeginObject();
  }
  void BeginArray(std::string_view name) {
    Key(name);
    BeginArray();
  }

 private:
  void Open(char bracket);
  void Close(char bracket);
  template <class Real>
  void Shortest(Real number);
  void Integer(std::int64_t number);
  void Unsigned(std::uint64_t number);
  void Separate();

  std::ostream& out_;
  bool comma_ = false;
  int depth_ = 0;
};

}  // namespace plexus::tools
