// Nodes, edges, vectors and removals of a JSON lines export.
#include "storage/formats/json/json_exporter.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/out_of_memory.h"
#include "engine/properties/json_writer.h"
#include "engine/properties/split_properties.h"
#include "engine/vectors/vector_view.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/column_value.h"
#include "storage/formats/base/properties.h"

namespace plexus::formats {

using namespace internal;
using namespace engine_internal;

Status ExportJsonLines(const Snapshot& snapshot, std::ostream& out,
                       const ExportOptions& options) try {
  return JsonExporter(snapshot, out, options.progress).Run();
}
PLEXUS_CATCH_NO_MEMORY

Status JsonExporter::Run() {
  // Before anything is written: what cannot be read is refused as a whole.
  for (std::size_t i = 0; i < s_.schema().spaces().size(); ++i)
    PLEXUS_TRY(s_.vectors(static_cast<SpaceId>(i)));
  PLEXUS_TRY(WriteDefinitions());
  FindSpecialNodes();
  for (NodeId v = 0; v < s_.node_count(); ++v) {
    if (s_.is_fact(v) && Lives(v)) PLEXUS_TRY(WriteNode(v));
    PLEXUS_TRY(sink_.EndNode());
  }
  // Decides which index nodes are written below.
  for (const bool outcomes : {false, true}) {
    std::vector<NodeId>& standard = outcomes ? outcomes_ : events_;
    for (const NodeId v : std::exchange(standard, {})) {
      PLEXUS_ASSIGN(const EventShape shape, outcomes ? ShapeOfOutcome(v) : ShapeOfEvent(v));
      (shape.standard ? standard : index_nodes_).push_back(v);
      if (shape.standard) standard_[v] = outcomes ? 2 : 1;
    }
  }
  SortByKey(index_nodes_);
  for (NodeId v : index_nodes_)
    if (!IsImplied(v)) PLEXUS_TRY(WriteNode(v));
  PLEXUS_TRY(WriteFactEdges());
  PLEXUS_TRY(WriteEventsAndOutcomes());
  PLEXUS_TRY(WriteIndexEdges());
  PLEXUS_TRY(WriteVectors());
  PLEXUS_TRY(WriteRemovals());
  return sink_.Finish();
}

void JsonExporter::SortByKey(std::vector<NodeId>& nodes) const {
  std::ranges::sort(nodes, {}, [&](NodeId v) { return s_.key(v); });
}

bool JsonExporter::Lives(NodeId node) const {
  return s_.alive(node) || std::binary_search(dead_.begin(), dead_.end(), node);
}

void JsonExporter::FindSpecialNodes() {
  const ArcFilter all = ArcFilter::All();
  for (NodeId v = 0; v < s_.node_count(); ++v) {
    if (!s_.alive(v)) {
      if (s_.Degree(Direction::kOut, v, all) + s_.Degree(Direction::kIn, v, all) == 0) continue;
      dead_.push_back(v);
    }
    if (s_.is_fact(v)) continue;
    const NodeKindId kind = s_.node_kind(v);
    (kind == builtin::kEvent     ? events_
     : kind == builtin::kOutcome ? outcomes_
                                 : index_nodes_)
        .push_back(v);
  }
  if (!events_.empty() || !outcomes_.empty()) standard_.assign(s_.node_count(), 0);
}

// A tag that some node's "tags" names and that has nothing more to write.
bool JsonExporter::IsImplied(NodeId tag) const {
  if (s_.node_kind(tag) != builtin::kTag || !s_.alive(tag)) return false;
  if (s_.payload_ref(tag, NodeField::kText) || s_.payload_ref(tag, NodeField::kProperties))
    return false;
  for (std::size_t c = 0; c < s_.schema().columns().size(); ++c) {
    const Column& column = s_.schema().columns()[c];
    const auto id = static_cast<ColumnId>(c);
    if (!column.name.empty() && id != builtin::kCreatedAt &&
        s_.column_bits(id, tag) != AbsentBits(column.type))
      return false;
  }
  bool named = false;
  s_.ForEachArc(Direction::kIn, tag, ArcFilter::Kind(s_.schema(), builtin::kHasTag),
                [&](const Arc& arc) {
                  named = s_.is_fact(arc.neighbor) && s_.edge(arc, tag).label == 0;
                  return !named;
                });
  return named;
}

std::vector<Edge> JsonExporter::Row(NodeId node, const ArcFilter& filter) const {
  std::vector<Edge> edges;
  bool labels = false;
  s_.ForEachArc(Direction::kOut, node, filter, [&](const Arc& arc) {
    // A symmetric edge is in both rows; it is written with its smaller end.
    if (arc.neighbor < node && s_.schema().edge_kind(arc.kind).symmetric) return;
    edges.push_back(s_.edge(arc, node));
    labels |= edges.back().label != 0;
  });
  if (labels)
    std::sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) {
      return std::tuple(a.kind, a.target, s_.string(a.label)) <
             std::tuple(b.kind, b.target, s_.string(b.label));
    });
  return edges;
}

