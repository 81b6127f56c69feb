// Each tool is one batch: all of it is kept or nothing.
#include "tools/server/knowledge/knowledge_batch.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>

#include "engine/vocabulary.h"
#include "storage/formats/base/mcp_records.h"
#include "storage/formats/base/properties.h"
#include "tools/operations/term_operations.h"

namespace plexus::tools::server {
namespace {

using formats::internal::JoinObservations;

std::string_view TextOf(const json::value& value) { return View(value.get_string()); }

std::vector<std::string> TextsOf(const json::object& object, std::string_view name) {
  std::vector<std::string> texts;
  for (const json::value& one : Member(object, name)->get_array()) texts.emplace_back(TextOf(one));
  return texts;
}

// The beginning of an object in a list: members that are texts. Others may follow, and its end.
void BeginObject(std::string& json,
                 std::initializer_list<std::pair<std::string_view, std::string_view>> texts) {
  if (json.back() != '[') json += ',';
  json += '{';
  for (const auto& [name, text] : texts) {
    if (json.back() != '{') json += ',';
    json.append(1, '"').append(name).append("\":");
    AppendQuotedJson(json, text);
  }
}

void AppendTexts(std::string& json, const std::vector<std::string>& texts) {
  json += '[';
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) json += ',';
    AppendQuotedJson(json, texts[i]);
  }
  json += ']';
}

}  // namespace

// In one pass: the text is JSON already, so that its control characters are escaped.
void AppendQuotedIndented(std::string& out, std::string_view json) {
  out.reserve(out.size() + json.size() * 2);
  std::size_t depth = 0;
  const auto line = [&] { out.append("\\n").append(2 * depth, ' '); };
  out += '"';
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') {
      out += "\\\"";
      for (++i; json[i] != '"';) {
        std::size_t end = i;
        while (json[end] != '"' && json[end] != '\\') ++end;
        out.append(json, i, end - i);
        i = end;
        if (json[i] != '\\') continue;
        out += "\\\\";  // and what it escapes
        out += json[i + 1] == '"' || json[i + 1] == '\\' ? "\\" : "";
        out += json[i + 1];
        i += 2;
      }
      out += "\\\"";
    } else if ((c == '{' || c == '[') && (json[i + 1] == '}' || json[i + 1] == ']')) {
      out.append(json, i++, 2);
    } else if (c == '{' || c == '[') {
      out += c;
      ++depth;
      line();
    } else if (c == '}' || c == ']') {
      --depth;
      line();
      out += c;
    } else {
      out += c;
      if (c == ',') line();
      if (c == ':') out += ' ';
    }
  }
  out += '"';
}

namespace {

void AppendEntity(std::string& json, std::string_view name, std::string_view type,
                  const std::vector<std::string>& observations) {
  BeginObject(json, {{"name", name}, {"entityType", type}});
  json += ",\"observations\":";
  AppendTexts(json, observations);
  json += '}';
}

void AppendRelation(std::string& json, std::string_view from, std::string_view to,
                    std::string_view type) {
  BeginObject(json, {{"from", from}, {"to", to}, {"relationType", type}});
  json += '}';
}

// What its JSON takes where nothing is escaped.
std::size_t BytesAbout(const KnowledgePart& part) {
  std::size_t bytes = 64;
  for (const KnowledgeEntity* entity : part.entities) {
    bytes += 48 + entity->name.size() + entity->type.size();
    for (const std::string& text : entity->observations) bytes += 3 + text.size();
  }
  for (const KnowledgeRelation* relation : part.relations)
    bytes += 40 + relation->from.size() + relation->to.size() + relation->type.size();
  return bytes;
}

std::string Done(std::string_view what) {
  const std::string message = std::string(what) + " deleted successfully";
  return ObjectText()
      .Raw("content", "[" + ObjectText().Text("type", "text").Text("text", message).object() + "]")
      .Raw("structuredContent",
           ObjectText().Bool("success", true).Text("message", message).object())
      .members();
}

class Changer {
 public:
  Changer(const KnowledgeGraph& graph, Workspace& workspace, std::uint64_t place, TimeLimit& limit)
      : graph_(graph),
        workspace_(workspace),
        snapshot_(workspace.snapshot()),
        place_(place),
        limit_(limit) {
    change_.batch = WriteBatch(workspace.now_ms());
  }

