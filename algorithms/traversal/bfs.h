// Breadth-first search: depths and parents from one or many sources.
//
// Bfs() answers depth-limited questions on a Snapshot in O(nodes and arcs
// touched), whatever the size of the graph. BfsCsr() searches bare arrays whole,
// direction-optimising (Beamer, Asanovic, Patterson, 2012): a big frontier is found from the other
// side, by unvisited nodes looking for a visited neighbour.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/common/budget.h"
#include "algorithms/common/node_subset.h"
#include "engine/adjacency/csr_view.h"
#include "engine/arrays/aligned_array.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

inline constexpr std::uint32_t kUnreached = 0xFFFFFFFFu;

struct BfsOptions {
  std::uint32_t max_depth = kUnreached;  // hops; kUnreached = no limit
  Direction direction = Direction::kOut;
  std::vector<EdgeKindId> kinds;       // none = the fact plane
  std::int64_t valid_at = kNoTime;     // only edges valid then
  const NodeSubset* subset = nullptr;  // sources need not be in it
  Budget budget;
  std::string resume;  // BfsResult::resume of an earlier call: its budget and this one's together
  Executor* executor = nullptr;
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

struct BfsCsrOptions {
  bool depths = true;  // false: parents only, half the memory to write
  Executor* executor = nullptr;
};

struct BfsCsrResult {
  AlignedArray<NodeId> parents;        // by node; the source's own is itself, kNoNode = unreached
  AlignedArray<std::uint32_t> depths;  // by node; kUnreached; empty when not asked for
  std::uint64_t reached = 0;           // nodes, the source included
};

// `in` is the transpose of `out` (the same view for a symmetric graph).
// O(nodes + arcs), deterministic. REQUIRES source < out.node_count().
Result<BfsCsrResult> BfsCsr(const CsrView& out, const CsrView& in, NodeId source,
                            const BfsCsrOptions& options = {});

}  // namespace plexus
