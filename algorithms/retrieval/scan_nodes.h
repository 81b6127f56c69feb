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

// Where a page ended. Means the same in a later snapshot: what was there before and stays is
// neither left out nor told twice.
struct NodeScanPosition {
  std::uint64_t key = 0;  // of the column's value, or 0
  NodeId node = 0;
  bool operator==(const NodeScanPosition&) const = default;
};

struct NodeScan {
  std::optional<NodeKindId> kind;
  std::optional<NodeId> tag;  // nodes with a has_tag edge to this one
  // Nodes with a value in this column, in its order; without it in the order of ids.
  std::optional<ColumnId> column;
  std::optional<ColumnValue> from;        // not less than this
  std::optional<ColumnValue> to;          // less than this
  std::optional<ColumnValue> equals;      // the only one for a column of strings
  bool descending = false;                // the exact reverse
  bool facts_only = true;                 // no tags, events, terms, outcomes
  std::uint64_t limit = 100;              // nodes a page; 0: all
  std::optional<NodeScanPosition> after;  // of the page before
};

struct NodePage {
  std::vector<NodeId> nodes;  // alive
  bool more = false;          // there may be more behind `last`
  NodeScanPosition last;      // of the last node; the scan's own `after` when there is none
};

// The orders by column and by kind are kept with the state and carried to the states that follow
// (node_order.h), O(nodes log nodes) the first time. Then O(log nodes + nodes looked at): of the
// range, the kind or the tag, whichever is the shortest to read. The same nodes whichever way.
// Nothing that fits is an empty page. Thread-safe. kInvalidArgument: no such kind, tag or column; a
// bound without a column, of another type than the column's or not a number; `from` or `to` of
// strings.
Result<NodePage> ScanNodes(const Snapshot& snapshot, const NodeScan& scan);

}  // namespace plexus
