// repair: a new graph from what can be read of a damaged one.
#include <string>
#include <utility>

#include "storage/repair.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/signals.h"
#include "tools/operations/json_writer.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kShown = 20;  // of each list, for people

void WriteRanges(JsonWriter& json, std::string_view name,
                 const std::vector<storage::RecordRange>& ranges) {
  json.BeginArray(name);
  for (const storage::RecordRange& range : ranges) {
    json.BeginObject();
    json.Field("from", range.from);
    json.Field("to", range.to);
    json.EndObject();
  }
  json.EndArray();
}

void WriteReport(const std::string& to, const storage::RepairReport& report) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("directory", to);
  json.Field("complete", report.complete);
  json.Field("sequence", report.sequence);
  json.Field("history_floor", report.history_floor);
  json.Field("nodes", report.nodes);
  json.Field("edges", report.edges);
  json.BeginObject("lost");
  WriteRanges(json, "records", report.lost_records);
  WriteRanges(json, "history", report.lost_history);
  json.BeginArray("contents");
  for (const storage::LostContent& content : report.lost_contents) {
    json.BeginObject();
    json.Field("key", content.key);
    json.Field("what", content.what);
    json.EndObject();
  }
  json.EndArray();
  json.Field("old_contents", report.lost_old_contents);
  json.BeginArray("checkpoints");
  for (const storage::DamagedCheckpoint& checkpoint : report.lost_checkpoints) {
    json.BeginObject();
    json.Field("id", checkpoint.id);
    json.Field("sequence", checkpoint.sequence);
    json.Field("what", checkpoint.what);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  json.BeginArray("damage");
  for (const storage::VerifyProblem& problem : report.damage) {
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

template <class List, class Print>
void PrintSome(const List& list, const char* what, Print&& print) {
  for (std::size_t i = 0; i < list.size() && i < kShown; ++i) {
    print(list[i]);
    Out() << '\n';
  }
  if (list.size() > kShown)
    Out() << "... and " << Grouped(list.size() - kShown) << " more " << what
          << " (--json tells all)\n";
}

void PrintReport(const std::string& to, const storage::RepairReport& report) {
  PrintSome(report.damage, "damaged places", [](const storage::VerifyProblem& p) {
    Out() << "damage: " << Escaped(p.where) << ", offset " << p.offset << ": " << Escaped(p.what);
  });
  PrintSome(report.lost_checkpoints, "checkpoints", [](const storage::DamagedCheckpoint& c) {
    Out() << "lost checkpoint " << c.id << " of record " << c.sequence << ": " << Escaped(c.what);
  });
  PrintSome(report.lost_records, "gaps", [](const storage::RecordRange& r) {
    Out() << "LOST: records " << r.from << " to " << r.to;
  });
  PrintSome(report.lost_contents, "contents", [](const storage::LostContent& c) {
    Out() << "LOST: " << Escaped(c.what) << " of " << Escaped(c.key);
  });
  PrintSome(report.lost_history, "gaps", [](const storage::RecordRange& r) {
    Out() << "lost history: records " << r.from << " to " << r.to
          << "; what they did is in the graph";
  });
  if (report.lost_old_contents > 0)
    Out() << "lost history: " << Grouped(report.lost_old_contents)
          << " texts, properties or vectors of the past\n";
  for (const std::string& note : report.notes) Out() << "note: " << Escaped(note) << '\n';
  Out() << "repaired into " << to << " at sequence " << report.sequence << ": "
        << Grouped(report.nodes) << " nodes, " << Grouped(report.edges) << " edges; "
        << (report.complete ? "nothing of the present state is lost\n"
                            : "the present state is NOT whole\n");
}

Result<int> RunRepair(const Globals& globals, const std::string& to) {
  if (globals.db.empty())
    return Fail(ErrorCode::kInvalidArgument,
                "repair which graph? --db DIR (or PLEXUS_DB) names its directory");
  storage::RepairReport report;
  {
    const SignalGuard guard;
    ProgressBar bar(!globals.quiet);
    storage::RepairOptions options;
    options.progress = &bar;
    auto repaired = storage::Repair(globals.db, to, options);
    // Exit code 4 says that something was saved.
    if (!repaired && repaired.error().code == ErrorCode::kCorruption)
      return Fail(ErrorCode::kFailedPrecondition, repaired.error().message);
    if (!repaired) return std::unexpected(repaired.error());
    report = *std::move(repaired);
  }
  if (globals.json)
    WriteReport(to, report);
  else
    PrintReport(to, report);
  return report.complete ? kDone : kDamaged;
}

}  // namespace

void AddRepair(Cli& cli) {
  static std::string to;
  cli.Add("Care", "repair",
          "Save what can be read of a damaged graph into a new one; exit code 4 when something is "
          "lost",
          [](const Globals& globals) { return RunRepair(globals, to); })
      .Option("--to", "DIR", to,
              "a directory that does not exist yet; the damaged one is not changed")
      .Required()
      .Example("plexus repair --db g --to g-new",
               "what was lost is named; 1 when nothing could be saved")
      .Example("plexus repair --db g --to g-new --json", "all of it, for a script");
}

}  // namespace plexus::tools
