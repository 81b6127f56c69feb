// compact, checkpoint, trim, verify: care of a graph's directory.
#include <string>
#include <utility>

#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

const char* const kCareReply = "sequence:n, history_floor:n, disk_bytes:n, checkpoint_bytes:n";

// Closes, then says what is on disk now.
Result<Reply> Stands(Workspace& workspace, const std::string& done) {
  const Sequence sequence = workspace.graph().snapshot().sequence();
  PLEXUS_TRY(workspace.Close());
  const StorageStats stats = workspace.database().stats();
  Reply reply([sequence, stats](ReplyWriter& json) {
    json.Field("sequence", sequence);
    json.Field("history_floor", stats.history_floor);
    json.Field("disk_bytes", stats.disk_bytes);
    json.Field("checkpoint_bytes", stats.checkpoint_bytes);
  });
  reply.page = done + " at sequence " + std::to_string(sequence) + "\n";
  return reply;
}

Result<Reply> RunCompact(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(CheckTime(request));
  PLEXUS_TRY(workspace.graph().Compact());
  PLEXUS_TRY(workspace.database().Checkpoint(workspace.timed_progress()));
  return Stands(workspace, "compacted, checkpoint written");
}

Result<Reply> RunCheckpoint(Workspace& workspace, const Request&) {
  PLEXUS_TRY(workspace.database().Checkpoint(workspace.timed_progress()));
  return Stands(workspace, "checkpoint written");
}

Result<Reply> RunTrim(Workspace& workspace, const Request& request) {
  PLEXUS_ASSIGN(const Sequence cut, workspace.SequenceAt(request.Text("before")));
  const Sequence last = workspace.snapshot().sequence();
  if (cut > last)
    return NotFound("sequence ", cut, " lies in the future, the last record is ", last);
  PLEXUS_TRY(
      workspace.database().Trim(cut, workspace.timed_progress(), request.Flag("forget_keys")));
  PLEXUS_ASSIGN(Reply reply, Stands(workspace, ""));
  reply.page = "history trimmed: --as-of reaches back to sequence " +
               std::to_string(workspace.database().stats().history_floor) + "; the last is " +
               std::to_string(workspace.database().snapshot().sequence()) + "\n";
  return reply;
}

void WriteReport(ReplyWriter& json, const VerifyReport& report) {
  json.Field("ok", report.ok);
  json.BeginObject("checked");
  json.Field("records", report.records);
  json.Field("payloads", report.payloads);
  json.Field("checkpoints", report.checkpoints);
  json.Field("sections", report.sections);
  json.Field("bytes", report.bytes);
  json.Field("nodes", report.nodes);
  json.Field("edges", report.edges);
  json.Field("vectors", report.vectors);
  json.EndObject();
  json.Objects("problems", report.problems, [&](const VerifyProblem& problem) {
    json.Field("where", problem.where);
    json.Field("offset", problem.offset);
    json.Field("what", problem.what);
  });
  json.Values("notes", report.notes);
}

std::string Page(const VerifyReport& report) {
  std::string page;
  for (const VerifyProblem& problem : report.problems)
    page += "damage: " + Escaped(problem.where) + ", offset " + std::to_string(problem.offset) +
            ": " + Escaped(problem.what) + "\n";
  for (const std::string& note : report.notes) page += "note: " + Escaped(note) + "\n";
  return page + (report.ok ? "ok" : "DAMAGED") + ": checked " + Grouped(report.records) +
         " records, " + Grouped(report.payloads) + " payloads, " + Grouped(report.checkpoints) +
         " checkpoints, " + Grouped(report.nodes) + " nodes, " + Grouped(report.edges) +
         " edges, " + Grouped(report.vectors) + " vectors, " + Bytes(report.bytes) + "\n";
}

// A graph that cannot even be opened is a finding, too.
Result<VerifyReport> Check(Workspace& workspace, bool quick) {
  WorkspaceOptions options = workspace.options();
  options.access = Access::kRead;
  const Result<std::unique_ptr<Workspace>> opened = Workspace::Open(options);
  VerifyReport report;
  if (!opened) {
    if (opened.error().code != ErrorCode::kCorruption) return std::unexpected(opened.error());
    report.ok = false;
    report.problems.push_back({"open", 0, opened.error().message});
    return report;
  }
  workspace.warnings() = (*opened)->warnings();
  VerifyOptions verify;
  verify.against_replay = !quick;
  verify.progress = workspace.timed_progress();
  return (*opened)->database().Verify(verify);
}

Result<Reply> RunVerify(Workspace& workspace, const Request& request) {
  PLEXUS_ASSIGN(VerifyReport report, Check(workspace, request.Flag("quick")));
  std::string page = Page(report);
  const bool ok = report.ok;
  Reply reply([report = std::move(report)](ReplyWriter& json) { WriteReport(json, report); });
  reply.page = std::move(page);
  if (!ok) reply.failure = Error{ErrorCode::kCorruption, ""};
  return reply;
}

}  // namespace

void AddMaintenance(Rows& rows) {
  rows.push_back(
      {.name = "compact",
       .group = "Care",
       .title = "Compact",
       .summary = "Merge recent changes into the base and write a checkpoint",
       .effect = Effect::kWrite,
       .parameters = {},
       .reply = kCareReply,
       .examples = {{"plexus compact --db g", "after many small changes, for the fastest reads"},
                    {"plexus compact --db g --json", "the same for a script"}},
       .run = RunCompact,
       .reach = Reach::kDirectory});
  rows.push_back({.name = "checkpoint",
                  .group = "Care",
                  .title = "Checkpoint",
                  .summary = "Write a checkpoint, so that the next open is quick",
                  .effect = Effect::kWrite,
                  .parameters = {},
                  .reply = kCareReply,
                  .examples = {{"plexus checkpoint --db g",
                                "also done automatically, once enough was written"},
                               {"plexus checkpoint --db g --json", "the same for a script"}},
                  .run = RunCheckpoint,
                  .reach = Reach::kDirectory});
  rows.push_back({.name = "trim",
                  .group = "Care",
                  .title = "Forget history",
                  .summary = "Forget history up to a point; the present stays",
                  .effect = Effect::kDestroy,
                  .parameters = {Text("before", "SEQ|TIME", "the earliest state to keep")
                                     .Named(Means::kMoment)
                                     .Required(),
                                 Flag("forget_keys",
                                      "also forget the keys of nodes that were removed by then; a "
                                      "later node with such a key is a new one")},
                  .reply = kCareReply,
                  .examples = {{"plexus trim --db g --before 1200",
                                "forget what happened before sequence 1200"},
                               {"plexus trim --db g --before 2026-01-01",
                                "forget what happened before this year"}},
                  .run = RunTrim,
                  .reach = Reach::kDirectory});
  rows.push_back(
      {.name = "verify",
       .group = "Care",
       .title = "Check the directory",
       .summary = "Check log, digests, checkpoints and edges; exit code 4 when damaged",
       .parameters = {Flag("quick", "do not replay the log against the checkpoints")},
       .reply = "ok:b, checked:{records:n, payloads:n, checkpoints:n, sections:n, bytes:n, "
                "nodes:n, edges:n, vectors:n}, problems:[{where:s, offset:n, what:s}], notes:[s]",
       .examples = {{"plexus verify --db g", "check everything"},
                    {"plexus verify --db g --json --quick", "digests only, for a nightly script"}},
       .run = RunVerify,
       .access = OpensNothing,
       .reach = Reach::kDirectory});
}

}  // namespace plexus::tools
