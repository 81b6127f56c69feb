// A state of the graph by the times that its records have of their own, not by when they were
// written: what could be known at a time of a history that was imported later.
#pragma once

#include <cstdint>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"
#include "storage/database.h"

namespace plexus::tools {

// `snapshot` without facts, events and outcomes whose created_at is later than `time_ms`, and
// without later edges between facts. A fact that an earlier event has as a member was there. What
// has no created_at is kept, and so are tags, terms, files and sessions.
// A created_at that is the time of a batch is no time of the record's own: an edge with such a one
// is kept if both its ends are, a node if an earlier event or edge has it. Times of batches are
// those of `database` (null, or trimmed: only that of `snapshot` is known). A session of a scope
// has none: by times of all batches it would learn when other scopes write.
// Values and the sequence are those of `snapshot`. O(nodes + edges), and some readings of the log
// for each batch after `time_ms`.
// Errors: kCancelled: the budget ran out. kResourceExhausted: no memory. Those of SequenceAtTime.
Result<Snapshot> AtEventTime(const Snapshot& snapshot, std::int64_t time_ms, Database* database,
                             const Budget& budget, Executor& executor);

}  // namespace plexus::tools
