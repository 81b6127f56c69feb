// Dominators: what everything that follows from a root has to pass through.
//
// d dominates v when every path from the root to v leads over d; the immediate dominator
// is the last such node before v. Lengauer and Tarjan (1979), the simple version with path
// compression, without recursion.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/budget.h"
#include "algorithms/common/node_subset.h"
#include "engine/adjacency/csr_view.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct DominatorsOptions {
  Direction direction = Direction::kOut;  // kIn: of the paths that lead to the root
  std::vector<EdgeKindId> kinds = {};     // none = the fact plane
  std::int64_t valid_at = kNoTime;        // only edges valid then
  const NodeSubset* subset = nullptr;     // the root need not be in it
  Budget budget = {};  // its deadline and its cancel flag; nodes and edges do not count
  Executor* executor = nullptr;
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

// Immediate dominators on bare rows, kNoNode as above; `in` is the transpose of `out`.
// REQUIRES root < out.node_count(). Empty when the budget ran out.
Result<std::vector<NodeId>> DominatorsCsr(const CsrView& out, const CsrView& in, NodeId root,
                                          const Budget& budget = {});

}  // namespace plexus