// What refers to a purged node is not written, even if it was written after the purge, but for the
// rank of a member.
Result<std::string> JsonExporter::EdgeProperties(const Edge& e) const {
  if (s_.purged(e.source) || (s_.purged(e.target) && e.kind != builtin::kMember))
    return std::string();
  Result<std::string> bytes = s_.PayloadOrEmpty(e.properties);
  if (bytes && s_.purged(e.target)) return engine_internal::RankAlone(*bytes);
  return bytes;
}

bool JsonExporter::IsPlain(const Edge& e) const {
  return e.weight == 1 && e.created_by == 0 && e.valid_from == kNoTime &&
         e.valid_until == kNoTime && !e.properties;
}

void JsonExporter::AppendName(NodeId node, NodeKindId expected) {
  const std::string_view key = s_.key(node);
  AppendJsonString(sink_.text(),
                   !s_.is_fact(node) && s_.node_kind(node) == expected ? DisplayName(key) : key);
}

void JsonExporter::AppendColumns(NodeId node, bool skip_created_at) {
  std::string& out = sink_.text();
  for (std::size_t c = 0; c < s_.schema().columns().size(); ++c) {
    const Column& column = s_.schema().columns()[c];
    const auto id = static_cast<ColumnId>(c);
    if (column.name.empty() || (skip_created_at && id == builtin::kCreatedAt)) continue;
    const bool has =
        VisitColumn(s_, node, id, [&](auto value) { AppendJsonMember(out, column.name, value); });
    // A node that is new to the importing graph would be given a time.
    if (!has && id == builtin::kCreatedAt) out += ",\"created_at\":null";
  }
}

Status JsonExporter::AppendPayloads(NodeId node) {
  PLEXUS_TRY(AppendText(node, "text", "the text of node '", s_.key(node), "' is"));
  PLEXUS_ASSIGN(std::string properties, s_.PayloadOrEmpty(node, NodeField::kProperties));
  return AppendProperties(properties);
}

// "props", where there are any.
Status JsonExporter::AppendProperties(std::string_view properties) {
  if (properties.empty()) return {};
  PLEXUS_ASSIGN(const std::string json, JsonFromProperties(properties));
  if (json == "{}") return {};
  AppendJsonKey(sink_.text(), "props");
  sink_.text() += json;
  return {};
}

void JsonExporter::AppendTags(NodeId node) {
  std::vector<std::string_view> tags;
  s_.ForEachArc(Direction::kOut, node, ArcFilter::Kind(s_.schema(), builtin::kHasTag),
                [&](const Arc& arc) {
                  if (s_.edge(arc, node).label == 0)
                    tags.push_back(DisplayName(s_.key(arc.neighbor)));
                });
  if (tags.empty()) return;
  std::sort(tags.begin(), tags.end());
  std::string& out = sink_.text();
  AppendJsonKey(out, "tags");
  AppendJsonList(out, tags, [&](std::string_view tag) { AppendJsonString(out, tag); });
}

Status JsonExporter::WriteNode(NodeId node) {
  std::string& out = sink_.text();
  const NodeKindId kind = s_.node_kind(node);
  out += '{';
  AppendJsonKey(out, "node");
  AppendName(node, kind);
  AppendJsonMember(out, "kind", s_.schema().node_kind(kind).name);
  if (s_.alive(node)) {
    PLEXUS_TRY(AppendPayloads(node));
    if (s_.is_fact(node)) AppendTags(node);
    AppendColumns(node, false);
  }
  out += '}';
  return sink_.EndRow();
}