  Result<KnowledgeChange> Run(std::string_view tool, const json::object& arguments) {
    if (tool == "create_entities") PLEXUS_TRY(CreateEntities(arguments));
    if (tool == "create_relations") PLEXUS_TRY(CreateRelations(arguments));
    if (tool == "add_observations") PLEXUS_TRY(AddObservations(arguments));
    if (tool == "delete_entities") PLEXUS_TRY(DeleteEntities(arguments));
    if (tool == "delete_observations") PLEXUS_TRY(DeleteObservations(arguments));
    if (tool == "delete_relations") PLEXUS_TRY(DeleteRelations(arguments));
    PLEXUS_TRY(KeepTerms(workspace_, change_.batch));
    return std::move(change_);
  }

 private:
  // Whether the graph can have a new kind of that name. Defines it in the schema of the trial.
  template <class Kind>
  bool IsNewKind(std::string_view name) {
    if (!trial_) trial_ = snapshot_.schema();
    Kind kind;
    kind.name = name;
    return trial_->Define(kind).has_value();
  }

  // The node of that name as the batch has it.
  Result<NodeRef> NodeOf(std::string_view name) {
    if (name.find(kIndexSeparator) != std::string_view::npos)
      return Invalid("an entity's name must not hold U+001F");
    return change_.batch.Node(name);
  }

  void SetOrClear(NodeRef node, NodeField field, std::string_view bytes) {
    if (bytes.empty())
      change_.batch.ClearPayload(node, field);
    else
      change_.batch.SetPayload(node, field, bytes);
  }

  // The node's properties with `patch`, a JSON object, over them.
  Status SetProperties(NodeRef node, std::string_view name, const std::string& patch) {
    std::string before;
    if (const auto known = FindFact(snapshot_, name))
      PLEXUS_SET(before, snapshot_.PayloadOrEmpty(*known, NodeField::kProperties));
    PLEXUS_ASSIGN(const std::string over, formats::internal::PropertiesFromJson(patch));
    PLEXUS_ASSIGN(const std::string after, formats::internal::MergeProperties(before, over));
    SetOrClear(node, NodeField::kProperties, after);
    return {};
  }

  // `more`: members of the patch of its properties.
  Status SetObservations(NodeRef node, std::string_view name,
                         const std::vector<std::string>& observations, std::string more = {}) {
    const auto joined = JoinObservations({observations.begin(), observations.end()});
    SetOrClear(node, NodeField::kText, joined.text);
    std::string patch = "{" + more + (more.empty() ? "" : ",") + "\"observations\":";
    if (joined.plain)
      patch += "null";
    else
      AppendTexts(patch, observations);
    change_.nodes.emplace_back(name);
    return SetProperties(node, name, patch + "}");
  }

  Status CreateEntity(std::string_view name, std::string_view type,
                      const std::vector<std::string>& observations) {
    PLEXUS_ASSIGN(const NodeRef node, NodeOf(name));
    const auto known = snapshot_.schema().FindNodeKind(type);
    bool is_kind = known && snapshot_.schema().node_kind(*known).plane == Plane::kFact;
    if (!known) is_kind = IsNewKind<NodeKind>(type);
    change_.batch.UpsertNode(
        node, is_kind ? change_.batch.NodeKindNamed(type) : NodeKindRef(builtin::kNode));
    std::string more = "\"file_line\":" + std::to_string(place_++) + ",\"entityType\":";
    if (is_kind)
      more += "null";
    else
      AppendQuotedJson(more, type);
    return SetObservations(node, name, observations, more);
  }

