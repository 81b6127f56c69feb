// Node-link JSON: the fact plane for NetworkX, d3 and the browser.
//
// Attributes are spelled as import reads them: properties are next to the rest unless
// their name means something else there; those are in "props".
#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "engine/out_of_memory.h"
#include "engine/properties/json_writer.h"
#include "engine/properties/split_properties.h"
#include "storage/formats/base/column_value.h"
#include "storage/formats/base/export_selection.h"

namespace plexus::formats {

using namespace internal;
using namespace engine_internal;

namespace {

constexpr std::array<std::string_view, 6> kNodeNames = {"id",   "kind", "type",
                                                        "text", "tags", "props"};
constexpr std::array<std::string_view, 13> kEdgeNames = {
    "source",     "target",     "kind",        "type",     "weight", "label", "created_at",
    "created_by", "valid_from", "valid_until", "directed", "key",    "props"};

class NodeLinkWriter {
 public:
  NodeLinkWriter(const Snapshot& snapshot, const ExportOptions& options, ExportSink& sink)
      : s_(snapshot),
        options_(options),
        sink_(sink),
        out_(sink.text()),
        columns_(UsedColumns(snapshot)) {
    // Written even when no node has it: import would give nodes the current time.
    if (std::find(columns_.begin(), columns_.end(), builtin::kCreatedAt) == columns_.end())
      columns_.push_back(builtin::kCreatedAt);
  }

  // Whether edges have a direction, and whether two join the same nodes the same way.
  Status DetectKindOfGraph() {
    bool any = false, any_directed = false;
    NodeId source = kNoNode;
    std::vector<NodeId> targets;
    const auto end_row = [&] {
      std::sort(targets.begin(), targets.end());
      multigraph_ =
          multigraph_ || std::adjacent_find(targets.begin(), targets.end()) != targets.end();
      targets.clear();
    };
    std::ostringstream nowhere;
    ExportSink discarded(nowhere, nullptr, 0);
    PLEXUS_TRY(ForEachSelected(s_, options_, discarded, [&](const Edge& e) -> Status {
      if (e.source != source) end_row();
      source = e.source;
      targets.push_back(e.target);
      any = true;
      any_directed = any_directed || !s_.schema().edge_kind(e.kind).symmetric;
      return {};
    }));
    end_row();
    directed_ = any_directed || !any;
    return {};
  }

  Status Write() {
    PLEXUS_TRY(DetectKindOfGraph());
    out_ += "{\"directed\":";
    out_ += directed_ ? "true" : "false";
    out_ += ",\"multigraph\":";
    out_ += multigraph_ ? "true" : "false";
    out_ += ",\"graph\":{},\"nodes\":[";
    bool first = true;
    const Status nodes = ForEachIncluded(s_, options_, sink_, [&](NodeId v) -> Status {
      if (!std::exchange(first, false)) out_ += ',';
      PLEXUS_TRY(sink_.EndRow());
      return WriteNode(v);
    });
    PLEXUS_TRY(nodes);
    out_ += "],";
    AppendJsonString(out_, options_.edges_key);
    out_ += ":[";
    first = true;
    const Status edges = ForEachSelected(s_, options_, sink_, [&](const Edge& e) -> Status {
      if (!std::exchange(first, false)) out_ += ',';
      PLEXUS_TRY(sink_.EndRow());
      return WriteEdge(e);
    });
    PLEXUS_TRY(edges);
    out_ += "]}";
    PLEXUS_TRY(sink_.EndRow());
    return sink_.Finish();
  }

 private:
  // The properties, and the end of the object.
  Status EndElement(PayloadRef ref, std::span<const std::string_view> names, bool columns) {
    PLEXUS_ASSIGN(const std::string bytes, s_.PayloadOrEmpty(ref));
    PLEXUS_ASSIGN(const JsonProperties map, SplitProperties(bytes));
    std::string rest = "{";
    for (const auto& [name, json] : map) {
      const bool taken = std::find(names.begin(), names.end(), name) != names.end() ||
                         (columns && s_.schema().FindColumn(name));
      std::string& to = taken ? rest : out_;
      AppendJsonKey(to, name);
      to += json;
    }
    if (rest != "{") {
      AppendJsonKey(out_, "props");
      out_ += rest + "}";
    }
    out_ += '}';
    return {};
  }

  Status WriteNode(NodeId v) {
    out_ += '{';
    AppendJsonMember(out_, "id", s_.key(v));
    if (s_.node_kind(v) != builtin::kNode)
      AppendJsonMember(out_, "kind", s_.schema().node_kind(s_.node_kind(v)).name);
    PLEXUS_ASSIGN(const std::string text, s_.PayloadOrEmpty(s_.payload_ref(v, NodeField::kText)));
    if (!text.empty()) AppendJsonMember(out_, "text", text);
    if (const auto tags = Tags(s_, v); !tags.empty()) {
      AppendJsonKey(out_, "tags");
      AppendJsonList(out_, tags, [&](std::string_view tag) { AppendJsonString(out_, tag); });
    }
    for (ColumnId c : columns_) WriteColumn(c, v);
    return EndElement(s_.payload_ref(v, NodeField::kProperties), kNodeNames, true);
  }

  void WriteColumn(ColumnId c, NodeId v) {
    const Column& column = s_.schema().columns()[c];
    const bool has =
        VisitColumn(s_, v, c, [&](auto value) { AppendJsonMember(out_, column.name, value); });
    if (has || c != builtin::kCreatedAt) return;
    AppendJsonKey(out_, column.name);
    out_ += "null";
  }

  Status WriteEdge(const Edge& e) {
    const EdgeKind& kind = s_.schema().edge_kind(e.kind);
    out_ += '{';
    AppendJsonMember(out_, "source", s_.key(e.source));
    AppendJsonMember(out_, "target", s_.key(e.target));
    AppendJsonMember(out_, "kind", kind.name);
    AppendJsonMember(out_, "weight", e.weight);
    if (e.label || multigraph_) AppendJsonMember(out_, "label", s_.string(e.label));
    if (multigraph_) {  // a number of its own among the edges of this source and target
      if (e.source != key_source_) keys_.clear();
      key_source_ = e.source;
      AppendJsonMember(out_, "key", keys_[e.target]++);
    }
    if (kind.symmetric && directed_) {
      AppendJsonKey(out_, "directed");
      out_ += "false";
    }
    const auto time = [&](std::string_view name, std::int64_t ms) {
      if (ms != kNoTime) AppendJsonMember(out_, name, ms);
    };
    time("created_at", e.created_at);
    if (e.created_by) AppendJsonMember(out_, "created_by", s_.string(e.created_by));
    time("valid_from", e.valid_from);
    time("valid_until", e.valid_until);
    return EndElement(e.properties, kEdgeNames, false);
  }

  const Snapshot& s_;
  const ExportOptions& options_;
  ExportSink& sink_;
  std::string& out_;
  std::vector<ColumnId> columns_;
  bool directed_ = true, multigraph_ = false;
  NodeId key_source_ = kNoNode;
  std::map<NodeId, std::uint32_t> keys_;
};

}  // namespace

Status ExportNodeLink(const Snapshot& s, std::ostream& stream, const ExportOptions& options) try {
  ExportSink sink(stream, options.progress, s.node_count());
  return NodeLinkWriter(s, options, sink).Write();
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::formats
