// The tools as tools/list shows them, and arguments checked against those schemas.
// Source: modelcontextprotocol/servers, src/memory (2026.8.31).
#include <algorithm>
#include <map>
#include <vector>

#include "tools/server/knowledge/knowledge_tools.h"

namespace plexus::tools::server {
namespace {

// A schema of an object whose properties are all required.
std::string ObjectOf(const std::string& properties, bool closed) {
  std::vector<std::string> names;
  const json::value value = *ParseJson("{" + properties + "}");
  for (const auto& member : value.get_object())
    names.push_back(QuotedJson({member.key().data(), member.key().size()}));
  ObjectText schema;
  schema.Text("type", "object").Raw("properties", "{" + properties + "}");
  if (!names.empty()) schema.Raw("required", ArrayText(names));
  if (closed) schema.Bool("additionalProperties", false);
  return schema.object();
}

std::string DescribedText(std::string_view description) {
  return R"({"type":"string","description":)" + QuotedJson(description) + "}";
}

std::string ListOf(const std::string& items, std::string_view description = {}) {
  std::string list = R"({"type":"array","items":)" + items;
  if (!description.empty()) list += R"(,"description":)" + QuotedJson(description);
  return list + "}";
}

const std::string kTexts = R"({"type":"string"})";

std::string Entity(bool closed) {
  return ObjectOf("\"name\":" + DescribedText("The name of the entity") + ",\"entityType\":" +
                      DescribedText("The type of the entity") + ",\"observations\":" +
                      ListOf(kTexts, "An array of observation contents associated with the entity"),
                  closed);
}

std::string Relation(bool closed) {
  return ObjectOf("\"from\":" + DescribedText("The name of the entity where the relation starts") +
                      ",\"to\":" + DescribedText("The name of the entity where the relation ends") +
                      ",\"relationType\":" + DescribedText("The type of the relation"),
                  closed);
}

struct Tool {
  std::string name, title, description, takes, replies;
  bool reads = false, destroys = false;
};

const std::vector<Tool>& Table() {
  static const std::vector<Tool> tools = [] {
    const std::string done = R"("success":{"type":"boolean"},"message":{"type":"string"})";
    const std::string graph =
        "\"entities\":" + ListOf(Entity(true)) + ",\"relations\":" + ListOf(Relation(true));
    const std::string added =
        ObjectOf(R"("entityName":{"type":"string"},"addedObservations":)" + ListOf(kTexts), true);
    const std::string contents = ObjectOf(
        "\"entityName\":" + DescribedText("The name of the entity to add the observations to") +
            ",\"contents\":" + ListOf(kTexts, "An array of observation contents to add"),
        false);
    const std::string deletions = ObjectOf(
        "\"entityName\":" + DescribedText("The name of the entity containing the observations") +
            ",\"observations\":" + ListOf(kTexts, "An array of observations to delete"),
        false);
    return std::vector<Tool>{
        {"create_entities", "Create Entities",
         "Create multiple new entities in the knowledge graph",
         "\"entities\":" + ListOf(Entity(false)), "\"entities\":" + ListOf(Entity(true))},
        {"create_relations", "Create Relations",
         "Create multiple new relations between entities in the knowledge graph. Relations should "
         "be in active voice",
         "\"relations\":" + ListOf(Relation(false)), "\"relations\":" + ListOf(Relation(true))},
        {"add_observations", "Add Observations",
         "Add new observations to existing entities in the knowledge graph",
         "\"observations\":" + ListOf(contents), "\"results\":" + ListOf(added)},
        {"delete_entities", "Delete Entities",
         "Delete multiple entities and their associated relations from the knowledge graph",
         "\"entityNames\":" + ListOf(kTexts, "An array of entity names to delete"), done, false,
         true},
        {"delete_observations", "Delete Observations",
         "Delete specific observations from entities in the knowledge graph",
         "\"deletions\":" + ListOf(deletions), done, false, true},
        {"delete_relations", "Delete Relations",
         "Delete multiple relations from the knowledge graph",
         "\"relations\":" + ListOf(Relation(false), "An array of relations to delete"), done, false,
         true},
        {"read_graph", "Read Graph", "Read the entire knowledge graph", "", graph, true},
        {"search_nodes", "Search Nodes", "Search for nodes in the knowledge graph based on a query",
         "\"query\":" + DescribedText("The search query to match against entity names, types, and "
                                      "observation content"),
         graph, true},
        {"open_nodes", "Open Nodes", "Open specific nodes in the knowledge graph by their names",
         "\"names\":" + ListOf(kTexts, "An array of entity names to retrieve"), graph, true}};
  }();
  return tools;
}

const Tool* FindTool(std::string_view name) {
  const auto at = std::ranges::find(Table(), name, &Tool::name);
  return at == Table().end() ? nullptr : &*at;
}

std::string_view TypeName(const json::value* value) {
  if (!value) return "undefined";
  switch (value->kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "boolean";
    case json::kind::string:
      return "string";
    case json::kind::array:
      return "array";
    case json::kind::object:
      return "object";
    default:
      return "number";
  }
}

// What differs from the schema, as that server's checker words it.
void Check(const json::value* value, const json::object& schema, const std::string& path,
           std::vector<std::string>& issues) {
  constexpr std::size_t kMost = 100;
  if (issues.size() >= kMost) return;
  const std::string_view type = TextMember(schema, "type");
  if (TypeName(value) != type) {
    issues.push_back("Invalid input: expected " + std::string(type) + ", received " +
                     std::string(TypeName(value)) + " at " + path);
  } else if (type == "array") {
    const json::object& items = *ObjectMember(schema, "items");
    std::size_t place = 0;
    for (const json::value& item : value->get_array())
      Check(&item, items, path + "[" + std::to_string(place++) + "]", issues);
  } else if (type == "object") {
    for (const auto& member : *ObjectMember(schema, "properties")) {
      const std::string name(member.key().data(), member.key().size());
      Check(Member(value->get_object(), name), member.value().get_object(),
            path.empty() ? name : path + "." + name, issues);
    }
  }
}

}  // namespace

std::vector<std::string> KnowledgeTools::Tools() {
  std::vector<std::string> tools;
  for (const Tool& tool : Table())
    tools.push_back(ObjectText()
                        .Text("name", tool.name)
                        .Text("title", tool.title)
                        .Text("description", tool.description)
                        .Raw("inputSchema", ObjectOf(tool.takes, false))
                        .Raw("outputSchema", ObjectOf(tool.replies, true))
                        .Raw("annotations", ObjectText()
                                                .Bool("readOnlyHint", tool.reads)
                                                .Bool("destructiveHint", tool.destroys)
                                                .Bool("idempotentHint", tool.reads || tool.destroys)
                                                .Bool("openWorldHint", false)
                                                .object())
                        .object());
  return tools;
}

bool KnowledgeTools::Has(std::string_view name) { return FindTool(name); }

bool KnowledgeTools::OnlyReads(std::string_view name) {
  const Tool* tool = FindTool(name);
  return tool && tool->reads;
}

std::string KnowledgeTools::Resource() {
  return ObjectText()
      .Text("uri", kUri)
      .Text("name", "knowledge-graph")
      .Text("title", "Knowledge Graph")
      .Text("description", "The full knowledge graph with all entities and relations")
      .Text("mimeType", "application/json")
      .object();
}

std::string KnowledgeArgumentsError(std::string_view tool, const json::object& arguments) {
  static const std::map<std::string, json::value, std::less<>> schemas = [] {
    std::map<std::string, json::value, std::less<>> made;
    for (const Tool& one : Table()) made[one.name] = *ParseJson(ObjectOf(one.takes, false));
    return made;
  }();
  const json::value value = arguments;
  std::vector<std::string> issues;
  Check(&value, schemas.find(tool)->second.get_object(), "", issues);
  if (issues.empty()) return {};
  std::string text = "MCP error -32602: Input validation error: Invalid arguments for tool " +
                     std::string(tool) + ": ";
  for (std::size_t i = 0; i < issues.size(); ++i) text += (i > 0 ? "\n" : "") + issues[i];
  return text;
}

}  // namespace plexus::tools::server
