// Rows are read in their own order, so that equal rows make equal schemas.
#include "tools/operations/framework/schema.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/shape.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {
namespace {

constexpr std::string_view kDraft = "https://json-schema.org/draft/2020-12/schema";

void WriteLimit(ReplyWriter& json, std::string_view name, const Parameter& parameter,
                double limit) {
  if (parameter.type == Type::kCount)
    json.Field(name, static_cast<std::uint64_t>(limit));
  else
    json.Field(name, limit);
}

void WriteDefault(ReplyWriter& json, const Value& value) {
  if (const auto* count = std::get_if<std::uint64_t>(&value)) json.Field("default", *count);
  if (const auto* number = std::get_if<double>(&value)) json.Field("default", *number);
  if (const auto* text = std::get_if<std::string>(&value)) json.Field("default", *text);
}

void WriteParameter(ReplyWriter& json, const Parameter& parameter) {
  json.BeginObject(parameter.name);
  switch (parameter.means == Means::kNumeral ? Type::kNumber : parameter.type) {
    case Type::kFlag:
      json.Field("type", "boolean");
      break;
    case Type::kCount:
      json.Field("type", "integer");
      break;
    case Type::kNumber:
      json.Field("type", "number");
      break;
    case Type::kText:
      json.Field("type", "string");
      if (!parameter.choices.empty())
        json.Values("enum", parameter.choices);
      else if (!parameter.may_be_empty)
        json.Field("minLength", 1);
      break;
    case Type::kList:
      json.Field("type", "array");
      json.BeginObject("items");
      json.Field("type", "string");
      if (!parameter.choices.empty()) json.Values("enum", parameter.choices);
      json.EndObject();
      break;
  }
  if (parameter.least)
    WriteLimit(json, "minimum", parameter, *parameter.least);
  else if (parameter.type == Type::kCount)
    json.Field("minimum", 0);
  if (parameter.most) WriteLimit(json, "maximum", parameter, *parameter.most);
  WriteDefault(json, parameter.default_value);
  json.Field("description", parameter.help);
  json.EndObject();
}

void WriteShape(ReplyWriter& json, const Shape& shape);

// Branches of one type each: some clients refuse a list of types.
void WriteAnyOf(ReplyWriter& json, std::initializer_list<std::string_view> types) {
  json.BeginArray("anyOf");
  for (const std::string_view type : types) {
    json.BeginObject();
    json.Field("type", type);
    json.EndObject();
  }
  json.EndArray();
}

void WriteObject(ReplyWriter& json, const Shape& shape, bool warnings) {
  json.Field("type", "object");
  json.BeginObject("properties");
  bool has_warnings = false, has_key = false;
  for (const ShapeMember& member : shape.members) {
    has_key |= member.name == "key" && member.shape.kind == Shape::Kind::kKey;
    has_warnings |= member.name == "warnings";
    json.BeginObject(member.name);
    WriteShape(json, member.shape);
    if (const auto meaning = MemberMeaning(member.name); !meaning.empty())
      json.Field("description", meaning);
    json.EndObject();
  }
  for (const char* detail : {"node_kind", "node_line", "node_text"}) {
    if (!has_key) break;
    json.BeginObject(detail);
    json.Field("type", "string");
    json.Field("description", MemberMeaning(detail));
    json.EndObject();
  }
  if (has_key) {
    json.BeginObject("node_columns");
    json.Field("type", "object");
    json.Field("description", MemberMeaning("node_columns"));
    json.EndObject();
  }
  if (warnings && !has_warnings) {
    json.BeginObject("warnings");
    WriteShape(json, ParseShape("warnings:[s]").members[0].shape);
    json.Field("description", MemberMeaning("warnings"));
    json.EndObject();
  }
  json.EndObject();
  json.BeginArray("required");
  for (const ShapeMember& member : shape.members)
    if (!member.optional) json.Value(member.name);
  json.EndArray();
  json.Key("additionalProperties");
  if (shape.others.empty()) {
    json.Value(false);
  } else {
    json.BeginObject();
    WriteShape(json, shape.others.front());
    json.EndObject();
  }
}

void WriteShape(ReplyWriter& json, const Shape& shape) {
  switch (shape.kind) {
    case Shape::Kind::kCount:
      json.Field("type", "integer");
      json.Field("minimum", 0);
      break;
    case Shape::Kind::kInteger:
      json.Field("type", "integer");
      break;
    case Shape::Kind::kTime:
      WriteAnyOf(json, {"integer", "string"});  // as the request has `times`
      break;
    case Shape::Kind::kNumber:
      WriteAnyOf(json, {"number", "null"});
      break;
    case Shape::Kind::kBool:
      json.Field("type", "boolean");
      break;
    case Shape::Kind::kText:
    case Shape::Kind::kKey:
      json.Field("type", "string");
      break;
    case Shape::Kind::kAny:  // checkers of portability warn of a schema without a keyword
      WriteAnyOf(json, {"object", "array", "string", "number", "boolean", "null"});
      break;
    case Shape::Kind::kArray:
      json.Field("type", "array");
      json.BeginObject("items");
      WriteShape(json, shape.element());
      json.EndObject();
      break;
    case Shape::Kind::kObject:
      WriteObject(json, shape, false);
      break;
  }
}

std::string_view EffectName(Effect effect) {
  return effect == Effect::kRead ? "read" : effect == Effect::kWrite ? "write" : "destroy";
}

void WriteOperation(ReplyWriter& json, const Operation& operation) {
  json.Field("operation", operation.name);
  json.Field("group", operation.group);
  json.Field("title", operation.title);
  json.Field("summary", operation.summary);
  json.Field("effect", EffectName(operation.effect));
  json.BeginObject("request");
  WriteRequestSchema(json, operation);
  json.EndObject();
  json.BeginObject("reply");
  WriteReplySchema(json, operation);
  json.EndObject();
}

Result<Reply> RunSchema(Workspace&, const Request& request) {
  if (!request.Given("operation"))
    return Reply([](ReplyWriter& json) {
      json.Objects("operations", AllOperations(),
                   [&](const Operation& operation) { WriteOperation(json, operation); });
    });
  const Operation* operation = FindOperation(request.Text("operation"));
  if (!operation) return Invalid(NoSuchOperation(request.Text("operation")));
  return Reply([operation](ReplyWriter& json) { WriteOperation(json, *operation); });
}

}  // namespace

