// The work queue: what to review next, from six sources, as one ranked list.
//
//   conflict      an open conflict between active decisions
//   blocked_root  a decision that holds others up
//   overdue       an active decision without an outcome whose time has come
//   stale         an active decision that much depends on, unchanged for long
//   frontier      a pair of decisions that no event has together and no edge links
//                 (never_composed.h, kByLedger)
//   low_cluster   active decisions that edges tie together, two or more, none of them salient
//
// score = weight of the source x value; every value is in [0, 1]:
//   conflict      (1 + the larger percentile of salience of both sides) / 2
//   blocked_root  held / (held + 1), of the decisions to which it is the nearest root
//   overdue       (1 + late / (late + period)) / 2
//   stale         percentile x age / (age + period)
//   frontier      of the score s of the pair: s / (s + 2), of the lens kLikely, whose scores are
//                 logarithms, e^s / (e^s + 1)
//   low_cluster   (1 - the largest percentile) x size / (size + 2)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/memory/decision_status.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

enum class WorkKind : std::uint8_t {
  kConflict,
  kBlockedRoot,
  kOverdue,
  kStale,
  kFrontier,
  kLowCluster,
};
inline constexpr std::size_t kWorkKinds = 6;
std::string_view WorkName(WorkKind kind);  // "conflict" ...

struct WorkQueueOptions {
  DecisionOptions decisions = {};
  std::vector<WorkKind> kinds = {};  // Only of these sources. None: all.
  std::size_t top = 20;              // 0: all.
  std::size_t each = 0;              // At most so many of a source, the best. 0: no limit.
  double conflict_weight = 1, blocked_weight = 0.9, overdue_weight = 0.8, stale_weight = 0.6;
  double frontier_weight = 0.4, cluster_weight = 0.3;
  // An integer column with the time in ms when a decision is due; a graph may have none of the
  // name. Without a value it is due `period_ms` after created_at.
  std::string due_column = "review_at";
  std::int64_t period_ms = std::int64_t{30} * 86'400'000;
  double stale_percentile = 0.8;  // From here on a decision can be stale.
  double low_percentile = 0.5;    // A cluster is low where no decision is above it.
  std::size_t frontier = 5;       // Pairs of the frontier, at most 1000; 0: none, and no cost.
};

struct WorkItem {
  WorkKind kind = WorkKind::kConflict;
  NodeId node = kNoNode, other = kNoNode;  // other: of a pair. A cluster by its smallest key.
  double score = 0, value = 0, weight = 0;
  std::string reason = {};  // A sentence.
};

struct WorkQueueResult {
  std::vector<WorkItem> items;  // By falling score, ties by kind and ids.
  std::uint64_t total = 0;      // Before the list was cut.
  bool truncated = false;       // The budget ended salience, the conflicts or the frontier.
};

// Computes: the queue.
// Complexity: that of Salience, BlockedChains and NeverComposed, plus O(nodes + arcs).
// Errors: kInvalidArgument: a weight or percentile outside of [0, 1], a period that is not
//   positive, too many pairs. Those of Salience, BlockedChains, StatusOf and NeverComposed.
// Threads: thread-safe. The bits are the same at any thread count.
Result<WorkQueueResult> WorkQueue(const Snapshot& snapshot, const WorkQueueOptions& options = {});

}  // namespace plexus
