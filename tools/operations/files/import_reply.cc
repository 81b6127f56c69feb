// The report of an import in every form; see import_reply.h.
#include "tools/operations/files/import_reply.h"

#include <sstream>
#include <utility>

#include "tools/operations/framework/arguments.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/reply/text_table.h"

namespace plexus::tools {
namespace {

std::uint64_t NeverValid(const formats::ImportReport& report) {
  std::uint64_t count = 0;
  for (const formats::ImportWarning& warning : report.warnings)
    if (warning.until) count += warning.count;
  return count;
}

// A refused record or file, and what to type next.
std::string Message(const formats::ImportError& error, const std::string& columns) {
  return error.ToString() +
         (error.columns.empty() ? "" : "; for example " + columns + " " + ShellWord(error.columns));
}

}  // namespace

void WriteImportReport(ReplyWriter& json, const formats::ImportReport& report,
                       const std::optional<retrieval::IndexTermsReport>& terms, bool dry_run,
                       const std::optional<formats::FollowReport>& followed,
                       const std::vector<std::string>& warnings, const std::string& columns) {
  json.Field("sequence", report.sequence);
  if (dry_run) json.Field("dry_run", true);
  WriteCounts(json, "nodes", report.nodes);
  WriteCounts(json, "edges", report.edges);
  WriteCounts(json, "events", report.events);
  json.Field("outcomes", report.outcomes);
  json.Field("vectors", report.vectors);
  json.Field("errors", report.errors);
  json.Field("never_valid", NeverValid(report));
  json.Field("stubs", report.stubs);
  json.Field("unknown", report.unknown);
  if (report.reversed_edges > 0) json.Field("turned", report.reversed_edges);
  if (report.passed_over > 0) json.Field("passed_over", report.passed_over);
  if (!report.new_edge_kinds.empty()) json.Values("new_edge_kinds", report.new_edge_kinds);
  json.Field("removed", report.removed);
  json.Field("records", report.records);
  json.Field("bytes", report.bytes);
  json.Field("batches", report.batches);
  if (report.pointers > 0) {
    json.Field("pointers", report.pointers);
    json.Field("self_loops_skipped", report.self_loops_skipped);
  }
  if (terms) {
    json.BeginObject("terms");
    WriteTermFields(json, *terms);
    json.EndObject();
  }
  if (followed) {
    json.BeginObject("follow");
    json.Field("resumed_at", followed->resumed_at);
    json.Field("offset", followed->offset);
    json.Field("lines", followed->lines);
    json.Field("waiting", followed->waiting);
    json.Field("interrupted", followed->interrupted);
    json.EndObject();
  }
  json.Field("stopped", report.stopped);
  json.BeginArray("messages");
  for (const formats::ImportError& error : report.kept_errors) json.Value(Message(error, columns));
  json.EndArray();
  json.Values("warnings", warnings);
}

std::string ImportPage(const formats::ImportReport& report, double seconds) {
  std::ostringstream page;
  TextTable table;
  const auto right = TextTable::Align::kRight;
  table.Column("").Column("new", right).Column("changed", right).Column("same", right);
  const auto row = [&](const char* name, const ChangeCounts& counts) {
    if (counts.added + counts.changed + counts.same > 0)
      table.Row({name, Grouped(counts.added), Grouped(counts.changed), Grouped(counts.same)});
  };
  row("nodes", report.nodes);
  row("edges", report.edges);
  row("events", report.events);
  page << table.Text();
  if (report.stopped && report.batches == 0)
    page << "nothing was imported; the graph is as it was\n";
  const auto line = [&](std::uint64_t count, const char* what) {
    if (count > 0) page << Grouped(count) << ' ' << what << '\n';
  };
  line(report.outcomes, "outcomes");
  line(report.vectors, "vectors");
  line(report.stubs, "stubs: new nodes that are named but that no record states");
  line(report.unknown, "unknown: members in roles and outcomes of types that are none built in");
  line(report.reversed_edges, "edges turned round");
  line(report.passed_over, "lines passed over: no entity and no relation");
  line(report.removed, "removed");
  line(report.pointers, "pointers read");
  line(report.self_loops_skipped, "pointers to themselves skipped");
  line(report.errors, "records refused");
  line(NeverValid(report), "records never valid: from is not before until");
  page << Grouped(report.records) << " records, " << Bytes(report.bytes) << ", sequence "
       << report.sequence << ", in " << Number(seconds, 3) << " s\n";
  return std::move(page).str();
}

std::string AmbiguousWarning(const formats::ImportReport& report) {
  if (report.ambiguous == 0) return "";
  return std::to_string(report.ambiguous) +
         " edges from from_id to to_id are of the kinds supersedes, supports or promoted_from and "
         "were read as 'from supersedes to'; where the files mean 'to supersedes from', import "
         "them with --reversed-kinds supersedes,supports,promoted_from";
}

void AddImportNotes(std::vector<Note>& notes, const formats::ImportReport& report,
                    const std::string& columns) {
  for (const formats::ImportWarning& warning : report.warnings)
    notes.push_back({warning.ToString(), Note::kWarning});
  if (report.ambiguous > 0) notes.push_back({AmbiguousWarning(report), Note::kWarning});
  for (const formats::ImportError& error : report.kept_errors) {
    if (report.stopped)
      notes.push_back({Message(error, columns), Note::kError});
    else
      notes.push_back({error.ToString() + " (skipped)", Note::kWarning});
  }
  if (report.errors > report.kept_errors.size())
    notes.push_back(
        {std::to_string(report.errors - report.kept_errors.size()) + " more records refused",
         Note::kWarning});
}

namespace {

// A name that no file has is a slip of the command, not of a file.
Status CheckColumnsUsed(const Request& request, const formats::ImportReport& report) {
  if (report.unused_columns.empty()) return {};
  std::string names;
  for (const std::string& name : report.unused_columns)
    names += (names.empty() ? "" : ", ") + Quoted(name);
  return Invalid(request.Name("columns"), ": no file has a column or field ", names,
                 " that could mean this; tables, rows, GraphML and node-link JSON have such names");
}

}  // namespace

Result<formats::ImportReport> Judged(const Request& request, Result<formats::ImportReport> report) {
  if (report) {
    PLEXUS_TRY(CheckColumnsUsed(request, *report));
  } else if (report.error().code == ErrorCode::kInvalidArgument) {
    return FailedPrecondition(report.error().message);
  }
  return report;
}

}  // namespace plexus::tools