void WriteRequestSchema(ReplyWriter& json, const Operation& operation) {
  json.Field("$schema", kDraft);
  json.Field("type", "object");
  json.BeginObject("properties");
  for (const Parameter& parameter : operation.parameters) WriteParameter(json, parameter);
  for (const Parameter& parameter : CommonParameters()) WriteParameter(json, parameter);
  json.EndObject();
  json.BeginArray("required");
  for (const Parameter& parameter : operation.parameters)
    if (parameter.required) json.Value(parameter.name);
  json.EndArray();
  json.Field("additionalProperties", false);
}

void WriteReplySchema(ReplyWriter& json, const Operation& operation) {
  json.Field("$schema", kDraft);
  WriteObject(json, ParseShape(operation.ReplyMembers()), true);
}

void AddSchema(Rows& rows) {
  rows.push_back(
      {.name = "schema",
       .group = "Look",
       .title = "Schemas",
       .summary = "Print the JSON Schemas of requests and replies",
       .parameters = {Optional(Text("operation", "OPERATION", "only this one (default: all)")
                                   .Named(Means::kOperation)
                                   .Positional())},
       .reply = "operation?:s, group?:s, title?:s, summary?:s, effect?:s, request?:j, "
                "reply?:j, operations?:[{operation:s, group:s, title:s, summary:s, "
                "effect:s, request:j, reply:j}]",
       .tables = "operations: operation, group, effect, summary = what it does",
       .examples = {{"plexus schema pagerank --json",
                     "what a request may say, and what the reply holds"},
                    {"plexus schema", "a table of all operations"}},
       .run = RunSchema,
       .access = OpensNothing});
}

}  // namespace plexus::tools
