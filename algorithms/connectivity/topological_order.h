// Topological order: every node before those its edges point to, or the cycles that make
// that impossible.
//
// Of several nodes that could come next the smallest id does (Kahn, 1962). The
// members of a cycle come together, as one, in order of id, so that the rest is still in
// order. Nodes that no followed edge touches take no part.
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
  // kinds: none = the kinds declared acyclic.
  GraphFilter filter = {};
  bool reverse = false;  // what is pointed to first: dependencies before dependents
  // budget: deadline and cancel flag alone, looked at every 65,536 steps of ordering, not in the
  // passes over all arcs before.
  RunOptions run = {};
};

struct OrderedNode {
  NodeId node = kNoNode;
  // Edges on the longest way that leads to it; cycles count as one node.
  std::uint32_t level = 0;
};

// A set of nodes that reach each other.
struct OrderCycle {
  // A shortest cycle through the smallest id, which comes first; the last one points back
  // to it. A loop is one node.
  std::vector<NodeId> nodes;
  std::uint64_t size = 0;  // nodes of the whole set
};

struct TopologicalOrderResult {
  std::vector<OrderedNode> order;
  std::vector<OrderCycle> cycles;  // by smallest id; none = the order is exact
  // The budget ran out: `order` is how the whole order begins (maybe empty), `cycles` are
  // those among its nodes, and nothing is known of the rest.
  bool truncated = false;
};

// O(nodes + arcs), with cycles log(ordered) a node more, one thread. Thread-safe. kInvalidArgument:
// a kind out of range or symmetric, as that has no direction; kFailedPrecondition: no kinds named
// and none declared acyclic.
Result<TopologicalOrderResult> TopologicalOrder(const Snapshot& snapshot,
                                                const TopologicalOrderOptions& options = {});

}  // namespace plexus
