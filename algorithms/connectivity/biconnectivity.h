// Articulation points, bridges and blocks of the undirected graph.
//
// An articulation point is a node whose removal raises the number of components. A bridge is an
// edge of which the same is true. A block (biconnected component) has no articulation point of its
// own. The method is one depth-first search without recursion (Hopcroft, Tarjan, 1973). Parallel
// edges are no bridges, and loops do not count.
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
  bool list_blocks = false;  // True: lists the nodes of blocks, not only their number.
  GraphFilter filter = {};
  // budget: only the deadline and the cancel flag. executor: packs rows where the base arrays do
  // not serve.
  RunOptions run = {};
};

struct CutPointsResult {
  std::vector<NodeId> points;       // Articulation points, ascending.
  std::vector<PathEdge> bridges;    // By smaller end, then larger end.
  std::uint64_t nodes = 0;          // Selected nodes.
  std::uint64_t blocks = 0;         // Blocks of two nodes and more. A bridge is one of two.
  std::uint64_t largest_block = 0;  // Its nodes.
  // With list_blocks: block i holds block_nodes[block_begins[i], block_begins[i + 1]), ascending.
  // Blocks are ordered by their smallest nodes. An articulation point is in several.
  std::vector<std::uint64_t> block_begins;
  std::vector<NodeId> block_nodes;
  bool truncated = false;  // The budget ran out. Listed items are right, but incomplete.
};

// Computes: the articulation points, bridges and blocks of the selected nodes.
// Complexity: O(nodes + arcs).
// Memory: 32 bytes a node.
// Errors: kInvalidArgument: a kind out of range. kResourceExhausted: no memory.
// Threads: thread-safe and deterministic. The search runs on one thread.
Result<CutPointsResult> CutPoints(const Snapshot& snapshot, const CutPointsOptions& options = {});

}  // namespace plexus
