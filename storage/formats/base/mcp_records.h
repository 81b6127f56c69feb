// How records of the MCP memory file stand in the graph, for the reader and the writer of that
// file and for a server of its tools. The rules are those of json/mcp_memory.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/schema.h"
#include "engine/snapshot.h"

namespace plexus::formats::internal {

inline constexpr std::string_view kFileLine = "file_line";  // a property
inline constexpr std::string_view kReversedLabel = "reversed";

// Kind and label that hold a relation as it was written.
struct RelationEdge {
  std::string_view kind, label;
};
// `is_new_kind`: whether a new edge kind may have that name; asked where the graph has none yet.
template <class Fn>
RelationEdge EdgeOfRelation(const Schema& schema, std::string_view from, std::string_view to,
                            std::string_view name, Fn&& is_new_kind) {
  const RelationEdge generic{"link", name};
  if (name.empty() || name == generic.kind) return generic;
  const auto match = schema.FindEdgeKind(name);
  if (!match) return is_new_kind(name) ? RelationEdge{name, ""} : generic;
  const EdgeKind& kind = schema.edge_kind(match->kind);
  const bool other_ends = kind.source_kind != kNoNodeKind || kind.target_kind != kNoNodeKind;
  if (kind.plane != Plane::kFact || other_ends || (from == to && !kind.self_loops)) return generic;
  if (match->reversed) return {name, name};
  return {name, kind.symmetric && from > to ? kReversedLabel : std::string_view()};
}

// A relation as it was written. Valid as long as the snapshot.
struct WrittenRelation {
  std::string_view from, to, name;
  bool operator==(const WrittenRelation&) const = default;
};
WrittenRelation RelationOfEdge(const Snapshot& snapshot, const Edge& edge);

// Observations as a text, one a line; whether its lines are the list again.
struct ObservationText {
  std::string text;
  bool plain = true;
};
ObservationText JoinObservations(const std::vector<std::string_view>& observations);
std::vector<std::string_view> SplitObservations(std::string_view text);

}  // namespace plexus::formats::internal