  Status CreateEntities(const json::object& arguments) {
    std::string list = "[";
    std::set<std::string_view> created;
    for (const json::value& one : Member(arguments, "entities")->get_array()) {
      PLEXUS_TRY(CheckLimit(limit_));
      const json::object& entity = one.get_object();
      const std::string_view name = TextMember(entity, "name"),
                             type = TextMember(entity, "entityType");
      if (graph_.Find(name) || !created.insert(name).second) continue;
      const std::vector<std::string> observations = TextsOf(entity, "observations");
      PLEXUS_TRY(CreateEntity(name, type, observations));
      AppendEntity(list, name, type, observations);
    }
    list += ']';
    change_.reply = KnowledgeReply(list, "{\"entities\":" + list + "}");
    return {};
  }

  // An end of a relation, which need not be an entity.
  Result<NodeRef> EndOf(std::string_view name) {
    PLEXUS_ASSIGN(const NodeRef node, NodeOf(name));
    if (!FindFact(snapshot_, name) && ends_.insert(std::string(name)).second) {
      change_.batch.UpsertNode(node, NodeKindRef(builtin::kNode));
      change_.batch.ClearPayload(node, NodeField::kText);
      change_.batch.ClearPayload(node, NodeField::kProperties);
    }
    return node;
  }

  Status CreateRelations(const json::object& arguments) {
    std::string list = "[";
    std::set<std::tuple<std::string_view, std::string_view, std::string_view>> created;
    for (const json::value& one : Member(arguments, "relations")->get_array()) {
      PLEXUS_TRY(CheckLimit(limit_));
      const json::object& relation = one.get_object();
      const std::string_view from = TextMember(relation, "from"), to = TextMember(relation, "to"),
                             type = TextMember(relation, "relationType");
      if (graph_.HasRelation(from, to, type) || !created.emplace(from, to, type).second) continue;
      const auto held = formats::internal::EdgeOfRelation(
          snapshot_.schema(), from, to, type,
          [&](std::string_view name) { return IsNewKind<EdgeKind>(name); });
      PLEXUS_ASSIGN(const std::string properties,
                    formats::internal::PropertiesFromJson(
                        "{\"file_line\":" + std::to_string(place_++) + "}"));
      WriteBatch::EdgeInput edge;
      PLEXUS_ASSIGN(edge.source, EndOf(from));
      PLEXUS_ASSIGN(edge.target, EndOf(to));
      edge.kind = change_.batch.EdgeKindNamed(held.kind);
      edge.label = held.label;
      edge.properties = properties;
      change_.batch.Link(edge);
      change_.relations.emplace_back(from, to, type);
      AppendRelation(list, from, to, type);
    }
    list += ']';
    change_.reply = KnowledgeReply(list, "{\"relations\":" + list + "}");
    return {};
  }

  Status AddObservations(const json::object& arguments) {
    std::map<std::string, std::vector<std::string>> changed;
    std::string list = "[";
    for (const json::value& one : Member(arguments, "observations")->get_array()) {
      const std::string name(TextMember(one.get_object(), "entityName"));
      const KnowledgeEntity* entity = graph_.Find(name);
      if (!entity) return NotFound("Entity with name ", name, " not found");
      auto& held = changed.try_emplace(name, entity->observations).first->second;
      std::vector<std::string> added;
      for (std::string& text : TextsOf(one.get_object(), "contents")) {
        PLEXUS_TRY(CheckLimit(limit_));
        if (std::ranges::find(held, text) == held.end()) added.push_back(std::move(text));
      }
      held.insert(held.end(), added.begin(), added.end());
      BeginObject(list, {{"entityName", name}});
      list += ",\"addedObservations\":";
      AppendTexts(list, added);
      list += '}';
    }
    list += ']';
    change_.reply = KnowledgeReply(list, "{\"results\":" + list + "}");
    return SetChanged(changed);
  }

