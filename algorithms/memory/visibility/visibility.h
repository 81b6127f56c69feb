// Which memories a question sees, and which of them others superseded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus::memory {

// --- Visible nodes: the nodes that default recall may return.
//
// A node is visible at `now_ms` when it is an alive fact, valid then (valid_from <= now <
// valid_until, absent = unbounded) and not superseded. An edge of a suppressing kind is active when
// its source is alive and now lies in the edge's own valid time; loops never count. Over the active
// edges:
//   - A strong component with an active edge from outside is superseded.
//   - Of the other components, a single node stays. Of a cycle one node stays: the source of the
//     newest edge (created_at) inside it, ties by the smaller id.
// A chain A <- B <- C shows only C, and unlinking shows the old node again. An expired head still
// hides what it replaced. `contradicts` hides nothing.

struct VisibleOptions {
  bool include_superseded = false;  // Only the valid time is tested.
  bool use_cache = true;            // False: the set is computed again and not kept.
  RunOptions run = {};  // budget: deadline and cancel flag, while the set is found from nothing.
};

// Computes: the set of visible nodes at `now_ms`.
// Complexity: O(nodes + suppressing edges), the first time. The sets of two times are kept with the
//   state, and changes carry them to later states. A query on a new snapshot is then a lookup, also
//   at another `now_ms` when no valid time lies between. Other times cost the nodes that become
//   valid or expire in between.
// Errors: kCancelled: the budget ran out, and nothing is kept. kResourceExhausted: no memory.
// Threads: thread-safe. Strong components need no recursion.
Result<std::shared_ptr<const NodeSubset>> VisibleNodes(const Snapshot& snapshot,
                                                       std::int64_t now_ms,
                                                       const VisibleOptions& options = {});

// What a question sees: of the nodes of a scope those that are visible at a time. It is found once
// and handed down.
struct Visible {
  NodeSubset nodes = {};
  const NodeSubset* scope = nullptr;  // Null: all nodes.
  std::int64_t now_ms = kNoTime;

  bool contains(NodeId node) const { return nodes.contains(node); }
  bool in_scope(NodeId node) const { return !scope || scope->contains(node); }
};

// Computes: VisibleNodes at `now_ms` (kNoTime: the snapshot's time), of the scope, which outlives
//   the value.
// Complexity: that of VisibleNodes, + O(nodes / 64). Errors and threads: as VisibleNodes.
Result<Visible> VisibleIn(const Snapshot& snapshot, std::int64_t now_ms, const NodeSubset* scope,
                          const VisibleOptions& options = {});

// Whether the budget ran out before it was known what is visible.
template <class T>
bool RanOut(const Result<T>& visible) {
  return !visible && visible.error().code == ErrorCode::kCancelled;
}

// --- Supersession: which node replaced which, at a time.
//
// An edge of a suppressing kind is active when its source is alive and the time lies in the edge's
// own valid time; loops never count. The head of a node is what its chain of active
// edges ends in: itself when nothing replaced it, in a cycle that nothing enters the source of the
// newest inner edge, and else the head of the newest edge that enters from outside. Ties go to the
// smaller id. A head may be expired, as an expired node still hides what it replaced.

// The nodes with an active edge, ascending, and their heads.
struct SupersessionHeads {
  std::vector<NodeId> nodes, heads;

  // The node itself when it has no active edge.
  NodeId HeadOf(NodeId node) const;
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

}  // namespace plexus::memory
