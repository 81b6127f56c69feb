// import: batch files in. Makes the graph when there is none; importing a file
// again changes nothing.
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/formats/import.h"
#include "storage/formats/import_vectors.h"
#include "tools/cli/arguments.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/cli/table.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/scratch_graph.h"
#include "tools/operations/term_operations.h"

namespace plexus::tools {
namespace {

// From here on files are written sorted and ingested, instead of one fsync a batch.
constexpr std::uintmax_t kBulkBytes = std::uintmax_t{8} << 20;

struct ImportArguments {
  std::vector<std::string> files;
  std::string format = "auto", on_error = "stop";
  bool terms = false, dry_run = false;
  std::vector<std::string> columns;
  // Of raw vector files.
  std::string keys, metric;
  std::string space = "default";
  std::optional<std::uint64_t> dimensions;
};

// The vector format that --format or the only file's name asks for.
std::optional<text::VectorFormat> AskedVectorFormat(const ImportArguments& given) {
  if (given.format == "npy") return text::VectorFormat::kNpy;
  if (given.format == "fvecs") return text::VectorFormat::kFvecs;
  if (given.format == "f32") return text::VectorFormat::kF32;
  if (given.format != "auto" || given.files.size() != 1) return std::nullopt;
  return text::VectorFormatOf(given.files[0]);
}

// Shows progress but never asks to stop: what was read is made durable first.
class MustFinish : public Progress {
 public:
  explicit MustFinish(Progress* shown) : shown_(shown) {}
  bool Report(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    shown_->Report(phase, done, total);
    return true;
  }

