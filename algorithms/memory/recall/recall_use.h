// What a recall leaves behind, as proposals next to the answer: the use of the memories that it
// gave, the edges among them made stronger, and the event that records them as evidence.
//
// Use: access_count + 1, and accessed_at = now unless a later use is stored. Reinforcement: an edge
// between two of the memories that is valid now, of any fact kind but `contradicts` and suppressing
// kinds, gets w <- 1 - (1 - w)(1 - a), as the concept graph of Tsuki raises a relation that is seen
// again (there a = 0.2). Weights outside of [0, 1) stay as they are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "algorithms/common/budget.h"
#include "algorithms/memory/ledger.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/write_batch.h"

namespace plexus {

struct RecallHit;

struct RecallUseOptions {
  std::int64_t now_ms = kNoTime;     // kNoTime: the snapshot's time.
  double reinforce = 0.2;            // a, in [0, 1]; 0: no edge is changed.
  std::uint64_t max_edges = 10'000;  // Arcs of a memory that are looked at.
  Budget budget = {};                // Its time and cancellation; counts are not looked at.
};

struct RecallUse {
  // It expects the memories and edges to be there still, so that a writer who removed one makes it
  // fail whole with kConflict. Counts are added, so uses of many writers add up; of two that use a
  // memory or reinforce an edge at once the later one's time and weight stay.
  WriteBatch batch;
  std::uint64_t memories = 0;
  std::uint64_t edges = 0;  // Whose weight rises.
  bool truncated = false;   // A memory has more arcs than were looked at.
  bool stopped = false;     // The time was up: the batch is not all.
};

// Computes: the batch of a use. A memory given twice is used once.
// Complexity: O(arcs of the memories, log).
// Errors: kInvalidArgument: no such node, a removed or index node, or `reinforce` out of range.
//   kResourceExhausted: no memory.
// Threads: thread-safe, on one thread.
Result<RecallUse> UseOf(const Snapshot& snapshot, std::span<const NodeId> memories,
                        const RecallUseOptions& options);

struct EvidenceOptions {
  std::string tool = "recall", mode = std::string(kDefaultEventMode);
  std::string props = {};                    // As NewEvent::props.
  double least = 0.5;                        // Of the best score, in [0, 1]: less is no evidence.
  std::span<const std::string> terms = {};   // Of the question, as they are indexed.
  std::uint64_t analyzed = 0, expanded = 0;  // Memories ranked, relations followed; 0: not said.
};

// Computes: the event that records hits as evidence, as vestige's deep_reference does. A hit that
//   is superseded has that role, one that contradicts a hit before it, or a memory outside of the
//   hits, is `contradicting`, as the other side is; of the others the first is primary, the rest
//   supporting. Members have rank, score, trust and preview. The event has confidence (best value
//   + min(0.03 per evidence, 0.2) - 0.1 per contradiction, in [0, 1]; a value is 0.5 of the best
//   score + 0.2 trust + 0.3 share of the question's terms), status (no_evidence,
//   contradictions_found, resolved above 0.7, partial_evidence), and the preview of its first
//   member. For RecordEvent; without hits it has no members, so nothing is recorded.
// Errors: kInvalidArgument: `least` out of range. kCorruption: from the payload store, props that
//   are no map.
// Threads: thread-safe.
Result<NewEvent> EventOfRecall(const Snapshot& snapshot, std::span<const RecallHit> hits,
                               std::string_view query, std::int64_t now_ms,
                               const EvidenceOptions& options = {});

// The first 160 bytes of a text, cut at a character, with "..." if there is more; line ends become
// blanks.
std::string PreviewOf(std::string_view text);

}  // namespace plexus
