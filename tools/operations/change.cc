// One batch, one report.
#include "tools/operations/change.h"

#include <cstdint>

#include "tools/operations/memory/kept_rules.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

bool Any(const ChangeCounts& counts) {
  return counts.added + counts.changed + counts.same + counts.removed > 0;
}

// One line for people: "sequence 7: 1 edge new, 2 nodes new".
std::string Summary(const ApplyReport& report) {
  std::string text;
  const auto add = [&](std::uint64_t count, const char* noun, const char* what) {
    if (count == 0) return;
    std::string name = noun;
    if (count != 1 && name.ends_with('y'))
      name.replace(name.size() - 1, 1, "ies");
    else if (count != 1)
      name += 's';
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name + " " + what;
  };
  const auto add_all = [&](const ChangeCounts& counts, const char* noun) {
    add(counts.added, noun, "new");
    add(counts.changed, noun, "changed");
    add(counts.removed, noun, "removed");
  };
  add_all(report.edges, "edge");
  add_all(report.nodes, "node");
  add_all(report.events, "event");
  add_all(report.outcomes, "outcome");
  add_all(report.index, "index entry");
  return "sequence " + std::to_string(report.sequence) + ": " +
         (text.empty() ? "nothing to change" : text);
}

}  // namespace

const char* const kChangeShape =
    "sequence:n, dry_run?:b, nodes:{new:n, changed:n, same:n, removed?:n}, "
    "edges:{new:n, changed:n, same:n, removed?:n}, "
    "index:{new:n, changed:n, same:n, removed?:n}, "
    "events?:{new:n, changed:n, same:n, removed?:n}, "
    "outcomes?:{new:n, changed:n, same:n, removed?:n}";

bool IsDryRun(const Request& request) { return request.Has("dry_run") && request.Flag("dry_run"); }

std::string DryRunClosing(const Request& request) {
  return IsDryRun(request) ? "a dry run: nothing was written\n" : "";
}

Parameter DryRunParameter() { return Flag("dry_run", "say what would change, and write nothing"); }
Parameter ExpectSequenceParameter() {
  return Count("expect_sequence", "N", "only if the graph is at sequence N (else exit code 6)");
}

Access ChangesGraph(const Request& request) {
  return IsDryRun(request) ? Access::kRead : Access::kWrite;
}

Access MakesGraph(const Request& request) {
  if (IsDryRun(request)) return Access::kPreview;
  const bool expects =
      request.Has("expect_sequence") && request.MaybeCount("expect_sequence").value_or(0) > 0;
  return expects ? Access::kWrite : Access::kCreate;
}

Access AccessToWrite(const Request& request) {
  return request.operation().AccessFor(IsDryRun(request) ? request.Without("dry_run") : request);
}

WriteBatch MakeBatch(const Workspace& workspace, const Request& request) {
  WriteBatch batch(workspace.now_ms());
  if (!request.Has("expect_sequence")) return batch;
  if (const auto expected = request.MaybeCount("expect_sequence")) batch.ExpectSequence(*expected);
  return batch;
}

Result<PreviewResult> ApplyOrPreview(Workspace& workspace, const Request& request,
                                     const WriteBatch& batch) {
  PLEXUS_TRY(CheckTime(request));
  const bool dry = IsDryRun(request), checked = IsChecked(request);
  WriteBatch expecting;
  if (dry || checked) {
    PreviewOptions options;
    options.now_ms = workspace.options().clock_ms;
    options.executor = &workspace.executor();
    options.scope = workspace.graph().options().scope;
    PLEXUS_ASSIGN(PreviewResult preview, Preview(workspace.snapshot(), batch, options));
    if (checked) PLEXUS_TRY(ObeyRules(workspace, request, preview));
    preview.report.sequence = workspace.snapshot().sequence();
    if (dry) return preview;
    expecting.set_time_ms(batch.time_ms());
    expecting.Append(batch);
    expecting.ExpectSequence(workspace.snapshot().sequence());
  }
  PLEXUS_ASSIGN(ApplyReport report, workspace.graph().Apply(checked ? expecting : batch));
  return PreviewResult{.snapshot = workspace.graph().snapshot(), .report = std::move(report)};
}

Result<Sequence> ApplyIf(bool write, bool truncated, Workspace& workspace, const Request& request,
                         const WriteBatch& batch) {
  if (write && truncated)
    return FailedPrecondition(
        "the answer was cut short by its limits, so nothing of it is written");
  if (!write || batch.empty()) return workspace.snapshot().sequence();
  PLEXUS_TRY(CheckTime(request));
  PLEXUS_ASSIGN(const ApplyReport report, workspace.graph().Apply(batch));
  return report.sequence;
}

Access WritesWhenApplied(const Request& request) {
  return request.Flag("apply") ? Access::kWrite : Access::kRead;
}

Reply ChangeReply(const Request& request, const ApplyReport& report) {
  const bool dry = IsDryRun(request);
  Reply reply([report, dry](ReplyWriter& json) {
    json.Field("sequence", report.sequence);
    if (dry) json.Field("dry_run", true);
    WriteCounts(json, "nodes", report.nodes);
    WriteCounts(json, "edges", report.edges);
    WriteCounts(json, "index", report.index);
    if (Any(report.events)) WriteCounts(json, "events", report.events);
    if (Any(report.outcomes)) WriteCounts(json, "outcomes", report.outcomes);
  });
  reply.page = Summary(report) + "\n";
  reply.page += DryRunClosing(request);
  return reply;
}

Result<Reply> Change(Workspace& workspace, const Request& request, const WriteBatch& batch) {
  PLEXUS_ASSIGN(const PreviewResult changed, ApplyOrPreview(workspace, request, batch));
  return ChangeReply(request, changed.report);
}

}  // namespace plexus::tools
