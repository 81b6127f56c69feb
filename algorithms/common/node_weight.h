// NodeWeight: a start node of a kernel and its weight.
#pragma once

#include "engine/types.h"

namespace plexus {

struct NodeWeight {
  NodeId node = kNoNode;
  double weight = 1;
  bool operator==(const NodeWeight&) const = default;
};

}  // namespace plexus
