// RemoveNodes removes the nodes that a scan finds and a test accepts. RemoveExpired removes nodes
// past their time to live.
//
// Every batch is made from the newest snapshot and requires that nothing was written since
// (WriteBatch::ExpectSequence). A node that another writer changes in between is tested again.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "algorithms/retrieval/scan_nodes.h"
#include "engine/graph.h"
#include "engine/monitoring/progress.h"
#include "engine/vocabulary.h"

namespace plexus {

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
