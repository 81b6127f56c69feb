// Cut points and bridges: the nodes and edges without which something falls apart.
//
// Edges are read without their direction. An articulation point is a node whose removal
// leaves more components than there were, a bridge an edge of which that is true; what
// has no articulation point of its own is a block (biconnected component). Hopcroft and
// Tarjan (1973), one depth-first search over the rows as they are, without recursion.
// Edges between the same two nodes hold together without each other, so none of them is
// a bridge; loops do not count.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/edge_step.h"
#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct CutPointsOptions {
  bool list_blocks = false;  // fill the blocks' nodes, not just their number
  GraphFilter filter = {};
  // budget: deadline and cancel flag alone. executor: packs rows where the base arrays do not
  // serve.
  RunOptions run = {};
};

struct CutPointsResult {
  std::vector<NodeId> points;     // articulation points, ascending
  std::vector<PathEdge> bridges;  // by smaller end, then larger end
  std::uint64_t nodes = 0;        // selected
  std::uint64_t blocks = 0;       // of two nodes and more; a bridge is one of two
  std::uint64_t largest_block = 0;
  // With list_blocks: nodes of block i = block_nodes[block_begins[i], block_begins[i + 1]),
  // ascending; blocks by their smallest nodes. An articulation point is in several.
  std::vector<std::uint64_t> block_begins;
  std::vector<NodeId> block_nodes;
  bool truncated = false;  // the budget ran out; what is listed is right, but not all of it
};

// O(nodes + arcs), one thread. 32 bytes a node. Thread-safe, deterministic.
// kInvalidArgument: a kind out of range.
Result<CutPointsResult> CutPoints(const Snapshot& snapshot, const CutPointsOptions& options = {});

}  // namespace plexus
