// Dominators: what everything that follows from a root has to pass through.
//
// d dominates v when every path from the root to v leads over d; the immediate dominator
// is the last such node before v. Lengauer and Tarjan (1979), the simple version with path
// compression, without recursion.
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
  Direction direction = Direction::kOut;  // kIn: of the paths that lead to the root
  // subset: the root need not be in it.
  GraphFilter filter = {};
  // budget: deadline and cancel flag alone.
  RunOptions run = {};
};

struct DominatorsResult {
  // By NodeId: the immediate dominator; kNoNode for the root and what it does not reach.
  std::vector<NodeId> dominators;
  // By NodeId: how many other nodes are cut off from the root without this one.
  std::vector<std::uint32_t> dominated;
  std::uint64_t reached = 0;  // nodes, the root included
  bool truncated = false;     // the budget ran out; then nothing is filled but `reached`
};

// O(nodes + arcs * log(nodes)), nearly linear; one thread. 40 bytes a node. Thread-safe,
// deterministic (dominators are unique). A root of the index plane reaches nothing while only
// kinds of facts are followed. kInvalidArgument: a kind or root out of range, direction kBoth;
// kNotFound: a root that was removed.
Result<DominatorsResult> Dominators(const Snapshot& snapshot, NodeId root,
                                    const DominatorsOptions& options = {});

}  // namespace plexus
