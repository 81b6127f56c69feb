// Facts and their edges as the MCP memory server's file; what the labels mean is in mcp_memory.h.
#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/out_of_memory.h"
#include "engine/properties/json_writer.h"
#include "engine/properties/split_properties.h"
#include "storage/formats/base/export_selection.h"
#include "storage/formats/base/mcp_records.h"
#include "storage/formats/base/text.h"

namespace plexus::formats {

using namespace internal;
using namespace engine_internal;

namespace {

constexpr std::uint64_t kNoLine = std::numeric_limits<std::uint64_t>::max();

// Takes "file_line" out of the map; kNoLine when none exists.
std::uint64_t TakeLine(JsonProperties& map) {
  const auto entry = map.extract(std::string(kFileLine));
  std::uint64_t line = kNoLine;
  if (!entry) return line;
  return ReadWhole(entry.mapped(), line) ? line : kNoLine;
}

std::string TakeOr(JsonProperties& map, std::string_view name, std::string otherwise) {
  auto entry = map.extract(std::string(name));
  return entry ? std::move(entry.mapped()) : otherwise;
}

std::string ObservationList(std::string_view text) {
  std::string json;
  AppendJsonList(json, SplitObservations(text),
                 [&](std::string_view one) { AppendJsonString(json, one); });
  return json;
}

class McpMemoryWriter {
 public:
  McpMemoryWriter(const Snapshot& snapshot, const ExportOptions& options, ExportSink& sink)
      : s_(snapshot), options_(options), sink_(sink), out_(sink.text()) {}

  Status Write() {
    PLEXUS_TRY(ReadRelations());
    PLEXUS_TRY(WriteEntities());
    PLEXUS_TRY(WriteRelations());
    return sink_.Finish();
  }

 private:
  Result<JsonProperties> Properties(PayloadRef ref) const {
    PLEXUS_ASSIGN(const std::string bytes, s_.PayloadOrEmpty(ref));
    return SplitProperties(bytes);
  }

  Status WriteEntities() {
    struct Entity {
      std::uint64_t line;
      NodeId node;
      bool mentioned_only;  // by relations
      auto operator<=>(const Entity&) const = default;
    };
    std::vector<Entity> entities;
    bool from_file =
        std::ranges::any_of(relations_, [](const Relation& r) { return r.line != kNoLine; });
    for (NodeId v = 0; v < s_.node_count(); ++v) {
      if (!Included(s_, options_, v)) continue;
      PLEXUS_ASSIGN(JsonProperties map, Properties(s_.payload_ref(v, NodeField::kProperties)));
      const std::uint64_t line = TakeLine(map);
      from_file |= line != kNoLine;
      const bool bare = line == kNoLine && map.empty() && s_.node_kind(v) == builtin::kNode &&
                        !s_.payload_ref(v, NodeField::kText);
      entities.push_back({line, v, bare});
    }
    if (from_file) std::erase_if(entities, [](const Entity& e) { return e.mentioned_only; });
    std::sort(entities.begin(), entities.end());
    for (const Entity& entity : entities) {
      PLEXUS_TRY(sink_.EndNode());
      PLEXUS_TRY(WriteEntity(entity.node));
    }
    return {};
  }

  Status WriteEntity(NodeId v) {
    PLEXUS_ASSIGN(JsonProperties map, Properties(s_.payload_ref(v, NodeField::kProperties)));
    PLEXUS_ASSIGN(const std::string text, s_.PayloadOrEmpty(s_.payload_ref(v, NodeField::kText)));
    if (!IsValidUtf8(text))
      return Unsupported("export: the text of '", s_.key(v), "' is not valid UTF-8");
    TakeLine(map);
    const std::string type =
        TakeOr(map, "entityType", JsonString(s_.schema().node_kind(s_.node_kind(v)).name));
    const std::string observations = TakeOr(map, "observations", ObservationList(text));
    out_ += R"({"type":"entity")";
    AppendJsonMember(out_, "name", s_.key(v));
    out_ += R"(,"entityType":)" + type + R"(,"observations":)" + observations;
    AppendRest(out_, map);
    return sink_.EndRow();
  }

  // Properties besides what the server knows, which it passes over.
  static void AppendRest(std::string& json, const JsonProperties& map) {
    for (const auto& [name, value] : map) {
      const bool known = name == "type" || name == "name" || name == "from" || name == "to" ||
                         name == "relationType";
      if (known) continue;
      AppendJsonKey(json, name);
      json += value;
    }
    json += '}';
  }

  struct Relation {
    std::uint64_t line;
    std::size_t place;  // in the order of ids
    std::string json;
    bool operator<(const Relation& o) const {
      return std::tie(line, place) < std::tie(o.line, o.place);
    }
  };

  Status ReadRelations() {
    return ForEachSelected(s_, options_, sink_, [&](const Edge& e) -> Status {
      PLEXUS_ASSIGN(JsonProperties map, Properties(e.properties));
      const std::uint64_t line = TakeLine(map);
      relations_.push_back({line, relations_.size(), Spelled(e, map)});
      return {};
    });
  }

  Status WriteRelations() {
    std::sort(relations_.begin(), relations_.end());
    for (const Relation& relation : relations_) {
      out_ += relation.json;
      PLEXUS_TRY(sink_.EndRow());
    }
    return {};
  }

  std::string Spelled(const Edge& e, const JsonProperties& map) const {
    const auto [from, to, name] = RelationOfEdge(s_, e);
    std::string json = R"({"type":"relation")";
    AppendJsonMember(json, "from", from);
    AppendJsonMember(json, "to", to);
    AppendJsonMember(json, "relationType", name);
    AppendRest(json, map);
    return json;
  }

  const Snapshot& s_;
  const ExportOptions& options_;
  ExportSink& sink_;
  std::string& out_;
  std::vector<Relation> relations_;
};

}  // namespace

Status ExportMcpMemory(const Snapshot& s, std::ostream& stream, const ExportOptions& options) try {
  ExportSink sink(stream, options.progress, s.node_count());
  return McpMemoryWriter(s, options, sink).Write();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::formats
