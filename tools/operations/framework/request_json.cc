// Boost.JSON reads; the row checks.
#include "tools/operations/framework/request_json.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <sstream>
#include <utility>
#include <vector>

#include "tools/operations/framework/registry.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::tools {
namespace {

namespace json = boost::json;

std::string_view Text(const json::string& text) { return {text.data(), text.size()}; }

Status Refuse(std::string_view name, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, std::string(name) + " " + std::string(why));
}

// A number where a text is meant: a time or a sequence.
bool IsMoment(Means means) { return means == Means::kTime || means == Means::kMoment; }

Status SetValue(Request& request, const Parameter* parameter, std::string_view name,
                const json::value& value) {
  if (value.is_null()) return {};
  if (value.is_bool()) return request.Set(name, value.get_bool());
  if (value.is_string()) return request.Set(name, std::string(Text(value.get_string())));
  if (value.is_double()) return request.Set(name, value.get_double());
  if (value.is_int64() && parameter && IsMoment(parameter->means))
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

Result<json::value> Parsed(std::string_view text, std::size_t depth) {
  if (text.size() > kMaxRequestBytes)
    return Fail(ErrorCode::kInvalidArgument, "a request has at most 64 MiB");
  json::parse_options options;
  options.max_depth = depth;
  boost::system::error_code failed;
  json::value value = json::parse(json::string_view(text.data(), text.size()), failed,
                                  json::storage_ptr(), options);
  if (failed)
    return Fail(ErrorCode::kInvalidArgument, "the request is no JSON: " + failed.message());
  return value;
}

// `members`: those that the text has.
Result<Request> FromValue(const Operation& operation, const json::value& value, std::size_t members,
                          Spelling spelling = Spelling::kNames) {
  if (!value.is_object())
    return Fail(ErrorCode::kInvalidArgument, "a request is an object of parameters");
  if (members != value.get_object().size())
    return Fail(ErrorCode::kInvalidArgument, "a member of the request is there twice");
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

}  // namespace

std::size_t CountMembers(std::string_view json, std::size_t depth) {
  std::size_t members = 0, now = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (quoted)
      continue;
    else if (c == '{' || c == '[')
      ++now;
    else if (c == '}' || c == ']')
      --now;
    else if (c == ':' && (depth == 0 || now == depth))
      ++members;
  }
  return members;
}

Result<Request> RequestFromJson(const Operation& operation, std::string_view text,
                                Spelling spelling) {
  PLEXUS_ASSIGN(const json::value value, Parsed(text, 2));
  return FromValue(operation, value, CountMembers(text, 1), spelling);
}

std::string RequestToJson(const Request& request) {
  std::ostringstream text;
  JsonWriter json(text);
  json.BeginObject();
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
  json.EndObject();
  return std::move(text).str();
}

Result<Request> NamedRequestFromJson(std::string_view text) {
  PLEXUS_ASSIGN(const json::value value, Parsed(text, 3));
  if (!value.is_object() || value.get_object().size() != 1 || CountMembers(text, 1) != 1)
    return Fail(ErrorCode::kInvalidArgument,
                "a request is an object of one member, {\"operation\": {\"parameter\": value}}");
  const auto& [key, parameters] = *value.get_object().begin();
  const std::string name(key.data(), key.size());
  const Operation* operation = FindOperation(name);
  if (!operation) return Fail(ErrorCode::kInvalidArgument, NoSuchOperation(name));
  return FromValue(*operation, parameters, CountMembers(text, 2));
}

}  // namespace plexus::tools
