// Visible nodes: the nodes that default recall may return.
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
#pragma once

#include <cstdint>
#include <memory>

#include "algorithms/common/budget.h"
#include "algorithms/common/node_subset.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus {

struct VisibleOptions {
  bool include_superseded = false;  // Only the valid time is tested.
  bool use_cache = true;            // False: the set is computed again and not kept.
  Executor* executor = nullptr;
  Budget budget = {};  // Deadline and cancel flag count, while the set is found from nothing.
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

// Whether the budget ran out before the set was found.
inline bool RanOut(const Result<std::shared_ptr<const NodeSubset>>& visible) {
  return !visible && visible.error().code == ErrorCode::kCancelled;
}

}  // namespace plexus
