// What a recall leaves behind, as proposals beside the answer: the use of the memories that it
// gave, the edges among them made stronger, and the event that records them as evidence.
//
// Use: access_count + 1, and accessed_at = now unless a later use is stored. Reinforcement: an edge
// between two of the memories that is valid now, of any fact kind but `contradicts` and suppressing
// kinds, gets w <- 1 - (1 - w)(1 - a), as the concept graph of Tsuki raises a relation that is seen
// again (there a = 0.2). Weights outside of [0, 1) stay as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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
};

struct RecallUse {
  // It expects the memories and edges to be there still, so that a writer who removed one makes it
  // fail whole with kConflict. Counts are added, so uses of many writers add up; of two that use a
  // memory or reinforce an edge at once the later one's time and weight stay.
  WriteBatch batch;
  std::uint64_t memories = 0;
  std::uint64_t edges = 0;  // Whose weight rises.
  bool truncated = false;   // A memory has more arcs than were looked at.
};

// Computes: the batch of a use. A memory given twice is used once.
// Complexity: O(arcs of the memories, log).
// Errors: kInvalidArgument: no such node, a removed or index node, or `reinforce` out of range.
//   kResourceExhausted: no memory.
// Threads: thread-safe, on one thread.
Result<RecallUse> UseOf(const Snapshot& snapshot, std::span<const NodeId> memories,
                        const RecallUseOptions& options);

// Computes: the event that records hits as evidence: tool "recall", the first member primary, the
//   others supporting, with rank, score, trust and preview. For RecordEvent; without hits it has no
//   members, so nothing is recorded. At most kMaxEventMembers hits become members.
// Errors: kCorruption: from the payload store.
// Threads: thread-safe.
Result<NewEvent> EventOfRecall(const Snapshot& snapshot, std::span<const RecallHit> hits,
                               std::string_view query, std::int64_t now_ms);

// The first 160 bytes of a text, cut at a character, with "..." if there is more; line ends become
// blanks.
std::string PreviewOf(std::string_view text);

}  // namespace plexus
