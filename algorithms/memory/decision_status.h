// Decisions: which nodes are decisions, what state each is in, what holds it in the graph.
//
//   recorded   its column `outcome` says anything but "pending"
//   resolved   recorded, or superseded
//   active     visible (visibility.h), and its outcome is not "abandoned"
//
// A graph that had a column `outcome` of its own, of strings, is read by that one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/common/node_subset.h"
#include "algorithms/common/run_options.h"
#include "algorithms/memory/conflicts.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/vocabulary.h"

namespace plexus {

// What the functions of decisions_*.h share.
struct DecisionOptions {
  std::int64_t now_ms = kNoTime;       // kNoTime: the snapshot's time.
  const NodeSubset* subset = nullptr;  // The decisions. Null: every alive node of kind decision.
  // What else may be counted or named: ends of edges, heads, members of events. Null: all.
  const NodeSubset* inside = nullptr;
  RunOptions run = {};  // Of a budget only the deadline and the cancel flag.
};

// Computes: the alive nodes of kind decision, inside `within` when there is one. O(nodes).
// Errors: kResourceExhausted: no memory. Threads: thread-safe.
Result<NodeSubset> Decisions(const Snapshot& snapshot, const NodeSubset* within = nullptr);

// A string column that was built in: its values, "" where none exists. Looked up once; values are
// valid as long as the snapshot is. REQUIRES that the snapshot outlives it.
class StringColumn {
 public:
  StringColumn(const Snapshot& snapshot, ColumnId builtin)
      : snapshot_(&snapshot), column_(snapshot.schema().ColumnFor(builtin)) {}
  std::string_view operator[](NodeId node) const {
    const auto value = column_ ? snapshot_->string_column(*column_, node) : std::nullopt;
    return value ? snapshot_->string(*value) : std::string_view();
  }

 private:
  const Snapshot* snapshot_;
  std::optional<ColumnId> column_;
};
inline std::string_view StringOf(const Snapshot& snapshot, ColumnId builtin, NodeId node) {
  return StringColumn(snapshot, builtin)[node];
}
inline std::string_view OutcomeOf(const Snapshot& snapshot, NodeId node) {
  return StringOf(snapshot, kDecisionOutcome, node);
}
// Anything but "" and "pending".
bool IsRecorded(std::string_view outcome);
// The one is "success", the other "failure".
bool OpposingOutcomes(std::string_view a, std::string_view b);

struct DecisionStatus {
  NodeId node = kNoNode;
  NodeId superseded_by = kNoNode;  // The head (supersession.h). kNoNode: it was not superseded.
  std::string_view outcome;        // As stored; valid as long as the snapshot is.
  bool recorded = false, resolved = false, active = false;
  bool operator==(const DecisionStatus&) const = default;
};

// Computes: the state of each node, in the order given.
// Complexity: O(nodes given, edges that lead to what superseded them, log).
// Errors: kInvalidArgument: no such node. kResourceExhausted: no memory.
// Threads: thread-safe.
Result<std::vector<DecisionStatus>> StatusOf(const Snapshot& snapshot,
                                             std::span<const NodeId> nodes, std::int64_t now_ms);

// Computes: the open conflicts (conflicts.h) between active decisions.
// Complexity: O(nodes + arcs). Errors: those of OpenConflicts. Threads: thread-safe.
Result<OpenConflictsResult> DecisionContradictions(const Snapshot& snapshot,
                                                   const DecisionOptions& options = {});

// Edge counts of a decision, to flag unlinked notes.
struct EdgeQuality {
  std::uint64_t edges = 0;  // Fact edges of either direction that are valid at the time.
  std::uint32_t kinds = 0;  // Distinct kinds among them; a direction is a kind of its own.
  double diversity = 0;     // 1 - sum of (share of a kind)^2 (Simpson, 1949): 0 for one kind.
  bool operator==(const EdgeQuality&) const = default;
};

// Computes: the quality of each node, in the order given; of edges to nodes of `inside` only, when
// there is one. O(arcs of the nodes).
// Errors: kInvalidArgument: no such node. Threads: thread-safe.
Result<std::vector<EdgeQuality>> QualityOf(const Snapshot& snapshot, std::span<const NodeId> nodes,
                                           std::int64_t now_ms, const NodeSubset* inside = nullptr);

}  // namespace plexus
