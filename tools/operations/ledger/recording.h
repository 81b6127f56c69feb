// Writing to the ledger: a batch applied, or what it would do.
#pragma once

#include <string>
#include <string_view>

#include "algorithms/memory/ledger/ledger.h"
#include "engine/error.h"
#include "engine/graph.h"
#include "engine/write_batch.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/reply_writer.h"

namespace plexus::tools {

// What came of a batch. A dry run leaves the graph's sequence as it is.
struct Written : PreviewResult {
  bool dry_run = false;
};
// Terms of events come with it, where the index has them. Under the request's dry_run and
// expect_sequence, where the row has them.
Result<Written> ApplyToLedger(Workspace& workspace, const Request& request,
                              const WriteBatch& proposed);

struct Recording {
  std::string event_id, query_hash;
  std::string_view status;  // persisted, skipped_empty, not_written
  std::uint64_t stubs = 0;
  Written written;
};
// `also` is written with the event, in one batch, unless there is nothing to write.
// Errors: those of RecordEvent and Graph::Apply.
Result<Recording> RecordInLedger(Workspace& workspace, const Request& request,
                                 const memory::NewEvent& event,
                                 const WriteBatch& also = WriteBatch());

// What the report says, as members of kChangeShape (change.h).
void WriteWritten(ReplyWriter& json, const Written& written);

}  // namespace plexus::tools
