// Breadth-first search from up to 64 sources at once, one bit lane a source.
//
// The lanes of a node are one 64-bit word, so one read of an arc serves every search at its end
// (Then and others, "The more the merrier", 2014). Small levels are pushed from a list, large ones
// pulled by nodes that a search has not reached. It pays from some 8 sources on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "algorithms/traversal/bfs.h"
#include "engine/adjacency/csr_view.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

inline constexpr std::size_t kBfsLanes = 64;

struct MultiBfsResult {
  NodeId sources = 0;
  // depths[node * sources + source], or kUnreached. Empty without MultiBfsOptions::depths.
  std::vector<std::uint32_t> depths;
  // levels[source][d]: nodes at depth d. The last level has a node.
  std::vector<std::vector<std::uint64_t>> levels;
  bool truncated = false;  // Present values are right, deeper levels may be missing.
};

struct MultiBfsOptions {
  std::uint32_t max_depth = kUnreached;
  bool depths = false;  // Fills depths: nodes * sources * 4 bytes.
  Direction direction = Direction::kOut;
  GraphFilter filter = {};
  // budget: nodes are (node, source) pairs reached, edges the arcs that leave the nodes of a level.
  // It is checked between levels. nodes = 0 reaches not even the sources, as in Bfs.
  RunOptions run = {};
};

// Computes: level sizes, and depths on demand, of each source. A source may occur twice and need
//   not be in the subset. A source of the index plane reaches nothing while only fact kinds are
//   followed.
// Complexity: O(levels * nodes / 8 + arcs) on graphs of few levels, where lanes reach the same
//   nodes at the same depth. On deep graphs (chains, grids) a node is read once for each depth at
//   which a lane reaches it, and single searches are faster.
// Errors: kInvalidArgument: no source or more than kBfsLanes, or a kind or source out of range.
//   kNotFound: a source that was removed. kResourceExhausted: no memory.
// Threads: thread-safe and deterministic.
Result<MultiBfsResult> MultiBfs(const Snapshot& snapshot, std::span<const NodeId> sources,
                                const MultiBfsOptions& options = {});

// The same on bare arrays: `in` is the transpose of `out`. Filter and direction of the options are
// not read. REQUIRES 1..kBfsLanes sources below out.node_count().
Result<MultiBfsResult> MultiBfsCsr(const CsrView& out, const CsrView& in,
                                   std::span<const NodeId> sources,
                                   const MultiBfsOptions& options = {});

}  // namespace plexus
