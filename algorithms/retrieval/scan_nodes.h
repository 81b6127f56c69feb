// ScanNodes: nodes by kind, by tag and by a range of a column's values, page by page.
//
//   NodeScan scan;
//   scan.kind = kNode;
//   scan.column = kCreatedAt;
//   scan.to = monday;                      // before it
//   Result<NodePage> page = ScanNodes(snapshot, scan);
//   scan.after = page->last;               // while page->more
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus {

using ColumnValue = std::variant<double, std::int64_t, std::string>;

// The end of a page. It is valid in later snapshots: nodes that stay are neither skipped nor
// repeated.
struct NodeScanPosition {
  std::uint64_t key = 0;  // Of the column's value, or 0.
  NodeId node = 0;
  bool operator==(const NodeScanPosition&) const = default;
};

struct NodeScan {
  std::optional<NodeKindId> kind = {};
  std::optional<NodeId> tag = {};  // Nodes with a has_tag edge to this one.
  // Nodes with a value in this column, in its order. Absent: in the order of ids.
  std::optional<ColumnId> column = {};
  std::optional<ColumnValue> from = {};    // Values not less than this.
  std::optional<ColumnValue> to = {};      // Values less than this.
  std::optional<ColumnValue> equals = {};  // The only bound for a column of strings.
  bool descending = false;                // The exact reverse order.
  bool facts_only = true;                 // No tags, events, terms, outcomes.
  std::uint64_t limit = 100;              // Nodes of a page. 0: all.
  std::optional<NodeScanPosition> after = {};  // The end of the page before.
};

struct NodePage {
  std::vector<NodeId> nodes;  // Alive.
  bool more = false;          // There may be more behind `last`.
  NodeScanPosition last;      // Of the last node. Without one the scan's own `after`.
};

// Computes: one page of the matching nodes, maybe an empty one. Ascending and descending scans
//   return the same nodes.
// Complexity: O(log nodes + nodes read) of the range, the kind or the tag, whichever is the
//   shortest. The first scan of an order takes O(nodes log nodes). Orders by column and by kind are
//   kept with the state, and changes carry them.
// Errors: kInvalidArgument: no such kind, tag or column; a bound without a column, of another type
//   than the column or not a number; `from` or `to` for strings. kResourceExhausted: no memory.
// Threads: thread-safe.
Result<NodePage> ScanNodes(const Snapshot& snapshot, const NodeScan& scan);

}  // namespace plexus
