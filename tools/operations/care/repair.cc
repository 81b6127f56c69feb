// repair: a new graph from what can be read of a damaged one.
#include "storage/repair.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kShown = 20;  // of each list, for people

void WriteRanges(ReplyWriter& json, std::string_view name, const std::vector<RecordRange>& ranges) {
  json.Objects(name, ranges, [&](const RecordRange& range) {
    json.Field("from", range.from);
    json.Field("to", range.to);
  });
}

void WriteReport(ReplyWriter& json, const std::string& to, const RepairReport& report) {
  json.Field("directory", to);
  json.Field("complete", report.complete);
  json.Field("sequence", report.sequence);
  json.Field("history_floor", report.history_floor);
  json.Field("nodes", report.nodes);
  json.Field("edges", report.edges);
  json.BeginObject("lost");
  WriteRanges(json, "records", report.lost_records);
  WriteRanges(json, "history", report.lost_history);
  json.Objects("contents", report.lost_contents, [&](const LostContent& content) {
    json.Field("key", content.key);
    json.Field("what", content.what);
  });
  json.Field("old_contents", report.lost_old_contents);
  json.Objects("checkpoints", report.lost_checkpoints, [&](const DamagedCheckpoint& checkpoint) {
    json.Field("id", checkpoint.id);
    json.Field("sequence", checkpoint.sequence);
    json.Field("what", checkpoint.what);
  });
  json.EndObject();
  json.Objects("damage", report.damage, [&](const VerifyProblem& problem) {
    json.Field("where", problem.where);
    json.Field("offset", problem.offset);
    json.Field("what", problem.what);
  });
  json.Values("notes", report.notes);
}

template <class List, class Line>
std::string Some(const List& list, const char* what, Line&& line) {
  std::string text;
  for (std::size_t i = 0; i < list.size() && i < kShown; ++i) text += line(list[i]) + "\n";
  if (list.size() > kShown)
    text += "... and " + Grouped(list.size() - kShown) + " more " + what + " (--json lists all)\n";
  return text;
}

std::string Range(const RecordRange& range) {
  return "records " + std::to_string(range.from) + " to " + std::to_string(range.to);
}

std::string Page(const std::string& to, const RepairReport& report) {
  std::string page = Some(report.damage, "damaged places", [](const VerifyProblem& p) {
    return "damage: " + Escaped(p.where) + ", offset " + std::to_string(p.offset) + ": " +
           Escaped(p.what);
  });
  page += Some(report.lost_checkpoints, "checkpoints", [](const DamagedCheckpoint& c) {
    return "lost checkpoint " + std::to_string(c.id) + " of record " + std::to_string(c.sequence) +
           ": " + Escaped(c.what);
  });
  page +=
      Some(report.lost_records, "gaps", [](const RecordRange& r) { return "LOST: " + Range(r); });
  page += Some(report.lost_contents, "contents", [](const LostContent& c) {
    return "LOST: " + Escaped(c.what) + " of " + Escaped(c.key);
  });
  page += Some(report.lost_history, "gaps", [](const RecordRange& r) {
    return "lost history: " + Range(r) + "; what they did is in the graph";
  });
  if (report.lost_old_contents > 0)
    page += "lost history: " + Grouped(report.lost_old_contents) +
            " texts, properties or vectors of the past\n";
  for (const std::string& note : report.notes) page += "note: " + Escaped(note) + "\n";
  return page + "repaired into " + to + " at sequence " + std::to_string(report.sequence) + ": " +
         Grouped(report.nodes) + " nodes, " + Grouped(report.edges) + " edges; " +
         (report.complete ? "nothing of the present state is lost\n"
                          : "the present state is NOT whole\n");
}

Result<Reply> RunRepair(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(workspace.CheckDirectory());
  const std::string to = request.Text("to");
  RepairOptions options;
  options.progress = workspace.timed_progress();
  auto repaired = Repair(workspace.directory(), to, options);
  // Corruption as an error says that something was saved.
  if (!repaired && repaired.error().code == ErrorCode::kCorruption)
    return FailedPrecondition(repaired.error().message);
  if (!repaired) return std::unexpected(repaired.error());
  std::string page = Page(to, *repaired);
  const bool complete = repaired->complete;
  Reply reply(
      [to, report = *std::move(repaired)](ReplyWriter& json) { WriteReport(json, to, report); });
  reply.page = std::move(page);
  if (!complete) reply.failure = Error{ErrorCode::kCorruption, ""};
  return reply;
}

}  // namespace

void AddRepair(Rows& rows) {
  rows.push_back(
      {.name = "repair",
       .group = "Care",
       .title = "Save a damaged graph",
       .summary = "Save what can be read of a damaged graph into a new one; exit code 4 when "
                  "something is lost",
       .effect = Effect::kWrite,
       .parameters = {Text("to", "DIR",
                           "a directory that does not exist yet; the damaged one is not changed")
                          .Named(Means::kPath)
                          .OrPositional()},
       .reply = "directory:s, complete:b, sequence:n, history_floor:n, nodes:n, edges:n, "
                "lost:{records:[{from:n, to:n}], history:[{from:n, to:n}], "
                "contents:[{key:s, what:s}], old_contents:n, "
                "checkpoints:[{id:n, sequence:n, what:s}]}, "
                "damage:[{where:s, offset:n, what:s}], notes:[s]",
       .examples = {{"plexus repair --db g --to g-new",
                     "what was lost is named; 1 when nothing could be saved"},
                    {"plexus repair --db g --to g-new --json", "all of it, for a script"}},
       .run = RunRepair,
       .access = OpensNothing,
       .reach = Reach::kDirectory});
}

}  // namespace plexus::tools
