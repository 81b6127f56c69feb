// JsonExporter: the sections of a JSON lines export, in their order.
//
// Fact nodes come by id, which import keeps; everything whose ids another import
// may give otherwise (index nodes, parallel labels, removals) comes by name. So the
// text of a graph depends on its content, not on its past. Internal to storage/formats.
#pragma once

#include <span>
#include <vector>

#include "engine/properties/split_properties.h"
#include "storage/formats/base/export_sink.h"
#include "storage/formats/export.h"

namespace plexus::formats::internal {

class JsonExporter {
 public:
  JsonExporter(const Snapshot& snapshot, std::ostream& out, Progress* progress)
      : s_(snapshot), sink_(out, progress, snapshot.node_count()) {}

  Status Run();

 private:
  // json_export_definitions.cc
  Status WriteDefinitions();
  Status WriteEdgeKind(const EdgeKind& kind);

  // json_exporter.cc
  void FindSpecialNodes();
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
  void AppendTags(NodeId node);
  void AppendName(NodeId node, NodeKindId expected);
  // Edges of a row, parallel ones by the text of their label.
  std::vector<Edge> Row(NodeId node, const ArcFilter& filter) const;
  Result<std::string> EdgeProperties(const Edge& edge) const;
  bool IsPlain(const Edge& edge) const;  // nothing but its ends (and its label)

  // json_export_events.cc
  struct EventShape {
    bool standard = false;  // fits an event or outcome line
    engine_internal::JsonProperties attributes, props;
  };
  Result<EventShape> ShapeOfEvent(NodeId node) const;
  Result<EventShape> ShapeOfOutcome(NodeId node, NodeId& event, bool& by_label_time) const;
  Status WriteEvent(NodeId node, const EventShape& shape);
  Status WriteOutcome(NodeId node, NodeId event, bool by_label_time, const EventShape& shape);
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
