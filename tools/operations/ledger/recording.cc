// Applying a batch of the ledger; see recording.h.
#include "tools/operations/ledger/recording.h"

#include <utility>

#include "engine/preview.h"
#include "tools/operations/change.h"
#include "tools/operations/reply_parts.h"
#include "tools/operations/term_operations.h"
#include "tools/operations/term_record.h"

namespace plexus::tools {

Result<Written> ApplyToLedger(Workspace& workspace, const Request& request, WriteBatch batch) {
  const Snapshot& before = workspace.snapshot();
  Written written;
  written.dry_run = IsDryRun(request);
  written.report.sequence = before.sequence();
  written.after = before;
  if (batch.empty()) return written;
  if (request.Has("expect_sequence"))
    if (const auto expected = request.MaybeCount("expect_sequence"))
      batch.ExpectSequence(*expected);
  if (written.dry_run) {
    PreviewOptions options;
    options.now_ms = workspace.options().clock_ms;
    options.executor = &workspace.executor();
    PLEXUS_ASSIGN(PreviewResult preview, Preview(before, batch, options));
    written.report = std::move(preview.report);
    written.report.sequence = before.sequence();
    written.after = std::move(preview.snapshot);
    return written;
  }
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(before));
  if (HasTerms(before) && record.terms.event_queries) {
    PLEXUS_ASSIGN(TermKeeper keeper, TermKeeper::Make(workspace, false));
    PLEXUS_TRY(keeper.Complete(before, batch));
  }
  PLEXUS_ASSIGN(written.report, workspace.graph().Apply(batch));
  written.after = workspace.graph().snapshot();
  return written;
}

Result<Recording> RecordInLedger(Workspace& workspace, const Request& request,
                                 const NewEvent& event) {
  PLEXUS_ASSIGN(RecordedEvent recorded, RecordEvent(workspace.snapshot(), event));
  Recording recording;
  recording.event_id = recorded.id;
  recording.query_hash = recorded.query_hash;
  recording.stubs = recorded.stubs;
  recording.status = recorded.empty      ? "skipped_empty"
                     : IsDryRun(request) ? "not_written"
                                         : "persisted";
  PLEXUS_ASSIGN(recording.written, ApplyToLedger(workspace, request, std::move(recorded.batch)));
  return recording;
}

void WriteWritten(ReplyWriter& json, const Written& written) {
  json.Field("sequence", written.report.sequence);
  if (written.dry_run) json.Field("dry_run", true);
  WriteCounts(json, "nodes", written.report.nodes);
  WriteCounts(json, "edges", written.report.edges);
  WriteCounts(json, "index", written.report.index);
  WriteCounts(json, "events", written.report.events);
  WriteCounts(json, "outcomes", written.report.outcomes);
}

}  // namespace plexus::tools
