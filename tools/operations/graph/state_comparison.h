// What two states of one graph differ in, at a node: what diff lists, and undo turns round. Ids of
// nodes, columns, kinds and texts mean the same in both; the later state may have more of them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/snapshot.h"

namespace plexus::tools {

struct NodeComparison {
  bool was = false, is = false;  // alive
  // Of a node that is alive in both, the rest, too.
  bool kind = false;
  std::vector<ColumnId> columns = {};
  std::vector<NodeField> payloads = {};
  std::vector<SpaceId> spaces = {};  // left to ChangedSpaces
  bool same() const {
    return was == is && !kind && columns.empty() && payloads.empty() && spaces.empty();
  }
};
// Texts and properties by their bytes; those that cannot be read differ.
NodeComparison CompareNode(const Snapshot& before, const Snapshot& after, NodeId node);
// The spaces in which the node's vector differs, by its values; of a node that is alive in both.
// Reads the vectors of a space once one is stored elsewhere.
std::vector<SpaceId> ChangedSpaces(const Snapshot& before, const Snapshot& after, NodeId node);

// Whether the node is there, and alive.
bool IsAlive(const Snapshot& snapshot, NodeId node);
// Everything but the identity. Of an edge of `before` and one of `after`.
bool SameEdgeValue(const Snapshot& before, const Edge& a, const Snapshot& after, const Edge& b);

// An edge that came (no `then`), went (no `now`) or changed.
struct EdgeComparison {
  std::optional<Edge> then = {}, now = {};
};
// The edges of which the node is the source; both planes.
void CompareEdges(const Snapshot& before, const Snapshot& after, NodeId node,
                  const std::function<void(EdgeComparison)>& take);

}  // namespace plexus::tools
