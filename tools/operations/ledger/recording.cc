// Applying a batch of the ledger; see recording.h.
#include "tools/operations/ledger/recording.h"

#include "algorithms/retrieval/terms.h"
#include "tools/operations/change.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/term_operations.h"

namespace plexus::tools {

Result<Written> ApplyToLedger(Workspace& workspace, const Request& request,
                              const WriteBatch& proposed) {
  const Snapshot& before = workspace.snapshot();
  WriteBatch batch = MakeBatch(workspace, request);
  batch.Append(proposed);
  Written written;
  written.dry_run = IsDryRun(request);
  written.snapshot = before;
  written.report.sequence = before.sequence();
  if (batch.empty()) return written;
  PLEXUS_ASSIGN(const retrieval::TermRecord record, retrieval::ReadTermRecord(before));
  if (retrieval::HasTerms(before) || record.stored) PLEXUS_TRY(KeepTerms(workspace, batch));
  PLEXUS_ASSIGN(static_cast<PreviewResult&>(written), ApplyOrPreview(workspace, request, batch));
  return written;
}

Result<Recording> RecordInLedger(Workspace& workspace, const Request& request,
                                 const memory::NewEvent& event, const WriteBatch& also) {
  PLEXUS_ASSIGN(memory::RecordedEvent recorded, memory::RecordEvent(workspace.snapshot(), event));
  Recording recording;
  recording.event_id = recorded.id;
  recording.query_hash = recorded.query_hash;
  recording.stubs = recorded.stubs;
  recording.status = recorded.empty      ? "skipped_empty"
                     : IsDryRun(request) ? "not_written"
                                         : "persisted";
  if (!recorded.empty) recorded.batch.Append(also);
  PLEXUS_ASSIGN(recording.written, ApplyToLedger(workspace, request, recorded.batch));
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
