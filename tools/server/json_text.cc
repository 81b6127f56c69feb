// Boost.JSON reads and escapes.
#include "tools/server/json_text.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <sstream>

#include "tools/operations/reply/json_writer.h"

namespace plexus::tools::server {

std::string QuotedJson(std::string_view text) {
  std::string json;
  AppendQuotedJson(json, text);
  return json;
}

// Most texts need no escapes.
void AppendQuotedJson(std::string& json, std::string_view text) {
  bool escapes = false;
  for (const char c : text) escapes |= !(c >= ' ' && c < '\x7f' && c != '"' && c != '\\');
  if (!escapes) {
    json.append(1, '"').append(text).append(1, '"');
    return;
  }
  std::ostringstream out;
  JsonWriter(out).Value(text);
  json += std::move(out).str();
}

std::string JsonOf(const json::value& value) { return json::serialize(value); }

const json::value* Member(const json::object& object, std::string_view name) {
  return object.if_contains(json::string_view(name.data(), name.size()));
}

const json::object* ObjectMember(const json::object& object, std::string_view name) {
  const json::value* member = Member(object, name);
  return member ? member->if_object() : nullptr;
}

std::string_view TextMember(const json::object& object, std::string_view name) {
  const json::value* member = Member(object, name);
  const json::string* text = member ? member->if_string() : nullptr;
  return text ? View(*text) : std::string_view();
}

ObjectText& ObjectText::Raw(std::string_view name, std::string_view json) {
  if (!text_.empty()) text_ += ',';
  text_ += '"';
  text_ += name;
  text_ += "\":";
  text_ += json;
  return *this;
}

ObjectText& ObjectText::Members(std::string_view members) {
  if (!text_.empty() && !members.empty()) text_ += ',';
  text_ += members;
  return *this;
}

}  // namespace plexus::tools::server
