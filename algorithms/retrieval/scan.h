// Reading and removing many nodes: scans by kind and column, payloads in stored order, expiry.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/error.h"
#include "engine/graph.h"
#include "engine/monitoring/monitoring.h"
#include "engine/snapshot.h"
#include "engine/vocabulary.h"

namespace plexus {

// --- ScanNodes: nodes by kind, by tag and by a range of a column's values, page by page.
//
//   NodeScan scan;
//   scan.kind = kNode;
//   scan.column = kCreatedAt;
//   scan.to = monday;                      // before it
//   Result<NodePage> page = ScanNodes(snapshot, scan);
//   scan.after = page->last;               // while page->more

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

// --- The payloads of many nodes, read in the order in which they are stored.

// Computes: calls fn(node, bytes) once for each of `nodes` that has a payload of the field, by
//   rising reference; the bytes are valid during the call. An error of one payload
//   (PayloadStore::Get) is handed to fn. One pass over the store instead of a search a node.
// Complexity: O(nodes log nodes + bytes). Memory: O(nodes).
// Errors: the store's own (closed, I/O): not all were called. kResourceExhausted: no memory.
// Threads: thread-safe; fn is called by the calling thread.
using EachNodePayload = std::function<void(NodeId, Result<std::string_view>)>;
Status ForEachPayload(const Snapshot& snapshot, std::span<const NodeId> nodes, NodeField field,
                      const EachNodePayload& fn);

// --- RemoveNodes removes the nodes that a scan finds and a test accepts. RemoveExpired removes
// nodes past their time to live.
//
// Every batch is made from the newest snapshot and requires that nothing was written since
// (WriteBatch::ExpectSequence). A node that another writer changes in between is tested again.

struct RemoveOptions {
  // Time of the batches, as of a WriteBatch. For RemoveExpired also the present; kNoTime: the
  // graph's clock (GraphOptions::now_ms), else its last time.
  std::int64_t now_ms = kNoTime;
  bool purge = false;                // PurgeNode for RemoveNode. A database follows with Scrub.
  std::uint64_t batch_nodes = 1000;  // Nodes tested for each batch, at least 1.
  Durability durability = Durability::kDefault;
  Progress* progress = nullptr;
};

struct RemoveReport {
  std::uint64_t removed = 0;
  Sequence sequence = 0;  // Of the graph, after the last batch.
};

using NodeTest = std::function<bool(const Snapshot&, NodeId)>;

// Computes: the removal of all nodes of `scan` that pass `test` (none: all of them). `scan.limit`
//   is not read. Each batch is atomic. Other writers may write between batches.
// Complexity: that of the scan, and one batch each `batch_nodes`.
// Errors: those of ScanNodes and Graph::Apply. kConflict: others wrote 100 times in a row between a
//   node's test and its removal. kCancelled: the progress was cancelled. Earlier batches stay
//   applied.
Result<RemoveReport> RemoveNodes(Graph& graph, const NodeScan& scan, const RemoveOptions& options,
                                 const NodeTest& test = {});

// Nodes of `kind` whose `since` is `ttl_ms` or more before now_ms. Nodes without a value stay.
struct TimeToLive {
  NodeKindId kind{};
  std::int64_t ttl_ms = 0;  // Not negative.
  ColumnId since = kCreatedAt;
};
// Computes: RemoveNodes for the nodes past their time to live.
// Errors: those of RemoveNodes.
Result<RemoveReport> RemoveExpired(Graph& graph, std::span<const TimeToLive> lives,
                                   const RemoveOptions& options);

}  // namespace plexus
