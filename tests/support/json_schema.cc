// A descent over schema and value; the first problem ends it.
#include "tests/support/json_schema.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <set>

namespace plexus::testing {
namespace {

namespace json = boost::json;

const std::set<std::string, std::less<>> kWords = {
    "$schema", "type",    "enum",    "properties", "required", "additionalProperties",
    "items",   "minimum", "maximum", "minLength",  "default",  "description",
    "anyOf"};

bool IsType(const json::value& value, std::string_view type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_bool();
  if (type == "integer") return value.is_int64() || value.is_uint64();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

std::string Check(const json::object& schema, const json::value& value, const std::string& at);

std::string CheckObject(const json::object& schema, const json::object& object,
                        const std::string& at) {
  const json::value* required = schema.if_contains("required");
  if (required)
    for (const json::value& name : required->as_array())
      if (!object.contains(name.as_string()))
        return at + ": '" + std::string(name.as_string()) + "' is missing";
  const json::value* properties = schema.if_contains("properties");
  const json::value* others = schema.if_contains("additionalProperties");
  std::set<std::string> met;
  for (const auto& [name, member] : object) {
    const std::string place = at + "." + std::string(name);
    if (!met.insert(std::string(name)).second) return place + ": comes twice";
    const json::value* known = properties ? properties->as_object().if_contains(name) : nullptr;
    if (!known && others && others->is_bool() && !others->as_bool())
      return place + ": is not in the schema";
    if (!known && others && others->is_object()) known = others;
    if (!known) continue;
    if (std::string problem = Check(known->as_object(), member, place); !problem.empty())
      return problem;
  }
  return "";
}

std::string Check(const json::object& schema, const json::value& value, const std::string& at) {
  for (const auto& [word, unused] : schema)
    if (!kWords.contains(word)) return at + ": the validator does not know " + std::string(word);
  if (const json::value* type = schema.if_contains("type")) {
    bool fits = false;
    if (type->is_string())
      fits = IsType(value, type->as_string());
    else
      for (const json::value& one : type->as_array()) fits |= IsType(value, one.as_string());
    if (!fits)
      return at + ": " + json::serialize(value) + " is not of type " + json::serialize(*type);
  }
  if (const json::value* branches = schema.if_contains("anyOf"))
    if (std::ranges::none_of(branches->as_array(), [&](const json::value& branch) {
          return Check(branch.as_object(), value, at).empty();
        }))
      return at + ": " + json::serialize(value) + " fits none of " + json::serialize(*branches);
  if (const json::value* choices = schema.if_contains("enum"))
    if (std::ranges::find(choices->as_array(), value) == choices->as_array().end())
      return at + ": is none of the choices";
  if (value.is_number()) {
    const double number = value.to_number<double>();
    const json::value *least = schema.if_contains("minimum"), *most = schema.if_contains("maximum");
    if (least && number < least->to_number<double>()) return at + ": is below the minimum";
    if (most && number > most->to_number<double>()) return at + ": is above the maximum";
  }
  if (const json::value* least = schema.if_contains("minLength"))
    if (value.is_string() && value.as_string().size() < least->to_number<std::size_t>())
      return at + ": is too short";
  if (value.is_object()) return CheckObject(schema, value.as_object(), at);
  if (const json::value* items = schema.if_contains("items"); items && value.is_array()) {
    std::size_t i = 0;
    for (const json::value& element : value.as_array()) {
      std::string problem =
          Check(items->as_object(), element, at + "[" + std::to_string(i++) + "]");
      if (!problem.empty()) return problem;
    }
  }
  return "";
}

}  // namespace

std::string SchemaProblem(const json::value& schema, const json::value& value) {
  return Check(schema.as_object(), value, "$");
}

}  // namespace plexus::testing
