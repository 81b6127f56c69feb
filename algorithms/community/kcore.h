// Core numbers: how deep a node lies in the dense part of the graph.
//
// The k-core is what remains when nodes with fewer than k neighbours are removed until none is left
// (Seidman, 1983). The core number of a node is the largest k whose core contains it. The graph is
// the simple undirected one of triangles.h. The method is peeling by levels of k, nodes of the
// lowest remaining degree first (after Batagelj, Zaversnik, 2003).
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct KCoreOptions {
  GraphFilter filter = {};
  // budget: nodes are removed nodes, edges the arcs followed from them in either direction.
  // executor: counts neighbours.
  RunOptions run = {};
};

struct KCoreResult {
  static constexpr std::uint32_t kNotSelected = 0xFFFFFFFFu;
  std::vector<std::uint32_t> cores;  // By NodeId, or kNotSelected.
  std::uint32_t degeneracy = 0;      // The largest core number.
  std::vector<std::uint64_t> sizes;  // sizes[k]: nodes of core number k. degeneracy + 1 entries.
  // The budget ran out. Core numbers below `degeneracy` are right. The remaining nodes get
  // `degeneracy`, a lower bound of theirs.
  bool truncated = false;
};

// Computes: the core number of every selected node.
// Complexity: O(nodes + arcs).
// Memory: 16 bytes a node, and 4 a node and thread.
// Errors: kInvalidArgument: a kind out of range. kResourceExhausted: no memory.
// Threads: thread-safe. Peeling runs on one thread. Core numbers are unique, so the result is
//   deterministic.
Result<KCoreResult> KCore(const Snapshot& snapshot, const KCoreOptions& options = {});

}  // namespace plexus
