// Supersession: which node replaced which, at a time.
//
// An edge of a suppressing kind is active when its source is alive and the time lies in the edge's
// own valid time; loops never count (visibility.h). The head of a node is what its chain of active
// edges ends in: itself when nothing replaced it, in a cycle that nothing enters the source of the
// newest inner edge, and else the head of the newest edge that enters from outside. Ties go to the
// smaller id. A head may be expired, as an expired node still hides what it replaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/common/budget.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

// The nodes with an active edge, ascending, and their heads.
struct SupersessionHeads {
  std::vector<NodeId> nodes, heads;

  // The node itself when it has no active edge.
  NodeId HeadOf(NodeId node) const;
  bool superseded(NodeId node) const { return HeadOf(node) != node; }
};

// Computes: the heads of `of` and of what replaced them; without `of`, of all nodes.
// Complexity: O(edges that lead to `of`, log), or O(nodes + suppressing edges). No recursion.
// Errors: kInvalidArgument: no such node. kResourceExhausted: no memory.
// Threads: thread-safe, on one thread.
Result<SupersessionHeads> HeadsOf(const Snapshot& snapshot, std::int64_t now_ms,
                                  std::span<const NodeId> of);
Result<SupersessionHeads> AllHeads(const Snapshot& snapshot, std::int64_t now_ms);

// Computes: the head of a superseded node; nothing for one that is not.
// Errors: those of HeadsOf.
Result<std::optional<NodeId>> SupersededBy(const Snapshot& snapshot, NodeId node,
                                           std::int64_t now_ms);

struct SupersessionStep {
  NodeId newer = kNoNode, older = kNoNode;
  std::int64_t created_at = 0;  // When the one replaced the other.
  bool in_cycle = false;
  std::uint32_t hops = 0;  // Of the end that is farther from the node asked about.
  bool operator==(const SupersessionStep&) const = default;
};

struct SupersessionWalk {
  NodeId head = kNoNode;
  std::vector<SupersessionStep> newer;  // What replaced the node, nearest first, ties by ids.
  std::vector<SupersessionStep> older;  // What the node replaced.
  bool truncated = false;               // More than `limit` steps on a side, or the budget.
};

// Computes: the chains through a node, step by step with their dates. A step in a cycle is listed
//   on both sides. Of the budget the deadline and the cancel flag end the steps; the head is that
//   of all edges that lead to the node.
// Complexity: O(edges walked, log).
// Errors: kInvalidArgument: no such node, or a limit of 0. kResourceExhausted: no memory.
// Threads: thread-safe, on one thread.
Result<SupersessionWalk> WalkSupersession(const Snapshot& snapshot, NodeId node,
                                          std::int64_t now_ms, std::size_t limit = 10'000,
                                          const Budget& budget = {});

}  // namespace plexus
