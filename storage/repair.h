// Repair: a new database from what can still be read of a damaged one.
//
// Everything that the old files hold is looked for, by their bytes, whatever RocksDB says of
// them (salvage.h); nothing in the old directory is changed. Only data whose digest verifies
// is used: records by their digests and the running hash, checkpoints by the digests of their
// sections and the log's hash, payloads by theirs. The new database has the whole history when the
// log is sound from its beginning to its end; else it begins at the earliest checkpoint behind
// which it is, which then is the history floor; and when no checkpoint bridges a gap of the log,
// it ends where the gap begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/monitoring/monitoring.h"
#include "engine/parallel.h"
#include "engine/types.h"
#include "storage/database.h"

namespace plexus {

struct RecordRange {
  Sequence from = 0, to = 0;
};

// A text, a property map or a vector that cannot be read any more.
struct LostContent {
  std::string key = {};  // of the node, or of the edge's source
  std::string what =
      {};  // "text", "properties", "vector default", "properties of its edge kind target"
};

struct RepairReport {
  // The present state is as the damaged database had it, with all that its nodes hold.
  bool complete = true;
  Sequence sequence = 0;       // last record of the new database
  Sequence history_floor = 0;  // AsOf reaches down to here, 0 = the beginning
  std::uint64_t nodes = 0, edges = 0;
  std::vector<RecordRange> lost_records;   // of the present state
  std::vector<RecordRange> lost_history;   // their effect is in the state, AsOf cannot show it
  std::vector<LostContent> lost_contents;  // of the present state
  std::uint64_t lost_old_contents = 0;     // texts and the like that only the past had
  std::vector<DamagedCheckpoint> lost_checkpoints;
  std::vector<VerifyProblem> damage;  // what was found; the first 1,000
  std::vector<std::string> notes;     // no loss: what cannot be known
};

struct RepairOptions {
  Executor* executor = nullptr;  // null: DefaultExecutor()
  Progress* progress = nullptr;
};

// Computes: the database `to` (a new or empty directory) from `from`, verified and closed. When it
//   fails or is stopped, `to` is empty again; when the process ends meanwhile, opening `to` says
//   that it was never completed.
// Complexity: O(bytes of `from`). Memory: one of its files and the graph.
// Threads: thread-safe; one call a directory.
// Errors: kNotFound (no database), kLocked (a writer has it open), kAlreadyExists (`to`),
// kCorruption (nothing could be saved), kUnsupported (a newer format), kCancelled, kIo.
Result<RepairReport> Repair(const std::string& from, const std::string& to,
                            const RepairOptions& options = {});

}  // namespace plexus
