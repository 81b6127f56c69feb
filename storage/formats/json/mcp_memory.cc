// Entities and relations to nodes and edges; see mcp_memory.h.
#include "storage/formats/json/mcp_memory.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "engine/properties/json_writer.h"
#include "engine/properties/properties.h"
#include "storage/formats/base/json_tree.h"
#include "storage/formats/base/properties.h"
#include "storage/formats/base/text.h"
#include "storage/formats/json/json_lines.h"
#include "storage/formats/pipeline/batch_builder.h"

namespace plexus::formats::internal {

namespace {

Result<std::string_view> Text(const JsonParser& json, const JsonValue& root,
                              std::string_view name) {
  const JsonValue* value = json.Find(root, name);
  if (!value) return Invalid("no \"", name, "\"");
  if (!value->is_string()) return WrongType(*value, "a string");
  return value->text;
}

// Members that the record's sort does not know, as FlexBuffers; "" for none.
Result<std::string> Others(const JsonParser& json, const JsonValue& root,
                           std::span<const std::string_view> known) {
  std::vector<const JsonValue*> members;
  for (const JsonValue& m : json.children(root))
    if (std::find(known.begin(), known.end(), m.key) == known.end()) members.push_back(&m);
  return EncodeProperties(json, members);
}

// The observations as text, and as a list where lines cannot separate them.
struct Observations {
  std::string text;
  std::string list;  // JSON, "null" when the lines of the text suffice
};

Result<Observations> ReadObservations(const JsonParser& json, const JsonValue& root) {
  const JsonValue* list = json.Find(root, "observations");
  if (!list) return Invalid("no \"observations\"");
  if (list->type != JsonType::kArray) return WrongType(*list, "an array of strings");
  std::vector<std::string_view> items;
  Observations out;
  for (const JsonValue& item : json.children(*list)) {
    if (!item.is_string())
      return Invalid("an observation must be a string, got ", JsonTypeName(item.type));
    items.push_back(item.text);
  }
  ObservationText joined = JoinObservations(items);
  out.text = std::move(joined.text);
  out.list = "null";
  if (!joined.plain) {
    out.list.clear();
    AppendJsonList(out.list, items,
                   [&](std::string_view item) { AppendJsonString(out.list, item); });
  }
  if (out.text.size() > Limits::kMaxPayloadBytes)
    return Invalid("observations over ", Limits::kMaxPayloadBytes, " bytes");
  return out;
}

// The maps of an entity and of a relation. Most hold nothing of their own, and need no JSON on the
// way. `type`: where it is no kind.
Result<std::string> EntityPatch(std::uint64_t line, std::optional<std::string_view> type,
                                const Observations& observations, const std::string& others) {
  if (!type && others.empty() && observations.list == "null")
    return PropertyMapBuilder()
        .Null("entityType")
        .Int(kFileLine, static_cast<std::int64_t>(line))
        .Null("observations")
        .Finish();
  PLEXUS_ASSIGN(JsonProperties patch, SplitProperties(others));
  patch["observations"] = observations.list;
  patch[std::string(kFileLine)] = std::to_string(line);
  patch["entityType"] = type ? JsonString(*type) : "null";
  return JoinProperties(patch);
}

Result<std::string> RelationProperties(std::uint64_t line, const std::string& others) {
  if (others.empty())
    return PropertyMapBuilder().Int(kFileLine, static_cast<std::int64_t>(line)).Finish();
  PLEXUS_ASSIGN(JsonProperties map, SplitProperties(others));
  map[std::string(kFileLine)] = std::to_string(line);
  return JoinProperties(map);
}

Status AddEntity(const JsonParser& json, const JsonValue& root, std::uint64_t line,
                 BatchBuilder& builder) {
  static constexpr std::array<std::string_view, 5> kKnown = {"type", "name", "entityType",
                                                             "observations", kFileLine};
  PLEXUS_ASSIGN(const std::string_view key, Text(json, root, "name"));
  PLEXUS_ASSIGN(std::string_view type, Text(json, root, "entityType"));
  type = builder.KindCalled(type);
  PLEXUS_ASSIGN(const Observations observations, ReadObservations(json, root));
  PLEXUS_ASSIGN(const NodeName name, builder.Name(key));
  if (name.is_index()) return Invalid("an entity's name must not hold U+001F");
  if (type.size() > Limits::kMaxStringBytes)
    return Invalid("\"entityType\" is over ", Limits::kMaxStringBytes, " bytes");
  const auto known = builder.schema().FindNodeKind(type);
  const bool is_kind = known ? builder.schema().node_kind(*known).plane == Plane::kFact
                             : builder.CheckNew<NodeKind>(type).has_value();
  PLEXUS_ASSIGN(const std::string others, Others(json, root, kKnown));
  PLEXUS_ASSIGN(
      std::string patch_bytes,
      EntityPatch(line, is_kind ? std::nullopt : std::optional(type), observations, others));

  const NodeRef node = builder.Ref(name);
  PLEXUS_TRY(builder.Upsert(name, node, is_kind ? type : std::string_view("node")));
  std::string content(type);
  for (const std::string_view part :
       {std::string_view(observations.text), std::string_view(observations.list),
        std::string_view(others)})
    (content += '\0') += part;
  builder.NoteNodeValue(name, "record", content);
  PutPayload(builder.batch(), node, NodeField::kText, observations.text);
  return builder.PatchProperties(name, node, std::move(patch_bytes), false);
}

Status AddRelation(const JsonParser& json, const JsonValue& root, std::uint64_t line,
                   BatchBuilder& builder) {
  static constexpr std::array<std::string_view, 5> kKnown = {"type", "from", "to", "relationType",
                                                             kFileLine};
  PLEXUS_ASSIGN(const std::string_view from, Text(json, root, "from"));
  PLEXUS_ASSIGN(const std::string_view to, Text(json, root, "to"));
  PLEXUS_ASSIGN(std::string_view name, Text(json, root, "relationType"));
  name = builder.KindCalled(name);
  PLEXUS_ASSIGN(const std::string others, Others(json, root, kKnown));
  PLEXUS_ASSIGN(const std::string properties, RelationProperties(line, others));
  for (const std::string_view end : {from, to}) {
    PLEXUS_ASSIGN(const NodeName node, builder.Name(end));
    if (node.is_index()) return Invalid("an entity's name must not hold U+001F");
  }
  const RelationEdge relation = EdgeOfRelation(
      builder.schema(), from, to, name,
      [&](std::string_view kind) { return builder.CheckNew<EdgeKind>(kind).has_value(); });
  if (relation.label.size() > Limits::kMaxStringBytes)
    return Invalid("\"relationType\" is over ", Limits::kMaxStringBytes, " bytes");
  WriteBatch::EdgeInput edge;
  edge.label = relation.label;
  edge.properties = properties;
  PLEXUS_ASSIGN(const BatchBuilder::EdgeEnds ends, builder.Ends(from, to, relation.kind));
  return builder.Link(ends, edge, std::string_view(others));
}

Status AddObject(JsonParser& json, const JsonValue& root, std::uint64_t number,
                 BatchBuilder& builder) {
  PLEXUS_ASSIGN(const std::string_view type, Text(json, root, "type"));
  number += builder.context().lines_before;  // of an array: its place there
  if (type == "entity") return AddEntity(json, root, number, builder);
  if (type == "relation") return AddRelation(json, root, number, builder);
  ++builder.piece().passed_over;  // the server loads a file with such lines, too
  builder.Warn("type", "a line of \"type\" \"" + std::string(type.substr(0, 80)) +
                           "\", no entity and no relation, is passed over");
  return {};
}

}  // namespace

std::size_t McpMemoryParser::Parse(std::string_view text, std::uint64_t first_line,
                                   const ParseContext& context, Piece& piece) const {
  return TakeObjectLines(text, first_line, context, piece, AddObject);
}

bool BeginsMcpMemoryLine(std::string_view line) {
  std::string begin;  // without blanks
  for (const char c : line.substr(0, 256))
    if (c != ' ' && c != '\t') begin += c;
  return begin.starts_with(R"({"type":"entity","name":)") ||
         begin.starts_with(R"({"type":"relation","from":)");
}

bool IsMcpMemoryRecord(const JsonParser& json, const JsonValue& object) {
  const JsonValue* type = json.Find(object, "type");
  return type && type->is_string() &&
         ((type->text == "entity" && json.Find(object, "name")) ||
          (type->text == "relation" && json.Find(object, "relationType")));
}

}  // namespace plexus::formats::internal
