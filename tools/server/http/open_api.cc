// One path an operation; what only reads, and takes no content of files, has GET, too.
#include "tools/operations/framework/registry.h"
#include "tools/server/http/routes.h"
#include "tools/server/json_text.h"
#include "tools/server/tool_sets.h"
#include "tools/version.h"

namespace plexus::tools::server {
namespace {

std::string Content(std::string_view schema) {
  return R"({"application/json":{"schema":)" + std::string(schema) + "}}";
}

std::string Responses(const std::string& reply, bool reads) {
  const auto told = [&](std::string_view what) {
    return ObjectText().Text("description", what).Raw("content", reply).object();
  };
  ObjectText responses;
  responses.Raw("200", told("the reply"));
  if (!reads) responses.Raw("422", told("the reply: not all was done, and why"));
  return responses.Raw("default", R"({"$ref":"#/components/responses/Failed"})").object();
}

std::string PathItem(const Operation& operation) {
  const std::string reply = Content(ReplySchema(operation));
  const auto call = [&](std::string_view id) {
    ObjectText object;
    object.Text("operationId", id).Text("summary", operation.summary);
    object.Raw("tags", "[" + QuotedJson(operation.group) + "]");
    return object;
  };
  ObjectText item;
  item.Raw("post", call(operation.name)
                       .Raw("requestBody", ObjectText()
                                               .Bool("required", true)
                                               .Raw("content", Content(RequestSchema(operation)))
                                               .object())
                       .Raw("responses", Responses(reply, OnlyReads(operation)))
                       .object());
  if (!OnlyReads(operation)) return item.object();
  std::vector<std::string> parameters;
  for (const Parameter& parameter : operation.parameters)
    if (parameter.means != Means::kContent && parameter.means != Means::kFile)
      parameters.push_back(
          ObjectText()
              .Text("name", parameter.name)
              .Text("in", "query")
              .Bool("required", parameter.required)
              .Text("description", parameter.help)
              .Raw("schema", parameter.type == Type::kFlag     ? R"({"type":"boolean"})"
                             : parameter.type == Type::kCount  ? R"({"type":"integer"})"
                             : parameter.type == Type::kNumber ? R"({"type":"number"})"
                                                               : R"({"type":"string"})")
              .object());
  item.Raw("get", call("get_" + operation.name)
                      .Raw("parameters", ArrayText(parameters))
                      .Raw("responses", Responses(reply, OnlyReads(operation)))
                      .object());
  return item.object();
}

}  // namespace

std::string OpenApi() {
  ObjectText paths;
  for (const Operation& operation : AllOperations())
    paths.Raw("/v1/" + operation.name, PathItem(operation));
  const std::string error =
      R"({"type":"object","properties":{"error":{"type":"object","properties":{"code":{"type":)"
      R"("string"},"message":{"type":"string"}},"required":["code","message"]}},"required":)"
      R"(["error"]})";
  const std::string failed =
      ObjectText().Text("description", "what went wrong").Raw("content", Content(error)).object();
  const std::string schemes = R"({"bearer":{"type":"http","scheme":"bearer"}})";
  return ObjectText()
      .Text("openapi", "3.1.0")
      .Raw("info", ObjectText()
                       .Text("title", "Plexus")
                       .Text("version", tools::Version())
                       .Text("summary", "A graph for the memory of agents")
                       .object())
      .Raw("paths", paths.object())
      .Raw("components", ObjectText()
                             .Raw("responses", ObjectText().Raw("Failed", failed).object())
                             .Raw("securitySchemes", schemes)
                             .object())
      .Raw("security", R"([{"bearer":[]},{}])")
      .object();
}

}  // namespace plexus::tools::server
