// Breadth-first search: depths and parents from one or many sources.
//
// Time and memory are O(nodes and arcs touched), whatever the size of the graph. A big level is
// found from the other side, by unvisited nodes that look for a neighbour in it: direction-optimising
// search (Beamer, Asanovic, Patterson, 2012).
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
  std::uint32_t max_depth = kUnreached;  // hops; kUnreached = no limit
  Direction direction = Direction::kOut;
  // subset: sources need not be in it.
  GraphFilter filter = {};
  RunOptions run = {};
  std::string resume;  // BfsResult::resume of an earlier call: its budget and this one's together
};

struct BfsNode {
  NodeId node = kNoNode;
  std::uint32_t depth = 0;
  NodeId parent = kNoNode;  // the smallest neighbour one level up; kNoNode for sources
  bool operator==(const BfsNode&) const = default;
};

struct BfsResult {
  std::vector<BfsNode> nodes;  // by depth, then id; sources first
  bool truncated = false;
  std::uint64_t edges = 0;  // arcs looked at
  std::string resume;       // when truncated: goes on from here, see README "Going on"
};

// Thread-safe; same bits at any thread count. kInvalidArgument: a kind or source
// out of range, a `resume` that does not belong to this question; kNotFound: a source
// that was removed; kFailedPrecondition: a `resume` of another version of the graph.
Result<BfsResult> Bfs(const Snapshot& snapshot, std::span<const NodeId> sources,
                      const BfsOptions& options = {});

}  // namespace plexus
