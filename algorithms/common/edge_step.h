// PathEdge: one step of a path in a reply, as an edge in its own direction.
#pragma once

#include "engine/types.h"

namespace plexus {

// Steps are in walking order. A step against the edge's direction has the node walked to as
// `source`. `label` distinguishes parallel edges.
struct PathEdge {
  NodeId source = kNoNode;
  NodeId target = kNoNode;
  EdgeKindId kind{};
  StringId label = 0;
  float weight = 1.0f;
  bool operator==(const PathEdge&) const = default;
};

}  // namespace plexus
