// Sets are looked up by name; the groups of operations make the rest. Schemas are written as text:
// a tool of the table has a short one of its own.
#include "tools/server/tool_sets.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "tools/operations/files/explorer_page.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/schema.h"
#include "tools/operations/framework/shape.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/json_writer.h"
#include "tools/server/json_text.h"
#include "tools/server/knowledge/knowledge_tools.h"
#include "tools/server/tool_reply.h"

namespace plexus::tools::server {
namespace {

constexpr std::string_view kSets[] = {"memory", "ledger", "concepts",      "decisions", "retrieval",
                                      "graph",  "admin",  "server-memory", "all"};

// Operations that are tools themselves; what reads or replaces files of this machine is none.
bool IsTool(const Operation& operation, std::string_view set) {
  static constexpr std::string_view kNone[] = {"import", "export", "restore",
                                               "repair", "schema", "backup"};
  if (std::ranges::find(kNone, operation.name) != std::end(kNone)) return false;
  if (set == "all") return true;
  const bool admin = operation.group == "Care" || operation.effect == Effect::kDestroy;
  return set == "admin" ? admin : !admin && operation.name.find('_') == std::string::npos;
}

std::string TypeOf(const Parameter& parameter) {
  const Type type = parameter.means == Means::kNumeral ? Type::kNumber : parameter.type;
  constexpr const char* kTypes[] = {R"("type":"boolean")", R"("type":"integer","minimum":0)",
                                    R"("type":"number")", R"("type":"string")",
                                    R"("type":"array","items":{"type":"string"})"};
  return kTypes[static_cast<std::size_t>(type)];
}

// A parameter of the tool, as the first branch that takes it has it. Where another branch takes
// one text and this one a list, a list of one is that text.
std::string PropertyOf(const ToolRow& row, const ToolParameter& parameter, std::size_t* takers,
                       bool* required) {
  const Parameter* shown = nullptr;
  for (const Branch& branch : row.branches) {
    const std::string_view name = Taken(branch, parameter.name);
    if (name.empty()) continue;
    const Operation* operation = FindOperation(branch.operation);
    const Parameter* own = operation ? operation->Find(name) : nullptr;
    if (!own) continue;
    ++*takers;
    *required = *required && own->required;
    if (!shown || own->type == Type::kList) shown = own;
  }
  if (!shown) return {};
  std::string text = "{" + (parameter.flag ? R"("type":"boolean")" : TypeOf(*shown));
  if (!shown->choices.empty() && shown->type == Type::kText) {
    text += ",\"enum\":" + ArrayText(shown->choices | std::views::transform(QuotedJson));
  }
  return text + ",\"description\":" +
         QuotedJson(parameter.help.empty() ? std::string_view(shown->help) : parameter.help) + "}";
}

std::string InputSchema(const ToolRow& row) {
  std::vector<std::string> required;
  ObjectText properties;
  if (row.runs == Runs::kOne && row.branches.size() > 1) {
    std::vector<std::string> actions;
    for (const Branch& branch : row.branches) actions.push_back(QuotedJson(branch.action));
    properties.Raw("action", R"({"type":"string","enum":)" + ArrayText(actions) +
                                 ",\"default\":" + actions.front() + "}");
  }
  for (const ToolParameter& parameter : row.parameters) {
    std::size_t takers = 0;
    bool needed = true;
    const std::string property = PropertyOf(row, parameter, &takers, &needed);
    if (property.empty()) continue;
    properties.Raw(parameter.name, property);
    const bool everywhere = takers == row.branches.size();
    if (needed && everywhere) required.push_back(QuotedJson(parameter.name));
  }
  if (std::ranges::any_of(row.branches, [](const Branch& one) { return !one.list.empty(); }))
    properties.Raw("cursor", R"({"type":"string","description":"next_cursor of a page"})");
  if (OnlyReads(row)) {
    properties.Raw("detail", R"({"type":"string","enum":["keys","summary","full"]})");
    properties.Raw("max_chars", R"({"type":"integer","minimum":1,"default":20000})");
  }
  ObjectText schema;
  schema.Text("type", "object").Raw("properties", properties.object());
  if (!required.empty()) schema.Raw("required", ArrayText(required));
  return schema.Bool("additionalProperties", false).object();
}

constexpr std::string_view kAnyValue =
    R"({"anyOf":[{"type":"object"},{"type":"array"},{"type":"string"},{"type":"number"},)"
    R"({"type":"boolean"},{"type":"null"}]})";

std::string_view ShapeType(const Shape& shape) {
  switch (shape.kind) {
    case Shape::Kind::kCount:
    case Shape::Kind::kInteger:
      return R"({"type":"integer"})";
    case Shape::Kind::kTime:
      return R"({"anyOf":[{"type":"integer"},{"type":"string"}]})";
    case Shape::Kind::kNumber:
      return R"({"anyOf":[{"type":"number"},{"type":"null"}]})";
    case Shape::Kind::kBool:
      return R"({"type":"boolean"})";
    case Shape::Kind::kText:
    case Shape::Kind::kKey:
      return R"({"type":"string"})";
    case Shape::Kind::kAny:
      break;
    case Shape::Kind::kArray:
      return R"({"type":"array"})";
    case Shape::Kind::kObject:
      return R"({"type":"object"})";
  }
  return kAnyValue;
}

// The members that every reply has and their types, without what is in them.
std::string OutputSchema(const ToolRow& row) {
  ObjectText properties;
  std::vector<std::string> required;
  if (row.runs == Runs::kAll) {
    for (const Branch& branch : row.branches) {
      properties.Raw(branch.action, R"({"type":"object"})");
      required.push_back(QuotedJson(branch.action));
    }
  } else {
    std::map<std::string, std::size_t> times;
    std::vector<std::pair<std::string, std::string_view>> members;
    std::vector<Shape> shapes;
    for (const Branch& branch : row.branches) {
      const Operation* operation = FindOperation(branch.operation);
      if (!operation) continue;
      shapes.push_back(ParseShape(operation->ReplyMembers()));
      for (const ShapeMember& member : shapes.back().members) {
        const std::string name(RenamedMember(member.name, branch.names));
        const auto known = std::ranges::find(members, name, &decltype(members)::value_type::first);
        if (known == members.end())
          members.emplace_back(name, ShapeType(member.shape));
        else if (known->second != ShapeType(member.shape))
          known->second = kAnyValue;
        if (!member.optional) ++times[name];
      }
      if (row.runs == Runs::kThen) break;
    }
    const std::size_t all = row.runs == Runs::kThen ? 1 : row.branches.size();
    if (row.says_action) {
      properties.Raw("action", R"({"type":"string"})");
      required.push_back("\"action\"");
    }
    for (const auto& [name, type] : members) {
      if (times[name] != all) continue;
      properties.Raw(name, type);
      required.push_back(QuotedJson(name));
    }
  }
  ObjectText schema;
  schema.Text("type", "object").Raw("properties", properties.object());
  if (!required.empty()) schema.Raw("required", ArrayText(required));
  return schema.object();
}

std::string Annotations(bool reads, bool destroys) {
  return ObjectText()
      .Bool("readOnlyHint", reads)
      .Bool("destructiveHint", destroys)
      .Bool("idempotentHint", reads)
      .Bool("openWorldHint", false)
      .object();
}

bool TakesAway(const Operation& operation) {
  return operation.effect == Effect::kDestroy || operation.name == "remove" ||
         operation.name == "unlink" || operation.name == "decisions_unlink" ||
         operation.name == "conflicts_resolve" ||  // may drop a side
         operation.name == "trim";
}

}  // namespace

std::span<const std::string_view> ToolSetNames() { return kSets; }

Result<ChosenTools> ChooseTools(const std::vector<std::string>& sets) {
  ChosenTools chosen;
  const auto add_operation = [&](const Operation& operation) {
    if (std::ranges::find(chosen.operations, &operation) == chosen.operations.end())
      chosen.operations.push_back(&operation);
  };
  for (const std::string& set : sets) {
    if (std::ranges::find(kSets, set) == std::end(kSets)) {
      const std::vector<std::string> names(std::begin(kSets), std::end(kSets));
      return Invalid("no set of tools ", Quoted(set), DidYouMean(set, names));
    }
    chosen.knowledge |= set == KnowledgeTools::kSet;
    for (const ToolRow& row : ToolRows())
      if (row.set == set && std::ranges::find(chosen.rows, &row) == chosen.rows.end())
        chosen.rows.push_back(&row);
    if (set == "graph" || set == "admin" || set == "all")
      for (const Operation& operation : AllOperations())
        if (IsTool(operation, set)) add_operation(operation);
  }
  // One name is one tool: the operation's own form is left out.
  std::erase_if(chosen.operations, [&](const Operation* operation) {
    return std::ranges::any_of(chosen.rows,
                               [&](const ToolRow* row) { return row->name == operation->name; });
  });
  return chosen;
}

std::string_view Taken(const Branch& branch, std::string_view parameter) {
  std::string_view left = branch.takes;
  while (!left.empty()) {
    const std::string_view one = TakeItem(left, ',');
    const std::size_t equals = one.find('=');
    if (one.substr(0, equals) == parameter)
      return equals == std::string_view::npos ? one : one.substr(equals + 1);
  }
  return {};
}

std::string RequestSchema(const Operation& operation) {
  return JsonObject([&](JsonWriter& json) { WriteRequestSchema(json, operation); });
}
std::string ReplySchema(const Operation& operation) {
  return JsonObject([&](JsonWriter& json) { WriteReplySchema(json, operation); });
}

bool OnlyReads(const Operation& operation) {
  return operation.effect == Effect::kRead && !operation.Find("commit") &&
         !operation.Find("record");
}

bool OnlyReads(const ToolRow& row) {
  return std::ranges::all_of(row.branches, [](const Branch& branch) {
    const Operation* operation = FindOperation(branch.operation);
    const bool writes = branch.sets.find("record=true") != std::string_view::npos;
    return operation && operation->effect == Effect::kRead && !writes;
  });
}

std::string ToolJson(const ToolRow& row) {
  const bool destroys = std::ranges::any_of(row.branches, [](const Branch& branch) {
    const Operation* operation = FindOperation(branch.operation);
    return operation && TakesAway(*operation);
  });
  ObjectText tool;
  tool.Text("name", row.name)
      .Text("title", row.title)
      .Text("description", row.description)
      .Raw("inputSchema", InputSchema(row))
      .Raw("outputSchema", OutputSchema(row))
      .Raw("annotations", Annotations(OnlyReads(row), destroys));
  if (row.draws && !ExplorerPage().empty())
    tool.Raw("_meta",
             ObjectText().Raw("ui", ObjectText().Text("resourceUri", kGraphApp).object()).object());
  return tool.object();
}

std::string ToolJson(const Operation& operation) {
  return ObjectText()
      .Text("name", operation.name)
      .Text("title", operation.title)
      .Text("description", operation.summary + ". Example: " + operation.examples.front().shell)
      .Raw("inputSchema", RequestSchema(operation))
      .Raw("outputSchema", ReplySchema(operation))
      .Raw("annotations", Annotations(OnlyReads(operation), TakesAway(operation)))
      .object();
}

}  // namespace plexus::tools::server
