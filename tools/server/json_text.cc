// Boost.JSON reads and escapes.
#include "tools/server/json_text.h"

#include <boost/json/serialize.hpp>
#include <sstream>
#include <utility>

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

json::object ObjectOfJson(std::string_view text) {
  Result<json::value> value = ParseJson(text);
  return value && value->is_object() ? std::move(value->get_object()) : json::object();
}

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

bool TrueMember(const json::object& object, std::string_view name) {
  const json::value* member = Member(object, name);
  return member && member->is_bool() && member->get_bool();
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
