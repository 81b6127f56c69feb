// Loading: the newest checkpoint at or below a sequence, then the log's tail.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "engine/snapshot.h"
#include "engine/state.h"
#include "storage/checkpoint/checkpoint.h"
#include "storage/encoding/anchor.h"
#include "storage/log/log_reader.h"
#include "storage/verify/checkpoint_damage.h"

namespace plexus::storage_internal {

struct LoadRequest {
  GraphId graph_id;
  LogPoint floor;                                      // {0, FirstHash} when untrimmed
  Sequence target = ~Sequence{0};                      // replay up to here
  const std::map<NodeId, Sequence>* purged = nullptr;  // mask what was purged after target
  const Snapshot* present = nullptr;                   // what those purges left of it
  bool use_checkpoints = true;                         // false: from nothing, if it can be
  bool strict = false;                                 // no way round a damaged checkpoint
  std::uint64_t without = 0;                           // a checkpoint not to be believed
  const ClosedCheckpoint* closed = nullptr;            // of files that are as they were closed
  std::uint64_t last_checkpoint = ~std::uint64_t{0};   // see InForce
  std::shared_ptr<const PayloadStore> payloads;
  Executor* executor = nullptr;
  Progress* progress = nullptr;
};

struct Loaded {
  std::shared_ptr<const FrozenState> state;
  LogPoint point;  // of the last record applied
  Sequence checkpoint_sequence = 0;
  std::uint64_t checkpoint_bytes = 0;
  std::uint64_t replayed_records = 0;
  std::uint64_t tail_bytes = 0;
  std::vector<DamagedCheckpoint> damaged;  // found on the way
};

// A checkpoint that cannot be read is left for an older one, and that for the log from the
// floor. kCorruption names the record or section when nothing is left; with a finite target also
// when the log ends before it.
Result<Loaded> LoadState(const std::shared_ptr<Rocks>& rocks, const LoadRequest& request);

// From `request.closed`, whose sequence is `request.target`: nothing is asked of `rocks`.
// REQUIRES that no purge counts.
Result<Loaded> LoadClosed(const std::shared_ptr<Rocks>& rocks, const LoadRequest& request);

// Node -> sequence of its last purge, as the meta family says; sequences above
// `last` belong to records that a crash took and are left out.
Result<std::map<NodeId, Sequence>> ReadPurges(const std::shared_ptr<Rocks>& rocks,
                                              const char* prefix, Sequence last);
// Whether the meta family has a mark of a purge, or of what is to be scrubbed or forgotten.
Result<bool> HasPurges(const std::shared_ptr<Rocks>& rocks);

}  // namespace plexus::storage_internal
