// Connected components: which nodes hang together, direction ignored or kept.
//
// Weakly: Afforest (Sutton, Ben-Nun, Barak, 2018): union-find where the larger root is
// hooked under the smaller; a few arcs per node join most of the graph, then the
// members of the largest component need no more work. The root that remains is
// the smallest id of its component, so labels do not depend on threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct ComponentsOptions {
  GraphFilter filter = {};
  // budget: deadline and cancel flag alone, looked at before each block of at most 16,384 rows.
  RunOptions run = {};
};

struct ComponentsResult {
  std::vector<NodeId> labels;      // by NodeId: smallest id of the component, or kNoNode
  std::uint64_t count = 0;         // components
  std::uint64_t largest = 0;       // nodes of the largest one
  NodeId largest_label = kNoNode;  // ties: the smaller label
  // The budget ran out. Half joined components say nothing about the graph, so all labels
  // are kNoNode then and there are 0 components.
  bool truncated = false;
};

// O(nodes + arcs), almost. Thread-safe. kInvalidArgument: a kind out of range.
Result<ComponentsResult> Components(const Snapshot& snapshot,
                                    const ComponentsOptions& options = {});

// The same for strong components: nodes that reach each other along the edges' direction
// (symmetric kinds both ways). Tarjan (1972), one thread, no recursion; O(nodes + arcs).
Result<ComponentsResult> StrongComponents(const Snapshot& snapshot,
                                          const ComponentsOptions& options = {});

// The same of bare rows: the row of v is targets[offsets[v], offsets[v + 1]). Component number of
// each node; a component is numbered before those that reach it. Thread-safe.
std::vector<std::uint32_t> StrongComponents(std::span<const std::uint32_t> offsets,
                                            std::span<const std::uint32_t> targets);

}  // namespace plexus
