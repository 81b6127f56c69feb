// What a selective export writes: which nodes, which edges, and what refers to them.
// Shared by the formats that show the fact plane to other programs. Internal to
// storage/formats.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/state.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/export_sink.h"
#include "storage/formats/base/properties.h"
#include "storage/formats/export.h"

namespace plexus::formats::internal {

inline bool Included(const Snapshot& s, const ExportOptions& options, NodeId node) {
  return s.alive(node) && s.is_fact(node) && (!options.include || options.include(node));
}

// A property map as JSON, "" when it is empty.
inline Result<std::string> PropertiesJson(const Snapshot& s, PayloadRef ref) {
  PLEXUS_ASSIGN(const std::string bytes, s.PayloadOrEmpty(ref));
  PLEXUS_ASSIGN(std::string json, JsonFromProperties(bytes));
  return json.size() == 2 ? std::string() : json;  // "{}"
}

inline std::optional<std::int64_t> Time(std::int64_t ms) {
  return ms == kNoTime ? std::nullopt : std::optional(ms);
}

// Columns that any node uses.
inline std::vector<ColumnId> UsedColumns(const Snapshot& s) {
  std::vector<ColumnId> columns;
  for (std::size_t c = 0; c < s.schema().columns().size(); ++c)
    if (!s.schema().columns()[c].name.empty() && c < s.state().columns.size() &&
        s.state().columns[c].size() > 0)
      columns.push_back(static_cast<ColumnId>(c));
  return columns;
}

inline std::vector<std::string_view> Tags(const Snapshot& s, NodeId node) {
  std::vector<std::string_view> tags;
  s.ForEachArc(Direction::kOut, node, ArcFilter::Kind(s.schema(), builtin::kHasTag),
               [&](const Arc& arc) { tags.push_back(DisplayName(s.key(arc.neighbor))); });
  std::sort(tags.begin(), tags.end());
  return tags;
}

// fn(node) -> Status for every included node.
template <class Fn>
Status ForEachIncluded(const Snapshot& s, const ExportOptions& options, ExportSink& sink, Fn&& fn) {
  for (NodeId v = 0; v < s.node_count(); ++v) {
    PLEXUS_TRY(sink.EndNode());
    if (Included(s, options, v)) PLEXUS_TRY(fn(v));
  }
  return {};
}

// Whether the selected edges, of which there are some, are all of symmetric kinds.
inline bool AllSymmetric(const Snapshot& s, const ExportOptions& options) {
  const ArcFilter filter = ArcFilter::Kinds(s.schema(), options.kinds);
  bool any = false, all = true;
  for (NodeId v = 0; v < s.node_count() && all; ++v) {
    if (!Included(s, options, v)) continue;
    s.ForEachArc(Direction::kOut, v, filter, [&](const Arc& arc) {
      if (!Included(s, options, arc.neighbor)) return true;
      any = true;
      return all = s.schema().edge_kind(arc.kind).symmetric;
    });
  }
  return any && all;
}

// fn(edge) -> Status for every selected edge, by source.
template <class Fn>
Status ForEachSelected(const Snapshot& s, const ExportOptions& options, ExportSink& sink, Fn&& fn) {
  const ArcFilter filter = ArcFilter::Kinds(s.schema(), options.kinds);
  for (NodeId v = 0; v < s.node_count(); ++v) {
    PLEXUS_TRY(sink.EndNode());
    if (!Included(s, options, v)) continue;
    Status status;
    s.ForEachArc(Direction::kOut, v, filter, [&](const Arc& arc) {
      if (arc.neighbor < v && s.schema().edge_kind(arc.kind).symmetric) return true;
      if (Included(s, options, arc.neighbor)) status = fn(s.edge(arc, v));
      return status.has_value();
    });
    if (!status) return status;
  }
  return {};
}

}  // namespace plexus::formats::internal
