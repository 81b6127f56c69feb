// Label propagation: every node takes the label that most of its neighbours have.
//
// CDLP of LDBC Graphalytics (specification 1.0.1, "Community Detection using Label Propagation",
// after Raghavan, Albert, Kumara, 2007). The first label of a node is its id. In every iteration
// all nodes at once take the most frequent label among the other ends of their in-arcs and
// out-arcs, the smallest of several. A node without arcs keeps its label. Synchronous iteration may
// oscillate on nearly bipartite graphs, so the number of iterations is fixed.
//
// Where Graphalytics leaves it open: parallel edges, kinds and labels each count. A self-loop
// counts twice for its node. A symmetric edge is an edge in both directions and counts twice at
// both ends. Leiden (leiden.h) costs more and finds better communities.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct LabelPropagationOptions {
  int iterations = 10;  // At least 0.
  GraphFilter filter = {};
  // budget: only the deadline and the cancel flag. They are checked between iterations.
  RunOptions run = {};
};

struct LabelPropagationResult {
  std::vector<NodeId> labels;  // By NodeId: a NodeId. kNoNode: not selected.
  std::uint32_t count = 0;     // Different labels.
  int iterations = 0;          // Iterations done. Fewer when nothing changes any more.
  bool converged = false;      // Another iteration would change nothing.
  bool truncated = false;      // The budget ran out. Labels are those after `iterations`.
};

// Computes: the label of every selected node after the iterations.
// Complexity: O(iterations * arcs).
// Memory: 8 bytes a node and thread, and 8 a node, without the rows.
// Errors: kInvalidArgument: negative iterations or a kind out of range. kResourceExhausted: no
//   memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<LabelPropagationResult> LabelPropagation(const Snapshot& snapshot,
                                                const LabelPropagationOptions& options = {});

}  // namespace plexus
