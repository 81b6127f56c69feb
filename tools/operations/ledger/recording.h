// Writing to the ledger: a batch applied, or tried on a copy that goes.
#pragma once

#include <string>
#include <string_view>

#include "algorithms/memory/ledger.h"
#include "engine/error.h"
#include "engine/graph.h"
#include "engine/write_batch.h"
#include "tools/operations/reply_writer.h"
#include "tools/operations/request.h"
#include "tools/operations/workspace.h"

namespace plexus::tools {

// What came of a batch. A dry run leaves the graph's sequence as it is.
struct Written {
  ApplyReport report;
  Snapshot after;  // the copy's, of a dry run
  bool dry_run = false;
};
// Terms of events come with it, where the index has them.
Result<Written> ApplyToLedger(Workspace& workspace, WriteBatch batch, bool dry_run);

struct Recording {
  std::string event_id, query_hash;
  std::string_view status;  // persisted, skipped_empty, not_written
  std::uint64_t stubs = 0;
  Written written;
};
// Errors: those of RecordEvent and Graph::Apply.
Result<Recording> RecordInLedger(Workspace& workspace, const NewEvent& event, bool dry_run);

// "dry_run", and what the report says, as members.
void WriteWritten(ReplyWriter& json, const Written& written);
extern const char* const kWrittenShape;

Parameter DryRunParameter();
// Reading, when the request is a dry run.
Access WriteUnlessDry(const Request& request);

}  // namespace plexus::tools
