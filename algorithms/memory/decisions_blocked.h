// Blocked decisions: what each waits for, down to the roots that hold everything up.
//
// A decision that is not resolved (decision_status.h) waits for an unresolved decision that blocks
// it (any kind of edge declared as blocking), or on which it depends. Then it is blocked. A root is
// an unresolved decision that others wait for and that is not blocked itself. A decision that
// waits only for a cycle has no root. Edges count that are valid at the time; loops never do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/memory/decision_status.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct BlockedDecision {
  NodeId node = kNoNode;
  NodeId next = kNoNode;  // The first step of the shortest chain to a root, ties by ids.
  NodeId root = kNoNode;  // Where that chain ends. kNoNode: only in cycles.
  std::uint32_t hops = 0;
  bool in_cycle = false;
  bool more_roots = false;  // It has more than max_roots: `roots` are those of the smallest ids.
  std::uint32_t first_root = 0, root_count = 0;  // In BlockedChainsResult::root_lists.
};

struct BlockingRoot {
  NodeId node = kNoNode;
  std::uint64_t blocked_count = 0;  // Blocked decisions to which it is the nearest root.
  EdgeKindId kind{};        // By which it holds those that wait for it directly; the least of them.
};

struct BlockedChainsResult {
  std::vector<BlockedDecision> blocked;  // Ascending ids.
  std::vector<NodeId> root_lists;
  std::vector<BlockingRoot> roots;          // By falling `holds`, ties by ids.
  std::vector<std::vector<NodeId>> cycles;  // Of unresolved decisions; as SalienceResult has them.

  std::span<const NodeId> RootsOf(const BlockedDecision& of) const {
    return std::span(root_lists).subspan(of.first_root, of.root_count);
  }
  // nullptr: it is not blocked. O(log).
  const BlockedDecision* Find(NodeId node) const;
};

struct BlockedChainsOptions {
  DecisionOptions decisions = {};
  std::uint32_t max_roots = 16;  // Listed of each decision, 1 to 1024.
};

// Computes: all blocked decisions with their roots, and the cycles.
// Complexity: O(nodes + arcs * max_roots). No recursion: chains may be as long as the graph.
// Errors: kInvalidArgument: max_roots out of range. kResourceExhausted: no memory.
// Threads: thread-safe.
Result<BlockedChainsResult> BlockedChains(const Snapshot& snapshot,
                                          const BlockedChainsOptions& options = {});

// One step of a chain: `node` waits for `next`. The kind says how: a blocking kind (next blocks
// node) or depends_on (node depends on next).
struct ChainStep {
  NodeId node = kNoNode, next = kNoNode;
  EdgeKindId kind{};
  bool operator==(const ChainStep&) const = default;
};

// Computes: the shortest chain from a blocked decision to its nearest root, at most `limit` steps.
//   Empty without a root.
// Complexity: O(steps * (log + row)).
// Errors: kResourceExhausted: no memory. Threads: thread-safe.
Result<std::vector<ChainStep>> ChainOf(const Snapshot& snapshot, const BlockedChainsResult& result,
                                       NodeId node, std::int64_t now_ms, std::size_t limit);

// Computes: the unresolved decisions that `node` waits for directly, ascending ids, each once for
//   each kind. REQUIRES a node of the snapshot.
// Errors: as StatusOf.
Result<std::vector<ChainStep>> BlockersOf(const Snapshot& snapshot, NodeId node,
                                          const DecisionOptions& options);

}  // namespace plexus
