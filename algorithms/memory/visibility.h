// Visible nodes: what default recall may return.
//
// A node is visible at `now_ms` when it is an alive fact, valid then (valid_from
// <= now < valid_until, absent = unbounded) and not superseded. An edge of a kind
// that suppresses its target is active when its source is alive and now lies in
// the edge's own valid time; loops never count. Over the active edges:
//   - a strong component with an active edge arriving from outside is superseded;
//   - of the others, a single node (a head) stays, and of a cycle exactly one: the
//     source of the newest edge (created_at) inside it, ties by the smaller id.
// So a chain A <- B <- C shows C only, and unlinking shows the old one again. An
// expired head still hides what it replaced. `contradicts` hides nothing.
#pragma once

#include <cstdint>
#include <memory>

#include "algorithms/common/node_subset.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus {

struct VisibleOptions {
  bool include_superseded = false;  // only the time test
  bool use_cache = true;
  Executor* executor = nullptr;
};

// O(nodes + suppressing edges), no recursion, the first time. The answers for two times are kept
// with the state and carried to the states that follow by what changed, so the first question
// about a new snapshot is a look-up; so is one at another `now_ms` as long as no valid time lies
// between. Other times cost what becomes valid or expires in between. Thread-safe.
Result<std::shared_ptr<const NodeSubset>> VisibleNodes(const Snapshot& snapshot,
                                                       std::int64_t now_ms,
                                                       const VisibleOptions& options = {});

}  // namespace plexus
