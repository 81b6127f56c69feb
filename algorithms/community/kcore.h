// Core numbers: how deep in the dense part of the graph a node stands.
//
// The k-core is what is left when nodes with fewer than k neighbours are taken away
// until none is (Seidman, 1983); a node's core number is the largest k whose core has
// it. Over the simple undirected graph, as triangles.h, which is not made: the rows serve
// as they are, one direction's where both are the same. Peeling by levels of k, those with the
// fewest left first (after Batagelj, Zaversnik, 2003, without their order), one thread: two cores
// gain nothing on it.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct KCoreOptions {
  GraphFilter filter = {};
  // budget: nodes are those taken away, edges the arcs followed from them in either direction.
  // executor: counts neighbours.
  RunOptions run = {};
};

struct KCoreResult {
  static constexpr std::uint32_t kNotSelected = 0xFFFFFFFFu;
  std::vector<std::uint32_t> cores;  // by NodeId; kNotSelected
  std::uint32_t degeneracy = 0;      // the largest core number
  std::vector<std::uint64_t> sizes;  // [k]: nodes whose core number is k; degeneracy + 1 entries
  // The budget ran out: core numbers below `degeneracy` are right, those of nodes that were
  // left are `degeneracy`, which theirs are at least.
  bool truncated = false;
};

// O(nodes + arcs); 16 bytes a node and 4 a thread. Thread-safe, deterministic (core numbers are
// unique). kInvalidArgument: a kind out of range.
Result<KCoreResult> KCore(const Snapshot& snapshot, const KCoreOptions& options = {});

}  // namespace plexus
