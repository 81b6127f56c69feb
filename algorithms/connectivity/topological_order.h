// Topological order: every node before the nodes that its edges point to, or the cycles that
// prevent it.
//
// Of several nodes that can come next, the smallest id comes next (Kahn, 1962). The members of a
// cycle come together, in order of id, and the rest stays in order. Nodes without followed edges
// take no part.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct TopologicalOrderOptions {
  GraphFilter filter = {};  // kinds: none = the kinds declared acyclic.
  bool reverse = false;     // Targets first: dependencies before dependents.
  // budget: only the deadline and the cancel flag. They are checked every 65,536 steps of ordering,
  // not in the passes over all arcs before.
  RunOptions run = {};
};

struct OrderedNode {
  NodeId node = kNoNode;
  // Edges on the longest path to the node. A cycle counts as one node.
  std::uint32_t level = 0;
};

// A set of nodes that reach each other.
struct OrderCycle {
  // A shortest cycle through the smallest id, which comes first. The last node points to it. A loop
  // is one node.
  std::vector<NodeId> nodes = {};
  std::uint64_t size = 0;  // Nodes of the whole set.
};

struct TopologicalOrderResult {
  std::vector<OrderedNode> order;
  std::vector<OrderCycle> cycles;  // By smallest id. None: the order is exact.
  // The budget ran out. `order` is the beginning of the whole order, maybe empty. `cycles` are
  // those among its nodes. The rest is unknown.
  bool truncated = false;
};

// Computes: the order, every node with its level, and the cycles.
// Complexity: O(nodes + arcs). With cycles log(ordered) more a node.
// Errors: kInvalidArgument: a kind out of range, or a symmetric kind, which has no direction.
//   kFailedPrecondition: no kinds given and none declared acyclic. kResourceExhausted: no memory.
// Threads: thread-safe, on one thread.
Result<TopologicalOrderResult> TopologicalOrder(const Snapshot& snapshot,
                                                const TopologicalOrderOptions& options = {});

}  // namespace plexus
