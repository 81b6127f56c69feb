// JsonExporter: the sections of a JSON lines export, in their order.
//
// Fact nodes come by id, which import keeps; everything whose ids another import
// may give otherwise (index nodes, parallel labels, removals) comes by name. So the
// text of a graph depends on its content, not on its past. Internal to storage/formats.
#pragma once

#include <span>
#include <vector>

#include "engine/properties/json_writer.h"
#include "engine/properties/split_properties.h"
#include "storage/formats/base/export_selection.h"
#include "storage/formats/export.h"

namespace plexus::formats::internal {

class JsonExporter {
 public:
  JsonExporter(const Snapshot& snapshot, std::ostream& out, Progress* progress)
      : s_(snapshot), sink_(out, progress, snapshot.node_count()) {}

  Status Run();

 private:
  // json_definitions.cc
  Status WriteDefinitions();
  Status WriteEdgeKind(const EdgeKind& kind);

  // json_exporter.cc
  void FindSpecialNodes();
  void SortByKey(std::vector<NodeId>& nodes) const;
  bool Lives(NodeId node) const;  // alive, or dead with arcs that survived
  bool IsImplied(NodeId tag) const;
  Status WriteNode(NodeId node);
  Status WriteFactEdges();
  Status WriteEdge(const Edge& edge);
  Status WriteIndexEdges();
  Status WriteVectors();
  Status WriteRemovals();
  void AppendColumns(NodeId node, bool skip_created_at);
  Status AppendPayloads(NodeId node);
  Status AppendProperties(std::string_view properties);
  // The text of a node under that name, where there is one; `of` says whose it is, and "is" or
  // "are".
  template <class... Parts>
  Status AppendText(NodeId node, std::string_view name, const Parts&... of) {
    PLEXUS_ASSIGN(const std::string text, s_.PayloadOrEmpty(node, NodeField::kText));
    if (!IsValidUtf8(text)) return Unsupported("export: ", of..., " not valid UTF-8");
    if (!text.empty()) engine_internal::AppendJsonMember(sink_.text(), name, text);
    return {};
  }
  void AppendTags(NodeId node);
  void AppendName(NodeId node, NodeKindId expected);
  // Edges of a row, parallel ones by the text of their label.
  std::vector<Edge> Row(NodeId node, const ArcFilter& filter) const;
  Result<std::string> EdgeProperties(const Edge& edge) const;
  bool IsPlain(const Edge& edge) const;  // nothing but its ends (and its label)

  // json_export_events.cc
  struct EventShape {
    bool standard = false;       // fits an event or outcome line
    NodeId event = kNoNode;      // of an outcome
    bool by_label_time = false;  // an outcome's name is made of its time
    engine_internal::JsonProperties attributes, props;
  };
  Result<EventShape> ShapeOfEvent(NodeId node) const;
  Result<EventShape> ShapeOfOutcome(NodeId node) const;
  Status WriteEvent(NodeId node, const EventShape& shape);
  Status WriteOutcome(NodeId node, const EventShape& shape);
  Status WriteEventsAndOutcomes();
  Status AppendMembers(NodeId event);
  Result<bool> IsWrittenByMember(const Edge& edge) const;
  // Takes the attributes of these names out of the properties. Whether a line holds all of them.
  static bool TakeAttributes(std::span<const std::string_view> names, EventShape& shape);
  void AppendMap(const engine_internal::JsonProperties& map);
  void AppendProps(const engine_internal::JsonProperties& map);

  const Snapshot& s_;
  ExportSink sink_;
  std::vector<NodeId> dead_;               // removed, but with arcs
  std::vector<NodeId> index_nodes_;        // by key; without standard events and outcomes
  std::vector<NodeId> events_, outcomes_;  // by id, standard ones
  std::vector<std::uint8_t> standard_;     // by node id: 1 event, 2 outcome; empty if none
};

}  // namespace plexus::formats::internal