 private:
  Progress* shown_;
};

std::uintmax_t TotalBytes(const std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  std::uintmax_t total = 0;
  std::error_code ignored;
  const auto add = [&](const fs::path& path) {
    const std::uintmax_t size = fs::file_size(path, ignored);
    if (!ignored) total += size;
  };
  for (const std::string& file : files) {
    if (!fs::is_directory(file, ignored)) {
      add(file);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(file, ignored)) add(entry.path());
  }
  return total;
}

void WriteImportCounts(JsonWriter& json, const char* name, const text::ImportCounts& counts) {
  json.BeginObject(name);
  json.Field("new", counts.added);
  json.Field("changed", counts.changed);
  json.Field("same", counts.same);
  json.EndObject();
}

void WriteReport(const text::ImportReport& report, const IndexTermsReport* terms, bool dry_run) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("sequence", report.sequence);
  if (dry_run) json.Field("dry_run", true);
  WriteImportCounts(json, "nodes", report.nodes);
  WriteImportCounts(json, "edges", report.edges);
  WriteImportCounts(json, "events", report.events);
  json.Field("outcomes", report.outcomes);
  json.Field("vectors", report.vectors);
  json.Field("errors", report.errors);
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
  json.Field("stopped", report.stopped);
  json.BeginArray("messages");
  for (const text::ImportError& error : report.kept_errors) json.Value(error.ToString());
  json.EndArray();
  json.BeginArray("warnings");
  for (const text::ImportWarning& warning : report.warnings) json.Value(warning.ToString());
  json.EndArray();
  json.EndObject();
  Out() << '\n';
}

void PrintReport(const text::ImportReport& report, double seconds) {
  Table table;
  const auto right = Table::Align::kRight;
  table.Column("").Column("new", right).Column("changed", right).Column("same", right);
  const auto row = [&](const char* name, const text::ImportCounts& counts) {
    if (counts.added + counts.changed + counts.same > 0)
      table.Row({name, Grouped(counts.added), Grouped(counts.changed), Grouped(counts.same)});
  };
  row("nodes", report.nodes);
  row("edges", report.edges);
  row("events", report.events);
  table.Print(Out());
  if (report.stopped && report.batches == 0)
    Out() << "nothing was imported; the graph is as it was\n";
  const auto line = [](std::uint64_t count, const char* what) {
    if (count > 0) Out() << Grouped(count) << ' ' << what << '\n';
  };
  line(report.outcomes, "outcomes");
  line(report.vectors, "vectors");
  line(report.removed, "removed");
  line(report.pointers, "pointers read");
  line(report.self_loops_skipped, "pointers to themselves skipped");
  line(report.errors, "records refused");
  Out() << Grouped(report.records) << " records, " << Bytes(report.bytes) << ", sequence "
        << report.sequence << ", in " << Number(seconds, 3) << " s\n";
}

// "source=from" -> what the file calls "from" is the source.
Result<std::vector<text::ColumnName>> ColumnNames(const std::vector<std::string>& given) {
  std::vector<text::ColumnName> names;
  for (const std::string& pair : given) {
    const std::size_t equal = pair.find('=');
    if (equal == 0 || equal == std::string::npos || equal + 1 == pair.size())
      return Fail(ErrorCode::kInvalidArgument,
                  "--columns: '" + pair + "' is not MEANING=COLUMN, as source=from");
    names.push_back({pair.substr(0, equal), pair.substr(equal + 1)});
    for (std::size_t i = 0; i + 1 < names.size(); ++i)
      if (names[i].meaning == names.back().meaning || names[i].in_file == names.back().in_file)
        return Fail(ErrorCode::kInvalidArgument,
                    "--columns: '" + pair + "' names what stands there already");
  }
  return names;
}

void TellErrors(const text::ImportReport& report) {
  for (const text::ImportWarning& warning : report.warnings) PrintWarning(warning.ToString());
  for (const text::ImportError& error : report.kept_errors) {
    if (report.stopped)
      PrintError(Error{ErrorCode::kInvalidArgument, error.ToString()});
    else
      PrintWarning(error.ToString() + " (skipped)");
  }
  if (report.errors > report.kept_errors.size())
    PrintWarning(std::to_string(report.errors - report.kept_errors.size()) +
                 " more records refused");
}

// Vectors are read from regular files; what a pipe holds is kept in memory.
Result<std::string> ReadVectorsFromInput() {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  std::string bytes;
  std::vector<char> buffer(std::size_t{1} << 20);
  while (std::cin.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         std::cin.gcount() > 0) {
    bytes.append(buffer.data(), static_cast<std::size_t>(std::cin.gcount()));
    if (bytes.size() > kMost)
      return Fail(ErrorCode::kResourceExhausted, "standard input: over " + std::to_string(kMost) +
                                                     " bytes of vectors; save them as a file");
  }
  return bytes;
}

Result<text::ImportReport> ReadVectors(Graph& graph, const ImportArguments& given,
                                       text::VectorFormat format,
                                       const text::ImportOptions& options) {
  text::VectorImportOptions vectors;
  vectors.format = format;
  vectors.dimensions = given.dimensions.value_or(0);
  vectors.space = given.space;
  if (!given.metric.empty()) {
    PLEXUS_ASSIGN(vectors.metric, ParseMetric(given.metric));
  }
  if (!given.keys.empty()) vectors.keys = text::VectorInput{given.keys};
  if (given.files[0] != "-") return text::ImportVectors(graph, {given.files[0]}, vectors, options);
  PLEXUS_ASSIGN(const std::string bytes, ReadVectorsFromInput());
  return text::ImportVectors(graph, {"standard input", bytes}, vectors, options);
}

Result<text::ImportReport> Read(Graph& graph, const ImportArguments& given,
                                const text::ImportOptions& options) {
  if (const auto format = AskedVectorFormat(given))
    return ReadVectors(graph, given, *format, options);
  if (given.files != std::vector<std::string>{"-"})
    return text::Import(graph, given.files, options);
  return text::ImportStream(graph, "standard input", STDIN_FILENO, options);
}

// This process lives for one import and takes and frees arrays of many megabytes
// all the time: keeping them costs less than fetching cleared pages anew.
void KeepFreedMemory() {
#ifdef M_MMAP_MAX
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

// --dry-run: the files into a copy in RAM, which goes. Nothing is made or written.
Result<int> RunDry(Globals globals, const ImportArguments& given, text::ImportOptions options) {
  std::unique_ptr<Session> session;
  std::unique_ptr<Graph> graph;
  GraphOptions in_memory;
  std::error_code ignored;
  if (globals.db.empty() || std::filesystem::exists(globals.db, ignored)) {
    PLEXUS_ASSIGN(session, Session::Open(globals, Access::kRead));
    options.now_ms = session->now_ms();
    options.executor = in_memory.executor = &session->executor();
    options.progress = session->progress();
    graph = ScratchGraph(session->snapshot(), in_memory);
  } else {
    PLEXUS_ASSIGN(options.now_ms, NowMs(globals));
    graph = Graph::InMemory(in_memory);
  }
  if (!graph) return Fail(ErrorCode::kResourceExhausted, "no memory for a copy of the graph");
  const Sequence before = graph->snapshot().sequence();
  const auto start = std::chrono::steady_clock::now();
  Result<text::ImportReport> report = Read(*graph, given, options);
  if (session) session->EndProgress();
  if (!report) {
    if (report.error().code != ErrorCode::kInvalidArgument) return std::unexpected(report.error());
    PrintError(report.error());  // the file's fault, not the command line's
    return kFailed;
  }
  report->sequence = before;
  TellErrors(*report);
  if (globals.json) {
    WriteReport(*report, nullptr, true);
  } else {
    PrintReport(*report,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    Out() << "a dry run: nothing was written\n";
  }
  return report->stopped ? kFailed : kDone;
}

Result<int> RunImport(const Globals& globals, const ImportArguments& given) {
  text::ImportOptions options;
  const bool vectors = AskedVectorFormat(given).has_value();
  if (vectors && given.files.size() != 1)
    return Fail(ErrorCode::kInvalidArgument, "vectors are imported from one file at a time");
  if (!vectors && (!given.keys.empty() || !given.metric.empty() || given.dimensions))
    return Fail(ErrorCode::kInvalidArgument,
                "--keys, --metric and --dimensions go with a vector file (.npy, .fvecs, .f32)");
  if (!vectors) {
    PLEXUS_ASSIGN(options.format, text::ParseFormat(given.format));
  }
  options.on_error = given.on_error == "skip" ? text::OnError::kSkip : text::OnError::kStop;
  PLEXUS_ASSIGN(options.columns, ColumnNames(given.columns));
  PLEXUS_TRY(NotTogether(!options.columns.empty(), "--columns", vectors, "a vector file"));
  PLEXUS_TRY(NotTogether(given.dry_run, "--dry-run", given.terms, "--terms"));
  std::error_code ignored;
  std::vector<std::string> files = given.files;
  if (!given.keys.empty()) files.push_back(given.keys);
  for (const std::string& file : files)  // before a graph is made for nothing
    if (file != "-" && !std::filesystem::exists(file, ignored))
      return Fail(ErrorCode::kNotFound, "no file '" + file + "'");
  if (given.dry_run) return RunDry(globals, given, std::move(options));
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kCreate));
  options.now_ms = session->now_ms();
  options.executor = &session->executor();
  options.progress = session->progress();
  MustFinish must_finish(session->progress());
  storage::Database& database = session->database();
  if (TotalBytes(given.files) >= kBulkBytes) {
    KeepFreedMemory();
    options.before = [&] { return database.BeginBulk(); };
    options.after = [&] { return database.EndBulk(&must_finish); };
  }
  const auto start = std::chrono::steady_clock::now();
  PLEXUS_ASSIGN(TermKeeper keeper,
                TermKeeper::Make(*session, given.terms));  // what was indexed once stays up to date
  if (keeper.on())
    options.complete = [&](const Snapshot& snapshot, WriteBatch& batch) {
      return keeper.Complete(snapshot, batch);
    };
  Result<text::ImportReport> report = Read(session->graph(), given, options);
  std::optional<Result<IndexTermsReport>> terms;
  if (report && !report->stopped && keeper.on()) {  // a refused file leaves no trace
    terms = keeper.Finish();
    report->sequence = session->graph().snapshot().sequence();
  }
  const bool failed = !report || report->stopped;
  const Status closed = failed ? session->Abandon() : session->Close();
  if (!report) {
    if (report.error().code != ErrorCode::kInvalidArgument) return std::unexpected(report.error());
    PrintError(report.error());  // the file's fault, not the command line's
    return kFailed;
  }
  PLEXUS_TRY(closed);
  if (terms && !*terms) return std::unexpected(terms->error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  TellErrors(*report);
  if (globals.json)
    WriteReport(*report, terms ? &**terms : nullptr, false);
  else
    PrintReport(*report, seconds);
  if (terms && !globals.json) PrintTerms(**terms);
  return report->stopped ? kFailed : kDone;
}

}  // namespace

void AddImport(Cli& cli) {
  static ImportArguments given;
  cli.Add("Files", "import", "Read batch files into a graph, which is made when there is none",
          [](const Globals& globals) { return RunImport(globals, given); })
      .Positionals("FILE", given.files,
                   "files (packed ones too: .gz), WordNet's directory, or - for standard input")
      .Choice("--format", given.format,
              {"auto", "csv", "tsv", "jsonl", "edgelist", "mtx", "gapbs", "graphml", "node-link",
               "mcp-memory", "wordnet", "npy", "fvecs", "f32"},
              "default auto: by name, then by content")
      .Choice(
          "--on-error", given.on_error, {"stop", "skip"},
          "at a record that cannot be read or that the graph refuses: stop, and nothing of all\n"
          "the files is imported (default); skip it and count it. What no check of the files can\n"
          "foresee (a full disk, Ctrl-C half way) keeps whole batches; import again to complete")
      .Flag("--terms", given.terms,
            "make the texts' words terms, for search. A graph that has terms gets those of\n"
            "its new texts without being asked")
      .Flag("--dry-run", given.dry_run,
            "say what would be new, changed and refused, and write nothing; takes the memory of\n"
            "the import")
      .List("--columns", "MEANING=COLUMN", given.columns,
            "tables: what the file's columns mean, as source=from,target=to; unnamed ones mean\n"
            "what they are called")
      .Option("--keys", "FILE", given.keys,
              "vectors: one key a line (default: the row's number, from 0)")
      .Option("--space", "NAME", given.space, "vectors: the space they go to (default default)")
      .Option("--dimensions", "D", given.dimensions, "vectors: values in a row; plain f32 needs it")
      .Choice("--metric", given.metric, MetricNames(),
              "vectors: how a new space measures (default cosine)")
      .Example("plexus import --db g people.csv knows.csv",
               "columns source,target,kind,weight make edges")
      .Example("plexus import --db g --dry-run --columns source=from,target=to roads.csv.gz",
               "what it would do, with a file that names its columns otherwise")
      .Example("plexus import --db wn --format wordnet /usr/share/wordnet",
               "117,659 concepts of WordNet 3.0")
      .Example("plexus import --db g --keys words.txt vectors.npy",
               "row i of the array becomes the vector of the i-th line's key");
}

}  // namespace plexus::tools
