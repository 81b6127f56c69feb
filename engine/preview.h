// Preview: the graph that a batch would make, and what it would change, without making it.
//
// A guardrail, a dry run or "what would this recall change" is an ordinary question asked of the
// preview. It is a snapshot like any other, of a sequence that the graph may never reach: nothing
// is journaled, the graph learns nothing, and what the batch writes (texts, properties, vectors)
// lies in RAM with the preview. A preview of a preview shows two batches one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/graph.h"
#include "engine/lineage.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"

namespace plexus {

struct PreviewOptions {
  // The host's clock and the bound on what lies ahead of it, as GraphOptions have them; absent: no
  // time is refused for lying ahead.
  std::optional<std::int64_t> now_ms = {};
  std::int64_t max_ahead_ms = 86'400'000;
  std::string scope = {};        // GraphOptions::scope
  Executor* executor = nullptr;  // for large runs; null: the calling thread
};

struct PreviewResult {
  Snapshot snapshot;   // the one asked of when nothing would change
  ApplyReport report;  // as Graph::Apply would give it
  // Nodes that are alive in the snapshot asked of and that the batch removes or purges, also where
  // it states them again further down; ascending ids.
  std::vector<NodeId> removed = {};
  StateChanges changes = {};  // From the snapshot asked of; in order.
};

// Computes the state that Graph::Apply(batch) would publish if `snapshot` were the newest state,
//   with the same checks and the same report. Kept values (engine/lineage.h) are carried over.
// Complexity: O(change) to resolve and apply; also it copies the lists of pages, one bit a
//   node, and the index of keys when the batch brings new ones, as the first batch after opening
//   does, and reads the runs of the delta once. No row of edges and no page of values is copied
//   that the batch does not touch.
// Errors: those of Graph::Apply: kInvalidArgument, kConflict (an expectation does not hold),
//   kAlreadyExists, kResourceExhausted; the payload store's own.
// Threads: pure; any number at once, of one snapshot, too. The preview holds the snapshot's payload
//   store, as the snapshot does.
Result<PreviewResult> Preview(const Snapshot& snapshot, const WriteBatch& batch,
                              const PreviewOptions& options = {});

}  // namespace plexus
