// PathEdge: one step of a proof path, the edge in its own direction.
#pragma once

#include "engine/types.h"

namespace plexus {

// Steps are listed in walking order; a step walked against the edge's direction
// has the node walked to as `source`. `label` tells parallel edges apart.
struct PathEdge {
  NodeId source = kNoNode;
  NodeId target = kNoNode;
  EdgeKindId kind{};
  StringId label = 0;
  float weight = 1.0f;
  bool operator==(const PathEdge&) const = default;
};

}  // namespace plexus
