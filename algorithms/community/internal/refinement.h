// Refinement: what Leiden does between moving and aggregating.
//
// Inside every community the nodes begin as singletons and each that still is a singleton may join,
// once, a part of its community that it is linked to and that is itself well connected to the rest
// (Traag, Waltman, van Eck, 2019, algorithm A.2, MergeNodesSubset). Parts only grow along links, so
// each is connected. Of the parts that raise modularity the best is taken (the paper draws one;
// greedy is as good: Sahu, 2023, "GVE-Leiden"), so nothing is left to chance.
#pragma once

#include <cmath>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/community/internal/community_graph.h"

namespace plexus::community::internal {

class Refinement {
 public:
  // parts[v]: the label of v's part, a node of it. Communities are those of `groups`; their
  // blocks run in parallel, independent of each other. False, and parts without meaning, when
  // `budget` (null = none) interrupts: polled in every block and, in large communities, every
  // kPollInterval nodes. REQUIRES a positive total.
  bool Run(const CommunityGraph& graph, const std::vector<NodeId>& communities,
           const Groups& groups, double resolution, Executor& executor,
           common_internal::ObjectPool<SparseAccumulator>& accumulators, const Budget* budget,
           std::vector<NodeId>& parts);

 private:
  static constexpr NodeId kPollInterval = 1u << 12;
  struct Part {
    double strength;  // of its nodes; with the sign bit: more than one node
    double outside;   // weight between it and the rest of its community
    bool alone() const { return !std::signbit(strength); }
    double total() const { return std::fabs(strength); }
  };
  template <bool kUnit>
  class OneCommunity;
  AlignedArray<Part> by_part_;  // scratch
};

}  // namespace plexus::community::internal
