// What is related to a memory, and what contradicts it: its edges within a few hops, in words.
//
// An edge between facts that is valid at the time is listed once, from the end that is nearer to
// the memory (of two equally near ones the smaller id): its hop is 1 + the hops to that end. Loops
// relate nothing to another and are left out. A node that was superseded is listed where a
// suppressing edge leads to it ("k3 supersedes k2"), and nothing beyond it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/common/budget.h"
#include "algorithms/common/node_subset.h"
#include "algorithms/memory/conflicts.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

inline constexpr int kMaxRelatedHops = 8;
inline constexpr std::size_t kMaxRelated = 1000;

struct RelatedOptions {
  std::int64_t now_ms = kNoTime;       // kNoTime: the snapshot's time.
  int hops = 1;                        // 0 to kMaxRelatedHops.
  std::size_t top = 20;                // 1 to kMaxRelated.
  EdgeKinds kinds = {};                // No list: the fact plane.
  const NodeSubset* subset = nullptr;  // Nodes that stand. Null: all alive facts.
  const NodeSubset* scope = nullptr;   // What superseded nodes must be of. Null: all.
  std::uint64_t max_edges = 1'000;     // Arcs read, expired ones included; nearer ones first.
  Budget budget = {};                  // Only its deadline and cancel flag.
};

struct Relation {
  NodeId node = kNoNode;  // The other end.
  NodeId from = kNoNode;  // The end that is nearer: at hop 1 the memory.
  EdgeKindId kind{};
  Direction direction = Direction::kOut;  // As `from` sees it; kBoth of symmetric kinds.
  int hop = 1;
  float weight = 1;
  StringId label = 0;
  std::string text = {};  // "o1 supports k1", in the edge's own direction.
  bool operator==(const Relation&) const = default;
};

struct RelatedResult {
  std::vector<Relation> relations;  // By hop, key, kind, key of `from`, direction and label.
  bool truncated = false;           // There are more than `top`, or the budget ran out.
  std::uint64_t edges = 0;          // Arcs read.
};

// Computes: the relations of a node.
// Complexity: O(arcs read * log), at most the budget's; a hop is not walked when the list is full.
// Errors: kInvalidArgument: no such node, or hops or top out of range. kResourceExhausted.
// Threads: thread-safe, on one thread.
Result<RelatedResult> RelatedTo(const Snapshot& snapshot, NodeId node,
                                const RelatedOptions& options = {});

struct ContradictionsOfNode {
  std::vector<Conflict> conflicts;  // As OpenConflicts returns them: the oldest first, ties by ids.
  bool truncated = false;           // More than `max_edges` edges.
};

// Computes: the open conflicts of a node (conflicts.h) among `standing`, which it must be of.
// Complexity: O(its edges `contradicts`), at most O(max_edges).
// Errors: kInvalidArgument: no such node. kResourceExhausted: no memory.
// Threads: thread-safe, on one thread.
Result<ContradictionsOfNode> ContradictionsOf(const Snapshot& snapshot, NodeId node,
                                              std::int64_t now_ms, const NodeSubset& standing,
                                              std::uint64_t max_edges = 1'000);

}  // namespace plexus
