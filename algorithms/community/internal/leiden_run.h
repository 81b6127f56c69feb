// Leiden: move, refine, aggregate, again (community.h says what for).
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/community/internal/community_graph.h"
#include "engine/parallel.h"

namespace plexus::community::internal {

struct LeidenPlan {
  double resolution = 1;
  int iterations = 2;
  double tolerance = 0;
  std::uint64_t seed = 0;
  Budget budget = {};
};

struct LeidenOutcome {
  std::vector<NodeId> labels;  // by node of the graph, numbered by smallest member
  NodeId count = 0;
  double modularity = 0;
  int levels = 0;      // graphs moved in, the first included, in the iteration that had most
  int iterations = 0;  // begun
  std::uint64_t moves = 0;
  bool truncated = false;
};

LeidenOutcome RunLeiden(const CommunityGraph& graph, const LeidenPlan& plan, Executor& executor);

}  // namespace plexus::community::internal
