// JSON as the server reads and writes it: ParseJson and texts that are put together without a tree.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/error.h"
#include "tools/operations/framework/request_json.h"

namespace plexus::tools::server {

namespace json = boost::json;

// The text in quotes.
std::string QuotedJson(std::string_view text);
void AppendQuotedJson(std::string& json, std::string_view text);
std::string JsonOf(const json::value& value);

inline std::string_view View(const json::string& text) { return {text.data(), text.size()}; }
// What a text says where it is an object; else one without members.
json::object ObjectOfJson(std::string_view text);
// Members of an object; null, or an empty text, where there is no such one of that type.
const json::value* Member(const json::object& object, std::string_view name);
const json::object* ObjectMember(const json::object& object, std::string_view name);
std::string_view TextMember(const json::object& object, std::string_view name);
bool TrueMember(const json::object& object, std::string_view name);

// An object put together from texts that are JSON already.
class ObjectText {
 public:
  ObjectText& Raw(std::string_view name, std::string_view json);
  ObjectText& Text(std::string_view name, std::string_view text) {
    return Raw(name, QuotedJson(text));
  }
  ObjectText& Number(std::string_view name, std::uint64_t number) {
    return Raw(name, std::to_string(number));
  }
  ObjectText& Bool(std::string_view name, bool truth) {
    return Raw(name, truth ? "true" : "false");
  }
  // Members that are put together already; "" adds nothing.
  ObjectText& Members(std::string_view members);
  const std::string& members() const { return text_; }
  std::string object() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

template <class List>
std::string ArrayText(const List& elements) {
  std::string text = "[";
  for (const auto& element : elements) {
    if (text.size() > 1) text += ',';
    text += element;
  }
  return text + "]";
}

}  // namespace plexus::tools::server
