// The importer fills the batches; the copy in RAM takes them one by one, and all are joined.
#include "tools/operations/proposal.h"

#include <memory>
#include <optional>

#include "storage/formats/import.h"
#include "tools/operations/term_operations.h"

namespace plexus::tools {

Result<PreviewResult> ReadProposal(Workspace& workspace, const std::string& source,
                                   std::string_view lines, bool with_terms) {
  const Snapshot& snapshot = workspace.snapshot();
  GraphOptions in_memory;
  in_memory.executor = &workspace.executor();
  const std::unique_ptr<Graph> copy = Graph::InMemory(in_memory, snapshot);
  if (!copy) return Exhausted("no memory for a copy of the graph");
  WriteBatch joined(workspace.now_ms()), last;  // last: handed to the copy
  Sequence last_before = 0;                     // where the copy was then
  std::optional<TermKeeper> keeper;
  if (with_terms) PLEXUS_SET(keeper, TermKeeper::Make(workspace, false));
  formats::ImportOptions options;
  options.format = formats::FileFormat::kJsonLines;
  options.now_ms = workspace.now_ms();
  options.executor = &workspace.executor();
  options.progress = workspace.timed_progress();
  // A batch that the copy refused raised no sequence; its records come again in halves.
  const auto join_last = [&](const Snapshot& now) {
    if (now.sequence() > last_before) joined.Append(last);
    joined.ClearExpectations();  // of the copy, as it was before each batch
  };
  options.complete = [&](const Snapshot& now, WriteBatch& batch) -> Status {
    if (keeper && keeper->on()) PLEXUS_TRY(keeper->Complete(now, batch));
    join_last(now);
    last = batch;
    last_before = now.sequence();
    return {};
  };
  PLEXUS_ASSIGN(const formats::ImportReport report,
                formats::ImportBytes(*copy, source, lines, options));
  if (report.stopped)
    return Invalid(report.kept_errors.empty() ? source + ": it cannot be read"
                                              : report.kept_errors.front().ToString());
  join_last(copy->snapshot());
  PreviewOptions preview;
  preview.executor = &workspace.executor();
  preview.scope = workspace.graph().options().scope;
  return Preview(snapshot, joined, preview);
}

}  // namespace plexus::tools