  Status SetChanged(const std::map<std::string, std::vector<std::string>>& changed) {
    for (const auto& [name, observations] : changed) {
      PLEXUS_TRY(CheckLimit(limit_));
      if (observations == graph_.Find(name)->observations) continue;
      PLEXUS_ASSIGN(const NodeRef node, NodeOf(name));
      PLEXUS_TRY(SetObservations(node, name, observations));
    }
    return {};
  }

  Status DeleteEntities(const json::object& arguments) {
    for (const std::string& name : TextsOf(arguments, "entityNames")) {
      PLEXUS_TRY(CheckLimit(limit_));
      const auto node = FindFact(snapshot_, name);
      if (!node) continue;
      change_.batch.RemoveNode(NodeRef::Id(*node));
      change_.nodes.push_back(name);
    }
    change_.reply = Done("Entities");
    return {};
  }

  Status DeleteObservations(const json::object& arguments) {
    std::map<std::string, std::vector<std::string>> changed;
    for (const json::value& one : Member(arguments, "deletions")->get_array()) {
      const std::string name(TextMember(one.get_object(), "entityName"));
      const KnowledgeEntity* entity = graph_.Find(name);
      if (!entity) continue;
      auto& held = changed.try_emplace(name, entity->observations).first->second;
      const std::vector<std::string> gone = TextsOf(one.get_object(), "observations");
      std::erase_if(held, [&](const std::string& text) {
        return !limit_.Up() && std::ranges::find(gone, text) != gone.end();
      });
      PLEXUS_TRY(CheckLimit(limit_));
    }
    change_.reply = Done("Observations");
    return SetChanged(changed);
  }

  Status DeleteRelations(const json::object& arguments) {
    const ArcFilter facts = FactArcs(snapshot_);
    for (const json::value& one : Member(arguments, "relations")->get_array()) {
      PLEXUS_TRY(CheckLimit(limit_));
      const json::object& relation = one.get_object();
      const std::string_view from = TextMember(relation, "from"), to = TextMember(relation, "to"),
                             type = TextMember(relation, "relationType");
      for (const Edge& edge : EdgesOfRelation(snapshot_, facts, from, to, type))
        change_.batch.Unlink(NodeRef::Id(edge.source), edge.kind, NodeRef::Id(edge.target),
                             snapshot_.string(edge.label));
      change_.relations.emplace_back(from, to, type);
    }
    change_.reply = Done("Relations");
    return {};
  }

  const KnowledgeGraph& graph_;
  Workspace& workspace_;
  const Snapshot& snapshot_;
  std::uint64_t place_;
  TimeLimit& limit_;
  std::optional<Schema> trial_;  // with the new kinds of this call
  std::set<std::string> ends_;
  KnowledgeChange change_;
};

}  // namespace

Result<KnowledgeChange> MakeKnowledgeChange(std::string_view tool, const json::object& arguments,
                                            const KnowledgeGraph& graph, Workspace& workspace,
                                            std::uint64_t place, TimeLimit& limit) {
  return Changer(graph, workspace, place, limit).Run(tool, arguments);
}

std::optional<std::string> JsonOfPart(const KnowledgePart& part, std::size_t most) {
  std::string json;
  json.reserve(std::min(most, BytesAbout(part)) + 1024);
  json = "{\"entities\":[";
  for (const KnowledgeEntity* entity : part.entities) {
    AppendEntity(json, entity->name, entity->type, entity->observations);
    if (json.size() > most) return std::nullopt;
  }
  json += "],\"relations\":[";
  for (const KnowledgeRelation* relation : part.relations) {
    AppendRelation(json, relation->from, relation->to, relation->type);
    if (json.size() > most) return std::nullopt;
  }
  return json + "]}";
}

std::string KnowledgeReply(std::string_view json, std::string_view structured) {
  std::string members;
  members.reserve(2 * json.size() + structured.size() + 128);
  members = R"("content":[{"type":"text","text":)";
  AppendQuotedIndented(members, json);
  members += R"(}],"structuredContent":)";
  members += structured;
  return members;
}

}  // namespace plexus::tools::server
