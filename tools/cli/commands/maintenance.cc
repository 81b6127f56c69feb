// compact, checkpoint, trim, verify: care of a graph's directory.
#include <string>

#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/operations/json_writer.h"

namespace plexus::tools {
namespace {

// Closes, then tells what stands on disk now.
// Of a trim, that is where history begins now.
Result<int> Answer(Session& session, const char* done, bool trimmed = false) {
  const Sequence sequence = session.database().snapshot().sequence();
  PLEXUS_TRY(session.Close());
  const storage::StorageStats stats = session.database().stats();
  if (session.globals().json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("sequence", sequence);
    json.Field("history_floor", stats.history_floor);
    json.Field("disk_bytes", stats.disk_bytes);
    json.Field("checkpoint_bytes", stats.checkpoint_bytes);
    json.EndObject();
    Out() << '\n';
  } else if (trimmed) {
    Out() << done << ": --as-of reaches back to sequence " << stats.history_floor
          << "; the last is " << sequence << '\n';
  } else {
    Out() << done << " at sequence " << sequence << '\n';
  }
  return kDone;
}

Result<int> RunCompact(const Globals& globals) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kWrite));
  PLEXUS_TRY(session->graph().Compact());
  PLEXUS_TRY(session->database().Checkpoint(session->progress()));
  return Answer(*session, "compacted, checkpoint written");
}

Result<int> RunCheckpoint(const Globals& globals) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kWrite));
  PLEXUS_TRY(session->database().Checkpoint(session->progress()));
  return Answer(*session, "checkpoint written");
}

Result<int> RunTrim(const Globals& globals, const std::string& before) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kWrite));
  PLEXUS_ASSIGN(const Sequence cut, SequenceAt(session->database(), before));
  if (cut > session->snapshot().sequence())
    return Fail(ErrorCode::kNotFound, "sequence " + std::to_string(cut) +
                                          " is in the future; the last is " +
                                          std::to_string(session->snapshot().sequence()));
  PLEXUS_TRY(session->database().Trim(cut, session->progress()));
  return Answer(*session, "history trimmed", true);
}

void WriteReport(const storage::VerifyReport& report) {
  JsonWriter json(Out());
  json.BeginObject();
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
  json.BeginArray("problems");
  for (const storage::VerifyProblem& problem : report.problems) {
    json.BeginObject();
    json.Field("where", problem.where);
    json.Field("offset", problem.offset);
    json.Field("what", problem.what);
    json.EndObject();
  }
  json.EndArray();
  json.BeginArray("notes");
  for (const std::string& note : report.notes) json.Value(note);
  json.EndArray();
  json.EndObject();
  Out() << '\n';
}

void PrintReport(const storage::VerifyReport& report) {
  for (const storage::VerifyProblem& problem : report.problems)
    Out() << "damage: " << Escaped(problem.where) << ", offset " << problem.offset << ": "
          << Escaped(problem.what) << '\n';
  for (const std::string& note : report.notes) Out() << "note: " << Escaped(note) << '\n';
  Out() << (report.ok ? "ok" : "DAMAGED") << ": checked " << Grouped(report.records) << " records, "
        << Grouped(report.payloads) << " payloads, " << Grouped(report.checkpoints)
        << " checkpoints, " << Grouped(report.nodes) << " nodes, " << Grouped(report.edges)
        << " edges, " << Grouped(report.vectors) << " vectors, " << Bytes(report.bytes) << '\n';
}

// A graph that cannot even be opened is a finding, too.
Result<storage::VerifyReport> Check(const Globals& globals, bool quick) {
  Result<std::unique_ptr<Session>> session = Session::Open(globals, Access::kRead);
  storage::VerifyReport report;
  if (!session) {
    if (session.error().code != ErrorCode::kCorruption) return std::unexpected(session.error());
    report.ok = false;
    report.problems.push_back({"open", 0, session.error().message});
    return report;
  }
  storage::VerifyOptions options;
  options.against_replay = !quick;
  options.progress = (*session)->progress();
  const SignalGuard guard;
  return (*session)->database().Verify(options);
}

Result<int> RunVerify(const Globals& globals, bool quick) {
  PLEXUS_ASSIGN(const storage::VerifyReport report, Check(globals, quick));
  if (globals.json)
    WriteReport(report);
  else
    PrintReport(report);
  return report.ok ? kDone : kDamaged;
}

}  // namespace

void AddMaintain(Cli& cli) {
  cli.Add("Care", "compact", "Fold recent changes into the base and write a checkpoint", RunCompact)
      .Example("plexus compact --db g", "after many small changes, for the fastest reads")
      .Example("plexus compact --db g --json", "the same for a script");
  cli.Add("Care", "checkpoint", "Write a checkpoint, so that the next open is quick", RunCheckpoint)
      .Example("plexus checkpoint --db g", "done by itself, too, once enough was written")
      .Example("plexus checkpoint --db g --json", "the same for a script");

  static std::string before;
  cli.Add("Care", "trim", "Forget history up to a point; the present stays",
          [](const Globals& globals) { return RunTrim(globals, before); })
      .Option("--before", "SEQ|TIME", before, "the earliest state that --as-of will still reach")
      .Required()
      .Example("plexus trim --db g --before 1200", "forget how sequence 1200 came about")
      .Example("plexus trim --db g --before 2026-01-01", "forget what happened before this year");

  static bool quick = false;
  cli.Add("Care", "verify", "Check log, digests, checkpoints and edges; exit code 4 when damaged",
          [](const Globals& globals) { return RunVerify(globals, quick); })
      .Flag("--quick", quick, "do not replay the log against the checkpoints")
      .Example("plexus verify --db g", "everything there is to check")
      .Example("plexus verify --db g --json --quick", "digests only, for a nightly script");
}

}  // namespace plexus::tools
