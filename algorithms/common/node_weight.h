// NodeWeight: a node and how much it counts, where a kernel starts.
#pragma once

#include "engine/types.h"

namespace plexus {

struct NodeWeight {
  NodeId node = kNoNode;
  double weight = 1;
  bool operator==(const NodeWeight&) const = default;
};

}  // namespace plexus
