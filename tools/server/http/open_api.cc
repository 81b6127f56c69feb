// One path an operation; what only reads, and takes no content of files, has GET, too.
#include "tools/operations/framework/registry.h"
#include "tools/server/http/routes.h"
#include "tools/server/json_text.h"
#include "tools/server/tool_sets.h"
#include "tools/version.h"

namespace plexus::tools::server {
namespace {

constexpr const char* kOfGraph = R"([{"$ref":"#/components/parameters/graph"}])";

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

// Of a server of many graphs.
void AddGraphs(ObjectText& paths) {
  const auto call = [](const char* id, const char* summary, const char* status) {
    const std::string done = ObjectText()
                                 .Text("description", "done")
                                 .Raw("content", Content(R"({"type":"object"})"))
                                 .object();
    ObjectText object;
    object.Text("operationId", id).Text("summary", summary);
    object.Raw("responses", ObjectText()
                                .Raw(status, done)
                                .Raw("default", R"({"$ref":"#/components/responses/Failed"})")
                                .object());
    return object;
  };
  const std::string named =
      Content(R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})");
  ObjectText make = call("graphs_make", "Make a graph", "201");
  make.Raw("requestBody", ObjectText().Bool("required", true).Raw("content", named).object());
  paths.Raw("/graphs", ObjectText()
                           .Raw("get", call("graphs_list", "List the graphs", "200").object())
                           .Raw("post", make.object())
                           .object());
  paths.Raw("/graphs/{graph}",
            ObjectText()
                .Raw("parameters", kOfGraph)
                .Raw("delete", call("graphs_drop", "Drop a graph", "200").object())
                .object());
}

std::string PathItem(const Operation& operation, bool of_graph) {
  const std::string reply = Content(ReplySchema(operation));
  const auto call = [&](std::string_view id) {
    ObjectText object;
    object.Text("operationId", id).Text("summary", operation.summary);
    object.Raw("tags", "[" + QuotedJson(operation.group) + "]");
    return object;
  };
  ObjectText item;
  if (of_graph) item.Raw("parameters", kOfGraph);
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

std::string OpenApi(const std::string& before) {
  const bool of_graphs = before.ends_with("{graph}");
  ObjectText paths, parameters;
  if (of_graphs) {
    AddGraphs(paths);
    parameters.Raw("graph", R"({"name":"graph","in":"path","required":true,)"
                            R"("description":"the graph's name","schema":{"type":"string"}})");
  }
  for (const Operation& operation : AllOperations())
    paths.Raw(before + "/v1/" + operation.name, PathItem(operation, of_graphs));
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
                             .Raw("parameters", parameters.object())
                             .Raw("securitySchemes", schemes)
                             .object())
      .Raw("security", R"([{"bearer":[]},{}])")
      .object();
}

}  // namespace plexus::tools::server
