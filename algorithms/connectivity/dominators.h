// Dominators: the nodes that every path from a root must pass.
//
// d dominates v when every path from the root to v passes d. The immediate dominator of v is the
// last of these nodes before v. The method is the simple version of Lengauer and Tarjan (1979),
// with path compression and without recursion.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct DominatorsOptions {
  Direction direction = Direction::kOut;  // kIn: of the paths that lead to the root.
  GraphFilter filter = {};                // subset: the root need not be in it.
  RunOptions run = {};                    // budget: only the deadline and the cancel flag.
};

struct DominatorsResult {
  // By NodeId: the immediate dominator. kNoNode for the root and for unreached nodes.
  std::vector<NodeId> dominators;
  // By NodeId: the number of other nodes that the root reaches only through this one.
  std::vector<std::uint32_t> dominated;
  std::uint64_t reached = 0;  // Nodes, the root included.
  bool truncated = false;     // The budget ran out. Then only `reached` is filled.
};

// Computes: the dominator tree of a root. A root of the index plane reaches nothing while only fact
//   kinds are followed.
// Complexity: O(nodes + arcs * log(nodes)), nearly linear in practice.
// Memory: 40 bytes a node.
// Errors: kInvalidArgument: a kind or root out of range, or direction kBoth. kNotFound: a root that
//   was removed. kResourceExhausted: no memory.
// Threads: thread-safe, on one thread. Dominators are unique, so the result is deterministic.
Result<DominatorsResult> Dominators(const Snapshot& snapshot, NodeId root,
                                    const DominatorsOptions& options = {});

}  // namespace plexus
