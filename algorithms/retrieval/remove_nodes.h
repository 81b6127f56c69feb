// RemoveNodes: removes what a scan finds and a test accepts; RemoveExpired: what has lived too
// long.
//
// Every batch is made from the newest snapshot and expects that nothing was written since
// (WriteBatch::ExpectSequence), so a node that another writer changes in between is tested again.
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
  std::int64_t now_ms = 0;           // time of the batches; for RemoveExpired also the present
  bool purge = false;                // PurgeNode for RemoveNode; of a database, Scrub follows
  std::uint64_t batch_nodes = 1000;  // looked at for each batch, at least 1
  Durability durability = Durability::kDefault;
  Progress* progress = nullptr;
};

struct RemoveReport {
  std::uint64_t removed = 0;
  Sequence sequence = 0;  // the graph's, after the last batch
};

using NodeTest = std::function<bool(const Snapshot&, NodeId)>;

// `scan.limit` is not used; no test: all that the scan finds. Each batch is whole or not there;
// they come one after another, so others write in between. Cost: the scan's, and a batch each
// `batch_nodes`. Errors: ScanNodes's and Apply's; kConflict when others wrote 100 times in a row
// between one node's test and its removal; kCancelled. What was removed before stays removed.
Result<RemoveReport> RemoveNodes(Graph& graph, const NodeScan& scan, const RemoveOptions& options,
                                 const NodeTest& test = {});

// Nodes of `kind` whose `since` is `ttl_ms` or more before now_ms; those without a value stay.
struct TimeToLive {
  NodeKindId kind{};
  std::int64_t ttl_ms = 0;  // not negative
  ColumnId since = kCreatedAt;
};
Result<RemoveReport> RemoveExpired(Graph& graph, std::span<const TimeToLive> lives,
                                   const RemoveOptions& options);

}  // namespace plexus
