// A line a batch, as JSON and for people: the door takes the one it shows.
#include "tools/operations/files/follow.h"

#include <filesystem>
#include <string>

#include "tools/operations/batch_progress.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/json_writer.h"

namespace plexus::tools {
namespace {

void Report(BatchProgress& progress, const formats::FollowBatch& batch) {
  const std::string json = JsonObject([&](JsonWriter& to) {
    to.Field("sequence", batch.sequence);
    to.Field("records", batch.records);
    to.Field("errors", batch.errors);
    to.Field("offset", batch.offset);
    to.Field("lines", batch.lines);
  });
  std::string words =
      "sequence " + std::to_string(batch.sequence) + ": " + Grouped(batch.records) + " records";
  if (batch.errors > 0) words += ", " + Grouped(batch.errors) + " refused";
  words += ", to line " + Grouped(batch.lines) + ", byte " + Grouped(batch.offset);
  progress.BatchDone(json, words);
}

}  // namespace

Parameters FollowParameters() {
  return {
      Flag("follow",
           "import what is appended to the file, or a pipe to its end, until Ctrl-C. Prints a line "
           "for each durable batch on standard error. Run again it resumes behind the last durable "
           "record. One file of jsonl, rows, csv, tsv or edgelist"),
      Count("batch_records", "N", "follow: at most N records in a batch")
          .Default(std::uint64_t{1000})
          .Between(1, 1'000'000),
      Number("batch_seconds", "S", "follow: a record waits S seconds for others of its batch")
          .Default(1.0)
          .Between(0, 3600),
      Number("idle_seconds", "S", "follow: end when nothing came for S seconds (default: never)")
          .AtLeast(0),
      Text("position", "NAME",
           "follow: the name under which the graph keeps the position (default: the file). A pipe "
           "needs a name, and must then send all of its bytes again")};
}

Status CheckFollow(const Request& request) {
  for (const char* option : {"batch_records", "batch_seconds", "idle_seconds", "position"})
    PLEXUS_TRY(Needs(request, option, "follow"));
  if (!request.Flag("follow")) return {};
  for (const char* option :
       {"dry_run", "check", "expect_sequence", "strict", "keys", "metric", "prefilter", "element",
        "dimensions"})
    PLEXUS_TRY(NotTogether(request, "follow", option));
  if (request.List("files").size() != 1) return Invalid(request.Name("follow"), " takes one file");
  return {};
}

Result<formats::FollowReport> Follow(Workspace& workspace, const Request& request,
                                     const formats::ImportOptions& options) {
  const std::string& file = request.List("files")[0];
  const bool pipe = file == "-";
  formats::FollowOptions follow;
  follow.batch_records = static_cast<std::size_t>(request.Count("batch_records"));
  follow.batch_seconds = request.Number("batch_seconds");
  follow.idle_seconds = request.MaybeNumber("idle_seconds");
  follow.position = request.Text("position");
  if (follow.position.empty() && !pipe)
    follow.position = std::filesystem::path(file).lexically_normal().generic_string();
  if (follow.position.size() > 256)
    return Invalid("the name of the file is over 256 bytes; give it a ", request.Name("position"));
  // A host's progress knows nothing of batches; without any, only silence can end it.
  auto* const progress = dynamic_cast<BatchProgress*>(workspace.progress());
  if (progress) {
    follow.on_batch = [=](const formats::FollowBatch& batch) { Report(*progress, batch); };
    follow.clock_ms = [&workspace, progress] {
      workspace.SetClock(progress->ClockMs());
      workspace.SetNow(workspace.options().clock_ms);
      return workspace.options().clock_ms;
    };
  } else if (!workspace.progress() && !follow.idle_seconds) {
    return Invalid(request.Name("follow"), " has no end here; give ", request.Name("idle_seconds"));
  }
  Graph& graph = workspace.graph();
  return pipe ? formats::FollowStream(graph, "standard input", workspace.input(), options, follow)
              : formats::FollowFile(graph, file, options, follow);
}

}  // namespace plexus::tools
