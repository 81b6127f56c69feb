// Breadth-first search, from one source and from many at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/common/options.h"
#include "engine/adjacency/csr_view.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

// --- Breadth-first search: depths and parents from one or many sources.
//
// A large level is found from the other side, by unvisited nodes that look for a neighbour in it:
// direction-optimising search (Beamer, Asanovic, Patterson, 2012).

inline constexpr std::uint32_t kUnreached = 0xFFFFFFFFu;

struct BfsOptions {
  std::uint32_t max_depth = kUnreached;  // Hops. kUnreached: no limit.
  Direction direction = Direction::kOut;
  GraphFilter filter = {};  // subset: sources need not be in it.
  RunOptions run = {};
  std::string resume = {};  // BfsResult::resume of an earlier call. Both budgets then add up.
};

struct BfsNode {
  NodeId node = kNoNode;
  std::uint32_t depth = 0;
  NodeId parent = kNoNode;  // The smallest neighbour one level up. kNoNode for sources.
  bool operator==(const BfsNode&) const = default;
};

struct BfsResult {
  std::vector<BfsNode> nodes;  // By depth, then id. Sources come first.
  bool truncated = false;
  std::uint64_t edges = 0;  // Arcs read.
  std::string resume;       // When truncated: a token that continues the search (README).
};

// Computes: the depth and a parent of every node within max_depth hops of a source.
// Complexity: O(nodes and arcs touched), whatever the size of the graph.
// Memory: O(nodes and arcs touched).
// Errors: kInvalidArgument: a kind or source out of range, or a `resume` of another query.
//   kNotFound: a source that was removed. kFailedPrecondition: a `resume` of another version of the
//   graph. kResourceExhausted: no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<BfsResult> Bfs(const Snapshot& snapshot, std::span<const NodeId> sources,
                      const BfsOptions& options = {});

// --- Breadth-first search from up to 64 sources at once, one bit lane a source.
//
// The lanes of a node are one 64-bit word, so one read of an arc serves every search at its end
// (Then and others, "The more the merrier", 2014). Small levels are pushed from a list, large ones
// pulled by nodes that a search has not reached. It pays from some 8 sources on.

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
