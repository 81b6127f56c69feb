// Label propagation: everybody takes the label that most neighbours have.
//
// CDLP of LDBC Graphalytics (specification 1.0.1, section "Community Detection using
// Label Propagation", after Raghavan, Albert, Kumara, 2007): a node's first label is its
// id; in every iteration all nodes at once take the label most frequent among the other
// ends of their in-arcs and out-arcs, the smallest of several; a node without arcs keeps
// its own. Synchronous, so it may swing for ever where a graph is nearly bipartite: the
// number of iterations is fixed. Where Graphalytics says nothing: parallel edges, kinds and
// labels each count; a self-loop counts twice for its node; an edge of a symmetric
// kind is an edge in both directions and counts twice at both ends, as there.
// Cheap, but leiden.h finds better communities.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct LabelPropagationOptions {
  int iterations = 10;  // at least 0
  GraphFilter filter = {};
  // budget: deadline and cancel flag alone, looked at between iterations.
  RunOptions run = {};
};

struct LabelPropagationResult {
  std::vector<NodeId> labels;  // by NodeId: a NodeId; kNoNode = not selected
  std::uint32_t count = 0;     // different labels
  int iterations = 0;          // done; fewer when nothing changes any more
  bool converged = false;      // another iteration would change nothing
  bool truncated = false;      // the budget ran out; labels are those of `iterations`
};

// O(iterations * arcs), 8 bytes a node for each thread and 8 a node beside the rows. Thread-safe,
// same bits at any thread count. kInvalidArgument: negative iterations, a kind out of range.
Result<LabelPropagationResult> LabelPropagation(const Snapshot& snapshot,
                                                const LabelPropagationOptions& options = {});

}  // namespace plexus
