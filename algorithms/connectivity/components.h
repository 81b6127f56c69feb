// Connected components: weak ones ignore the direction of edges, strong ones follow it.
//
// Weak components use Afforest (Sutton, Ben-Nun, Barak, 2018): a union-find that links the larger
// root under the smaller one. A few arcs a node join most of the graph, and members of the largest
// component need no further work. Strong components use Tarjan's algorithm (1972).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct ComponentsOptions {
  GraphFilter filter = {};
  // budget: only the deadline and the cancel flag. Weak components check them before each block of
  // at most 16,384 rows.
  RunOptions run = {};
};

struct ComponentsResult {
  std::vector<NodeId> labels;      // By NodeId: the smallest id of the component. kNoNode: none.
  std::uint64_t count = 0;         // Components.
  std::uint64_t largest = 0;       // Nodes of the largest component.
  NodeId largest_label = kNoNode;  // Of several largest ones the smaller label.
  // The budget ran out. Then all labels are kNoNode and there are 0 components.
  bool truncated = false;
};

// Computes: the weak component of every selected node.
// Complexity: almost O(nodes + arcs).
// Errors: kInvalidArgument: a kind out of range. kResourceExhausted: no memory.
// Threads: thread-safe. Labels do not depend on the thread count.
Result<ComponentsResult> Components(const Snapshot& snapshot,
                                    const ComponentsOptions& options = {});

// Computes: the strong components, of nodes that reach each other along the direction of edges.
//   Symmetric kinds lead both ways.
// Complexity: O(nodes + arcs).
// Errors: as Components.
// Threads: thread-safe. It runs on one thread, without recursion.
Result<ComponentsResult> StrongComponents(const Snapshot& snapshot,
                                          const ComponentsOptions& options = {});

// Computes: strong components of bare rows. The row of v is targets[offsets[v], offsets[v + 1]).
//   Returns a component number for each node. A component has a smaller number than those that
//   reach it.
// Threads: thread-safe.
std::vector<std::uint32_t> StrongComponents(std::span<const std::uint32_t> offsets,
                                            std::span<const std::uint32_t> targets);

}  // namespace plexus