Status JsonExporter::WriteEdge(const Edge& e) {
  const EdgeKind& kind = s_.schema().edge_kind(e.kind);
  std::string& out = sink_.text();
  out += '{';
  AppendJsonKey(out, "edge");
  out += '[';
  AppendName(e.source, kind.source_kind);
  out += ',';
  AppendName(e.target, kind.target_kind);
  out += ']';
  AppendJsonMember(out, "kind", kind.name);
  AppendJsonMember(out, "weight", e.weight + 0.0f);  // import makes 0 of -0
  if (e.label) AppendJsonMember(out, "label", s_.string(e.label));
  AppendJsonMember(out, "created_at", e.created_at);
  if (e.created_by) AppendJsonMember(out, "created_by", s_.string(e.created_by));
  if (e.valid_from != kNoTime) {
    AppendJsonMember(out, "valid_from", e.valid_from);
  }
  if (e.valid_until != kNoTime) AppendJsonMember(out, "valid_until", e.valid_until);
  PLEXUS_ASSIGN(std::string properties, EdgeProperties(e));
  PLEXUS_TRY(AppendProperties(properties));
  out += '}';
  return sink_.EndRow();
}

Status JsonExporter::WriteFactEdges() {
  const ArcFilter all = ArcFilter::All();
  for (NodeId v = 0; v < s_.node_count(); ++v) {
    if (!s_.is_fact(v)) continue;
    for (const Edge& e : Row(v, all))
      if (s_.is_fact(e.target)) PLEXUS_TRY(WriteEdge(e));
  }
  return {};
}

// Edges with an index node at an end, unless another record holds all of them.
Status JsonExporter::WriteIndexEdges() {
  const ArcFilter all = ArcFilter::All();
  std::vector<Edge> edges;
  Status status;
  for (NodeId v = 0; v < s_.node_count(); ++v) {
    for (Edge e : Row(v, all)) {
      if (s_.is_fact(e.source) && s_.is_fact(e.target)) continue;
      if (e.kind == builtin::kHasTag && s_.is_fact(e.source) && e.label == 0 && IsPlain(e))
        continue;
      if (e.kind == builtin::kMember && !standard_.empty() && standard_[e.source] == 1) {
        PLEXUS_ASSIGN(bool written_before, IsWrittenByMember(e));
        if (written_before) continue;
      }
      if (e.kind == builtin::kLabels && !standard_.empty() && standard_[e.source] == 2) continue;
      // Ends of a symmetric edge by key: their ids depend on the past.
      if (s_.schema().edge_kind(e.kind).symmetric && s_.key(e.target) < s_.key(e.source))
        std::swap(e.source, e.target);
      edges.push_back(e);
    }
  }
  std::sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) {
    return std::tuple(s_.key(a.source), a.kind, s_.key(a.target), s_.string(a.label)) <
           std::tuple(s_.key(b.source), b.kind, s_.key(b.target), s_.string(b.label));
  });
  for (const Edge& e : edges) PLEXUS_TRY(WriteEdge(e));
  return {};
}

Status JsonExporter::WriteVectors() {
  std::vector<NodeId> index_nodes;
  for (std::size_t i = 0; i < s_.schema().spaces().size(); ++i) {
    const VectorView* space = s_.space(static_cast<SpaceId>(i));
    if (!space) continue;
    VectorBuffer buffer;
    auto write = [&](NodeId node) -> Status {
      std::string& out = sink_.text();
      out += '{';
      AppendJsonKey(out, "vector");
      AppendName(node, kNoNodeKind);
      AppendJsonMember(out, "space", s_.schema().spaces()[i].name);
      AppendJsonKey(out, "values");
      AppendJsonList(out, space->vector(node, buffer), [&](float f) { AppendNumber(out, f); });
      out += '}';
      return sink_.EndRow();
    };
    index_nodes.clear();
    for (NodeId v = 0; v < s_.node_count(); ++v) {
      if (!s_.alive(v) || !space->has(v)) continue;
      if (!s_.is_fact(v))
        index_nodes.push_back(v);
      else
        PLEXUS_TRY(write(v));
    }
    SortByKey(index_nodes);
    for (NodeId v : index_nodes) PLEXUS_TRY(write(v));
  }
  return {};
}

// Dead nodes that events still name: they were written as if alive, now they are removed.
Status JsonExporter::WriteRemovals() {
  std::vector<NodeId> dead = dead_;
  SortByKey(dead);
  for (NodeId v : dead) {
    sink_.text() += '{';
    AppendJsonMember(sink_.text(), s_.purged(v) ? "purge" : "remove", s_.key(v));
    sink_.text() += '}';
    PLEXUS_TRY(sink_.EndRow());
  }
  return {};
}

}  // namespace plexus::formats
