// Boost.JSON reads; the row checks.
#include "tools/operations/framework/request_json.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "tools/operations/framework/registry.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::tools {
namespace {

namespace json = boost::json;

std::string_view Text(const json::string& text) { return {text.data(), text.size()}; }

Status Refuse(std::string_view name, std::string_view why) { return Invalid(name, " ", why); }

// A number where a text is meant.
bool MayBeWhole(Means means) {
  return means == Means::kTime || means == Means::kMoment || means == Means::kNumeral;
}

// What a command line would say of it; nullopt of what it says with more than one word.
std::optional<std::string> Plain(const json::value& value) {
  if (value.is_string()) return std::string(Text(value.get_string()));
  if (value.is_bool() || value.is_int64() || value.is_uint64()) return json::serialize(value);
  if (!value.is_double()) return std::nullopt;
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), value.get_double());
  return std::string(text, end);
}

// What the file would hold.
std::string Content(const Parameter& parameter, const json::value& value) {
  if (!parameter.lines || !value.is_array()) return json::serialize(value);
  std::string lines;
  for (const json::value& element : value.get_array())
    lines += Plain(element).value_or(json::serialize(element)) + "\n";
  return lines;
}

// {"name": value, "other": [value, value]} as NAME=VALUE each.
Status SetPairs(Request& request, std::string_view name, const json::object& object) {
  std::vector<std::string> pairs;
  const auto add = [&](std::string_view left, const json::value& right) -> Status {
    const std::optional<std::string> plain = Plain(right);
    if (!plain) return Refuse(name, "has texts and numbers as values");
    pairs.push_back(std::string(left) + "=" + *plain);
    return {};
  };
  for (const auto& [key, value] : object) {
    const std::string_view left(key.data(), key.size());
    if (left.contains('=')) return Refuse(name, "has a name with '='");
    if (!value.is_array()) PLEXUS_TRY(add(left, value));
    if (value.is_array())
      for (const json::value& element : value.get_array()) PLEXUS_TRY(add(left, element));
  }
  return request.Set(name, std::move(pairs));
}

Status SetValue(Request& request, const Parameter* parameter, std::string_view name,
                const json::value& value) {
  if (value.is_null()) return {};
  if (parameter && (value.is_object() || value.is_array())) {
    if (parameter->means == Means::kContent || (parameter->shown == "JSON" && value.is_object()))
      return request.Set(name, Content(*parameter, value));
    if (parameter->type == Type::kList && value.is_object() && parameter->shown.contains('='))
      return SetPairs(request, name, value.get_object());
  }
  if (value.is_double() && parameter && parameter->means == Means::kNumeral)
    return request.Set(name, *Plain(value));
  if (value.is_bool()) return request.Set(name, value.get_bool());
  if (value.is_string()) return request.Set(name, std::string(Text(value.get_string())));
  if (value.is_double()) return request.Set(name, value.get_double());
  if (value.is_int64() && parameter && MayBeWhole(parameter->means))
    return request.Set(name, std::to_string(value.get_int64()));
  if (value.is_uint64()) return request.Set(name, value.get_uint64());
  if (value.is_int64()) {
    const std::int64_t number = value.get_int64();
    if (number >= 0) return request.Set(name, static_cast<std::uint64_t>(number));
    if (parameter && parameter->type == Type::kNumber)
      return request.Set(name, static_cast<double>(number));
    return Refuse(name, "is a whole number >= 0");
  }
  if (!value.is_array()) return Refuse(name, "is no object");
  std::vector<std::string> list;
  for (const json::value& element : value.get_array()) {
    if (!element.is_string()) return Refuse(name, "is a list of texts");
    list.emplace_back(Text(element.get_string()));
  }
  return request.Set(name, std::move(list));
}

const Parameter* Find(const Operation& operation, std::string_view name) {
  if (const Parameter* own = operation.Find(name)) return own;
  for (const Parameter& common : CommonParameters())
    if (common.name == name) return &common;
  return nullptr;
}

Result<json::value> Parsed(std::string_view text) {
  if (text.size() > kMaxRequestBytes) return Invalid("a request has at most 64 MiB");
  Result<json::value> value = ParseJson(text);
  if (!value) return Fail(value.error().code, "the request is " + value.error().message);
  return value;
}

Result<Request> FromValue(const Operation& operation, const json::value& value,
                          Spelling spelling = Spelling::kNames) {
  if (!value.is_object()) return Invalid("a request is an object of parameters");
  Request request(operation, spelling);
  for (const auto& [key, member] : value.get_object()) {
    const std::string name(key.data(), key.size());
    const Parameter* parameter = Find(operation, name);
    PLEXUS_TRY(SetValue(request, parameter, name, member));
    if (parameter && parameter->means == Means::kContent) request.SetSource(name, name);
  }
  PLEXUS_TRY(request.Check());
  return request;
}

// Equal ones counted each time.
std::size_t MembersInText(std::string_view json) {
  std::size_t members = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == ':')
      ++members;
  }
  return members;
}

std::size_t MembersInValue(const json::value& value) {
  std::size_t members = 0;
  if (const json::object* object = value.if_object()) {
    members = object->size();
    for (const auto& [name, member] : *object) members += MembersInValue(member);
  } else if (const json::array* array = value.if_array()) {
    for (const json::value& element : *array) members += MembersInValue(element);
  }
  return members;
}

}  // namespace

Result<json::value> ParseJson(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMaxRequestDepth;
  boost::system::error_code failed;
  json::value value = json::parse(json::string_view(text.data(), text.size()), failed,
                                  json::storage_ptr(), options);
  if (failed) return Invalid("no JSON: ", failed.message());
  if (MembersInText(text) != MembersInValue(value))
    return Invalid("no JSON: a member is there twice");
  return value;
}

Result<Request> RequestFromJson(const Operation& operation, std::string_view text,
                                Spelling spelling) {
  PLEXUS_ASSIGN(const json::value value, Parsed(text));
  return FromValue(operation, value, spelling);
}

std::string RequestToJson(const Request& request) {
  return JsonObject([&](JsonWriter& json) {
    const auto write = [&](const Parameter& parameter) {
      if (!request.Given(parameter.name)) return;
      switch (parameter.type) {
        case Type::kFlag:
          json.Field(parameter.name, request.Flag(parameter.name));
          break;
        case Type::kCount:
          json.Field(parameter.name, request.Count(parameter.name));
          break;
        case Type::kNumber:
          json.Field(parameter.name, request.Number(parameter.name));
          break;
        case Type::kText:
          json.Field(parameter.name, request.Text(parameter.name));
          break;
        case Type::kList:
          json.Values(parameter.name, request.List(parameter.name));
          break;
      }
    };
    for (const Parameter& parameter : request.operation().parameters) write(parameter);
    for (const Parameter& parameter : CommonParameters()) write(parameter);
  });
}

Result<Request> NamedRequestFromJson(std::string_view text) {
  PLEXUS_ASSIGN(const json::value value, Parsed(text));
  if (!value.is_object() || value.get_object().size() != 1)
    return Invalid("a request is an object of one member, {\"operation\": {\"parameter\": value}}");
  const auto& [key, parameters] = *value.get_object().begin();
  const std::string name(key.data(), key.size());
  const Operation* operation = FindOperation(name);
  if (!operation) return Invalid(NoSuchOperation(name));
  return FromValue(*operation, parameters);
}

}  // namespace plexus::tools
