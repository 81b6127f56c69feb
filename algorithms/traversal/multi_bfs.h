// Breadth-first search from up to 64 sources at once, one bit lane a source.
//
// A node's lanes are one 64-bit word, so one look at an arc serves every search that
// stands at its end (Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann, Vo,
// "The more the merrier", 2014). Small levels are pushed from a list, large ones pulled
// by nodes that some search has not seen yet. Pays from some 8 sources on.
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
  // depths[node * sources + source]; kUnreached. Empty unless asked for.
  std::vector<std::uint32_t> depths;
  // levels[source][d]: nodes at depth d. Ends with the last level that has one.
  std::vector<std::vector<std::uint64_t>> levels;
  bool truncated = false;  // what is there is right; deeper levels may be missing
};

struct MultiBfsOptions {
  std::uint32_t max_depth = kUnreached;
  bool depths = false;  // nodes * sources * 4 bytes
  Direction direction = Direction::kOut;
  GraphFilter filter = {};
  // budget: nodes are (node, source) pairs reached, edges the arcs that leave the nodes of a level,
  // looked at between levels. With nodes = 0 not even the sources are reached, as in Bfs.
  RunOptions run = {};
};

// Deterministic, thread-safe. A source may be named twice and need not be in the subset.
// Pays on graphs of few levels, where lanes meet the same nodes at the same depth: there
// O(levels * nodes / 8 + arcs). On deep ones (chains, grids) a node is looked at once for
// each depth at which some lane reaches it, and rows that some lane has not seen are
// looked at level by level: then searches one by one are faster.
// A source of the index plane meets nothing while only kinds of facts are followed.
// kInvalidArgument: no source or more than kBfsLanes, a kind or source out of range. kNotFound: a
// source that was removed.
Result<MultiBfsResult> MultiBfs(const Snapshot& snapshot, std::span<const NodeId> sources,
                                const MultiBfsOptions& options = {});

// The same on bare arrays: `in` is the transpose of `out`. Of the options, filter and
// direction do not count. REQUIRES 1..kBfsLanes sources below out.node_count().
Result<MultiBfsResult> MultiBfsCsr(const CsrView& out, const CsrView& in,
                                   std::span<const NodeId> sources,
                                   const MultiBfsOptions& options = {});

}  // namespace plexus
