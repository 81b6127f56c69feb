// Applying a batch of the ledger; see recording.h.
#include "tools/operations/ledger/recording.h"

#include <memory>
#include <utility>

#include "tools/operations/reply_parts.h"
#include "tools/operations/scratch_graph.h"
#include "tools/operations/term_operations.h"
#include "tools/operations/term_record.h"

namespace plexus::tools {

const char* const kWrittenShape =
    "dry_run?:b, sequence:n, nodes:{new:n, changed:n, same:n, removed?:n}, "
    "edges:{new:n, changed:n, same:n, removed?:n}, index:{new:n, changed:n, same:n, removed?:n}, "
    "events:{new:n, changed:n, same:n, removed?:n}, "
    "outcomes:{new:n, changed:n, same:n, removed?:n}";

Result<Written> ApplyToLedger(Workspace& workspace, WriteBatch batch, bool dry_run) {
  Written written;
  written.dry_run = dry_run;
  const Snapshot& before = workspace.snapshot();
  std::unique_ptr<Graph> copy;
  if (dry_run) {
    GraphOptions options;
    options.executor = &workspace.executor();
    copy = ScratchGraph(before, options);
    if (!copy) return Fail(ErrorCode::kResourceExhausted, "no memory for a copy of the graph");
  }
  Graph& graph = dry_run ? *copy : workspace.graph();
  if (batch.empty()) {
    written.report.sequence = before.sequence();
    written.after = before;
    return written;
  }
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(before));
  if (!dry_run && HasTerms(before) && record.terms.event_queries) {
    PLEXUS_ASSIGN(TermKeeper keeper, TermKeeper::Make(workspace, false));
    PLEXUS_TRY(keeper.Complete(before, batch));
  }
  PLEXUS_ASSIGN(written.report, graph.Apply(batch));
  if (dry_run) written.report.sequence = before.sequence();
  written.after = graph.snapshot();
  return written;
}

Result<Recording> RecordInLedger(Workspace& workspace, const NewEvent& event, bool dry_run) {
  PLEXUS_ASSIGN(RecordedEvent recorded, RecordEvent(workspace.snapshot(), event));
  Recording recording;
  recording.event_id = recorded.id;
  recording.query_hash = recorded.query_hash;
  recording.stubs = recorded.stubs;
  recording.status = recorded.empty ? "skipped_empty" : dry_run ? "not_written" : "persisted";
  PLEXUS_ASSIGN(recording.written, ApplyToLedger(workspace, std::move(recorded.batch), dry_run));
  return recording;
}

void WriteWritten(ReplyWriter& json, const Written& written) {
  if (written.dry_run) json.Field("dry_run", true);
  WriteApplyReport(json, written.report);
  WriteCounts(json, "events", written.report.events);
  WriteCounts(json, "outcomes", written.report.outcomes);
}

Parameter DryRunParameter() { return Flag("dry_run", "say what would change, and change nothing"); }

Access WriteUnlessDry(const Request& request) {
  return request.Flag("dry_run") ? Access::kRead : Access::kWrite;
}

}  // namespace plexus::tools
