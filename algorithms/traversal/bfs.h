// Breadth-first search: depths and parents from one or many sources.
//
// A large level is found from the other side, by unvisited nodes that look for a neighbour in it:
// direction-optimising search (Beamer, Asanovic, Patterson, 2012).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

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

}  // namespace plexus
