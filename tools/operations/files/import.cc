// import: batch files in. Makes the graph when none exists; importing a file
// again changes nothing.
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "storage/formats/import.h"
#include "tools/operations/change.h"
#include "tools/operations/files/follow.h"
#include "tools/operations/files/import_reply.h"
#include "tools/operations/files/import_steps.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/memory/kept_rules.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/term_operations.h"

namespace plexus::tools {
namespace {

// From here on files are written sorted and ingested, instead of one fsync a batch.
constexpr std::uintmax_t kBulkBytes = std::uintmax_t{8} << 20;
constexpr std::uint64_t kMostOfStrangers = std::uint64_t{4} << 30;

// The vector format that is asked for, or that the only file's name says.
std::optional<formats::VectorFormat> AskedVectorFormat(const Request& request) {
  const std::string& format = request.Text("format");
  if (format == "npy") return formats::VectorFormat::kNpy;
  if (format == "fvecs") return formats::VectorFormat::kFvecs;
  if (format == "f32") return formats::VectorFormat::kF32;
  const std::vector<std::string>& files = request.List("files");
  if (format != "auto" || files.size() != 1) return std::nullopt;
  return formats::VectorFormatOf(files[0]);
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

Result<formats::ImportReport> ReadVectors(Graph& graph, int input, const Request& request,
                                          formats::VectorFormat format,
                                          const formats::ImportOptions& options) {
  const std::string& file = request.List("files")[0];
  formats::VectorImportOptions vectors;
  vectors.format = format;
  vectors.dimensions =
      static_cast<decltype(vectors.dimensions)>(request.MaybeCount("dimensions").value_or(0));
  vectors.space = request.Text("space");
  if (request.Given("metric")) PLEXUS_SET(vectors.metric, ParseMetric(request.Text("metric")));
  vectors.prefilter = ReadPrefilter(request);
  vectors.element = ReadElement(request);
  vectors.keys_first = request.Text("keys") == "-";
  if (request.Given("keys")) vectors.keys = formats::VectorInput{request.Text("keys")};
  if (file != "-") return formats::ImportVectors(graph, {file}, vectors, options);
  return formats::ImportVectorStream(graph, "standard input", input, vectors, options);
}

// A folder of notes, by name or by what it holds.
bool IsMarkdown(const Request& request) {
  const std::string& format = request.Text("format");
  const std::vector<std::string>& files = request.List("files");
  return format == "markdown" ||
         (format == "auto" && files.size() == 1 && formats::IsMarkdownFolder(files[0]));
}

Result<formats::ImportReport> Read(Graph& graph, int input, const Request& request,
                                   const formats::ImportOptions& options) {
  if (IsMarkdown(request))
    return formats::ImportMarkdown(graph, request.List("files")[0], request.Text("mirror"),
                                   options);
  if (const auto format = AskedVectorFormat(request))
    return ReadVectors(graph, input, request, *format, options);
  const std::vector<std::string>& files = request.List("files");
  if (files != std::vector<std::string>{"-"}) return formats::ImportFiles(graph, files, options);
  return formats::ImportStream(graph, "standard input", input, options);
}

Status CheckFiles(const Workspace& workspace, const Request& request) {
  const std::vector<std::string>& given = request.List("files");
  const bool vectors = AskedVectorFormat(request).has_value();
  if (vectors && given.size() != 1) return Invalid("vectors are imported from one file at a time");
  if (!vectors &&
      (request.Given("keys") || request.Given("metric") || request.Given("prefilter") ||
       request.Given("element") || request.Given("dimensions") || request.Given("space")))
    return Invalid(request.Name("keys"), ", ", request.Name("metric"), ", ",
                   request.Name("prefilter"), ", ", request.Name("element"), ", ",
                   request.Name("dimensions"), " and ", request.Name("space"),
                   " go with a vector file (.npy, .fvecs, .f32)");
  if (IsMarkdown(request) && given.size() != 1)
    return Invalid("a folder of Markdown is imported without other files");
  if (IsMarkdown(request) && !workspace.options().wall.empty())
    return FailedPrecondition(
        "a folder of Markdown is a mirror, and its mark is of the whole graph: not in a "
        "session of a scope");
  if (request.Given("mirror") && !IsMarkdown(request))
    return Invalid(request.Name("mirror"), " goes with a folder of Markdown");
  if (request.Text("keys") == "-" && given != std::vector<std::string>{"-"})
    return Invalid(request.Name("keys", "-"),
                   " is for vectors of standard input: name the file '-'");
  std::vector<std::string> files = given;
  if (request.Given("keys")) files.push_back(request.Text("keys"));
  std::error_code ignored;
  for (const std::string& file : files) {
    if (file == "-" && workspace.input() < 0) return Invalid("there is no standard input here");
    if (file != "-" && !std::filesystem::exists(file, ignored))
      return NotFound("no file ", Quoted(file));
  }
  return {};
}

// "source=from" -> what the file calls "from" is the source.
Result<std::vector<formats::ColumnName>> ColumnNames(const Request& request) {
  PLEXUS_ASSIGN(const auto pairs, PairsOf(request, "columns", "MEANING=COLUMN, as source=from"));
  std::vector<formats::ColumnName> names;
  for (const auto& [meaning, in_file] : pairs) {
    names.push_back({meaning, in_file});
    for (std::size_t i = 0; i + 1 < names.size(); ++i)
      if (names[i].meaning == names.back().meaning || names[i].in_file == names.back().in_file)
        return Invalid(request.Name("columns"), ": ", Quoted(meaning + "=" + in_file),
                       " names what stands there already");
  }
  if (!names.empty() && AskedVectorFormat(request))
    return Invalid(request.Name("columns"), " go with tables");
  return names;
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Result<formats::ImportOptions> Options(Workspace& workspace, const Request& request) {
  formats::ImportOptions options;
  if (!AskedVectorFormat(request) && request.Text("format") != "markdown" && !IsArrays(request))
    PLEXUS_SET(options.format, formats::ParseFileFormat(request.Text("format")));
  PLEXUS_ASSIGN(options.columns, ColumnNames(request));
  options.reversed_kinds = request.List("reversed_kinds");
  PLEXUS_ASSIGN(options.kind_names, KindNames(request));
  options.on_error = request.Text("on_error") == "skip" ? formats::OnImportError::kSkip
                                                        : formats::OnImportError::kStop;
  options.strict = request.Flag("strict");
  if (options.strict && options.on_error == formats::OnImportError::kSkip)
    return Invalid(request.Name("strict"), " refuses the files as a whole; it cannot go with ",
                   request.Name("on_error"), " skip");
  for (const char* name : {"strict", "reversed_kinds", "kind_map"})
    if (AskedVectorFormat(request) && request.Given(name))
      return Invalid(request.Name(name), " goes with files of records, not with vectors");
  options.now_ms = workspace.now_ms();
  options.executor = &workspace.executor();
  options.progress = workspace.timed_progress();
  if (const auto memory = request.MaybeCount("memory")) options.limits.load_bytes = *memory << 20;
  if (workspace.has_database() && !request.Flag("dry_run"))
    options.scratch_folder = workspace.database().directory();
  // What strangers send may unpack to as many bytes as it may have itself.
  if (!workspace.options().paths) options.limits.spool_bytes = kMostOfStrangers;
  return options;
}

Reply MakeReply(Workspace& workspace, const Request& request, formats::ImportReport report,
                const std::optional<retrieval::IndexTermsReport>& terms, bool dry_run,
                double seconds, const std::optional<formats::FollowReport>& followed = {}) {
  const std::string columns = request.Name("columns");
  AddImportNotes(workspace.notes(), report, columns);
  std::vector<std::string> warnings = std::exchange(workspace.warnings(), {});
  for (const formats::ImportWarning& warning : report.warnings)
    warnings.push_back(warning.ToString());
  if (report.ambiguous > 0) warnings.push_back(AmbiguousWarning(report));
  std::string page = ImportPage(report, seconds);
  if (terms) page += ShownTerms(*terms);
  if (dry_run) page += "a dry run: nothing was written\n";
  const bool stopped = report.stopped;
  Reply reply(
      [report = std::move(report), terms, dry_run, followed, warnings, columns](ReplyWriter& json) {
        WriteImportReport(json, report, terms, dry_run, followed, warnings, columns);
      });
  reply.page = std::move(page);
  reply.says_notes = true;
  if (followed && followed->interrupted) {
    reply.truncated = TimeIsUp(request);
    if (!reply.truncated) reply.failure = Error{ErrorCode::kCancelled, ""};
  }
  if (stopped) reply.failure = Error{ErrorCode::kFailedPrecondition, ""};
  return reply;
}

// As Judged, of files that were read into a copy, of which nothing stays.
Result<formats::ImportReport> JudgedInCopy(const Request& request,
                                           Result<formats::ImportReport> report) {
  if (!report && report.error().code == ErrorCode::kCancelled)
    report.error().message = "import cancelled: nothing was imported";
  return Judged(request, std::move(report));
}

// The files into a copy in RAM, which goes: nothing is made or written, and no lock is taken.
Result<Reply> RunDry(Workspace& workspace, const Request& request, formats::ImportOptions options) {
  PLEXUS_TRY(NotTogether(request, "dry_run", "terms"));
  GraphOptions in_memory;
  in_memory.executor = &workspace.executor();
  const std::unique_ptr<Graph> graph = Graph::InMemory(in_memory, workspace.snapshot());
  if (!graph) return Exhausted("no memory for a copy of the graph");
  const Sequence before = graph->snapshot().sequence();
  const auto start = std::chrono::steady_clock::now();
  PLEXUS_ASSIGN(formats::ImportReport report,
                JudgedInCopy(request, Read(*graph, workspace.input(), request, options)));
  report.sequence = before;
  std::string built;
  if (!report.stopped && request.Given("build")) {
    PLEXUS_ASSIGN(const auto copy, Workspace::Over(*graph, {.access = Access::kWrite,
                                                            .clock_ms = workspace.now_ms()}));
    copy->SetCaller(workspace.options().progress, workspace.options().cancel);
    PLEXUS_ASSIGN(built, BuildAfter(*copy, request));
  }
  return WithBuilt(
      MakeReply(workspace, request, std::move(report), std::nullopt, true, SecondsSince(start)),
      std::move(built));
}

// Whether the batch does what the files did to the copy. Formats with a way past the batches do not
// come to the same.
bool IsOf(const formats::ImportReport& files, const ApplyReport& batch) {
  if (files.removed > 0) return true;  // records do that themselves, and may remove what they add
  return files.nodes.added <= batch.nodes.added && files.events.added <= batch.events.added &&
         (files.edges.added == 0 || batch.edges.added > 0) &&
         (files.vectors == 0 ||
          batch.vectors.added + batch.vectors.changed + batch.vectors.same > 0);
}

// What the files would do as one batch, judged by the rules that the graph keeps, and applied if
// they allow it. Takes the memory of the import.
Result<Reply> RunChecked(Workspace& workspace, const Request& request,
                         formats::ImportOptions options) {
  GraphOptions in_memory;
  in_memory.executor = &workspace.executor();
  const std::unique_ptr<Graph> copy = Graph::InMemory(in_memory, workspace.snapshot());
  if (!copy) return Exhausted("no memory for a copy of the graph");
  PLEXUS_ASSIGN(TermKeeper keeper, TermKeeper::Make(workspace, request.Flag("terms")));
  const bool index = keeper.on() && !request.Flag("no_terms");
  WriteBatch joined(workspace.now_ms()), latest;
  std::optional<Sequence> before;
  // What the copy refuses comes again in halves, or is skipped: it raises no sequence.
  const auto settle = [&](Sequence now) {
    if (before && now > *before) {
      joined.Append(latest);
      joined.ClearExpectations();  // of the copy, as it was before each batch
    }
    before.reset();
  };
  options.complete = [&](const Snapshot& now, WriteBatch& batch) -> Status {
    settle(now.sequence());
    before = now.sequence();
    latest = WriteBatch(workspace.now_ms());
    latest.Append(batch);
    return {};
  };
  const auto start = std::chrono::steady_clock::now();
  PLEXUS_ASSIGN(formats::ImportReport report,
                JudgedInCopy(request, Read(*copy, workspace.input(), request, options)));
  settle(copy->snapshot().sequence());
  const bool dry = IsDryRun(request);
  if (!report.stopped) {
    if (index) PLEXUS_TRY(keeper.Complete(workspace.snapshot(), joined));
    PreviewOptions preview;
    preview.executor = &workspace.executor();
    preview.scope = workspace.graph().options().scope;
    PLEXUS_ASSIGN(const PreviewResult proposal, Preview(workspace.snapshot(), joined, preview));
    if (!IsOf(report, proposal.report))
      return Unsupported("files of this format are not records that rules could judge: ",
                         request.Name("check"), " goes with jsonl, rows, csv and tsv");
    PLEXUS_TRY(ObeyRules(workspace, request, proposal));
    joined.ExpectSequence(workspace.snapshot().sequence());
    if (!dry && !joined.empty()) PLEXUS_TRY(workspace.graph().Apply(joined));
  }
  report.sequence = workspace.graph().snapshot().sequence();
  return MakeReply(workspace, request, std::move(report), std::nullopt, dry, SecondsSince(start));
}

// The graph is still what the files were made for.
Status CheckSequence(Workspace& workspace, const Request& request) {
  const auto expected = request.MaybeCount("expect_sequence");
  const Sequence now = workspace.snapshot().sequence();
  if (!expected || *expected == now) return {};
  return Fail(ErrorCode::kConflict, request.Name("expect_sequence") + " " +
                                        std::to_string(*expected) + ": the graph is at sequence " +
                                        std::to_string(now));
}

Result<Reply> RunImport(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(CheckFollow(request));
  for (const char* other : {"follow", "check"}) PLEXUS_TRY(NotTogether(request, "build", other));
  PLEXUS_TRY(CheckSequence(workspace, request));
  PLEXUS_TRY(CheckFiles(workspace, request));
  PLEXUS_TRY(CheckArrays(workspace, request));
  if (IsChecked(request) && AskedVectorFormat(request))
    return Invalid(request.Name("check"), " goes with files of records, not with vectors");
  PLEXUS_ASSIGN(formats::ImportOptions options, Options(workspace, request));
  if (IsChecked(request)) return RunChecked(workspace, request, std::move(options));
  if (request.Flag("dry_run")) return RunDry(workspace, request, std::move(options));
  MustFinish must_finish(workspace.timed_progress());
  const bool follow = request.Flag("follow");
  if (!follow && workspace.has_database() && TotalBytes(request.List("files")) >= kBulkBytes) {
    options.before = [&] { return workspace.database().BeginBulk(); };
    options.after = [&] { return workspace.database().EndBulk(&must_finish); };
  }
  PLEXUS_TRY(NotTogether(request, "terms", "no_terms"));
  if (!workspace.options().wall.empty() && request.Flag("terms") &&
      !retrieval::HasTerms(workspace.snapshot()))
    return FailedPrecondition(request.Name("terms"),
                              " makes an index of the whole graph: not in a session of a "
                              "scope");
  const auto start = std::chrono::steady_clock::now();
  // What was indexed once stays up to date.
  PLEXUS_ASSIGN(TermKeeper keeper, TermKeeper::Make(workspace, request.Flag("terms")));
  keeper.SetLoad({.in_bulk = !follow, .memory = options.limits.load_bytes});
  const bool index = keeper.on() && !request.Flag("no_terms");
  // A first index of what is more than one batch comes last: an export brings its own at its end.
  const bool last = keeper.first() && !follow && !IsOneBatch(request.List("files"));
  options.completes_texts_alone = keeper.first();
  if (index && !last)
    options.complete = [&](const Snapshot& snapshot, WriteBatch& batch) {
      return keeper.Complete(snapshot, batch);
    };
  std::optional<formats::FollowReport> followed;
  const auto read = [&]() -> Result<formats::ImportReport> {
    if (IsArrays(request)) return ReadArrays(workspace, request, options);
    if (!follow) return Read(workspace.graph(), workspace.input(), request, options);
    PLEXUS_ASSIGN(followed, Follow(workspace, request, options));
    return followed->import;
  };
  PLEXUS_ASSIGN(formats::ImportReport report, Judged(request, read()));
  std::optional<retrieval::IndexTermsReport> terms;
  if (!report.stopped && index) {  // a refused file leaves no trace
    PLEXUS_ASSIGN(terms, last ? keeper.IndexAll() : keeper.Finish());
    report.sequence = workspace.graph().snapshot().sequence();
    if (!retrieval::HasTerms(workspace.graph().snapshot())) terms.reset();  // there was no text
  }
  std::string built;
  if (!report.stopped && request.Given("build")) {
    Result<std::string> made = BuildAfter(workspace, request);
    if (!made)
      return Fail(made.error().code, "imported, but nothing was built: " + made.error().message);
    built = *std::move(made);
    report.sequence = workspace.graph().snapshot().sequence();
  }
  return WithBuilt(
      MakeReply(workspace, request, std::move(report), terms, false, SecondsSince(start), followed),
      std::move(built));
}

Access ImportAccess(const Request& request) {
  return request.Flag("dry_run") ? Access::kPreview : Access::kCreate;
}

}  // namespace

void AddImport(Rows& rows) {
  rows.push_back(
      {.name = "import",
       .group = "Files",
       .title = "Read files",
       .summary = "Import files into a graph, which is made if needed",
       .effect = Effect::kWrite,
       .parameters =
           Parameters{
               Repeated(
                   "files", "FILE",
                   "files (packed ones too: .gz), WordNet's directory, a folder of Markdown notes, "
                   "or - for standard input")
                   .Named(Means::kFile)
                   .Positional(),
               Choice("format",
                      {"auto", "csv", "tsv", "jsonl", "rows", "edgelist", "mtx", "gapbs", "graphml",
                       "node-link", "mcp-memory", "wordnet", "markdown", "npy", "fvecs", "f32",
                       "array"},
                      "auto: by name, then by content"),
               Choice("on_error", {"stop", "skip"},
                      "at a bad record: stop, and import nothing of all the files; or skip it and "
                      "count it. After a full disk or Ctrl-C whole batches stay; import again to "
                      "complete"),
               Flag("terms",
                    "also index the words of the texts that are in the graph. The words of new "
                    "texts are indexed anyway, unless earlier texts are not"),
               Flag("no_terms", "leave the words of these texts out of the index"),
               Flag("dry_run",
                    "say what would be new, changed and refused, and write nothing; takes as much "
                    "memory as the import"),
               BuildParameter(),
               CheckParameter(),
               ExpectSequenceParameter(),
               Flag("strict",
                    "refuse nodes that the files only name and do not describe (stubs), records "
                    "that are never valid, and unknown roles and outcome types. Without it they "
                    "are taken and counted"),
               Count("memory", "MIB",
                     "of an import of many edges, in addition to the graph (default: half of what "
                     "is free, at most 8192); the rest is sorted in a scratch file in the "
                     "directory")
                   .Between(1, 1 << 30),
               List("columns", "MEANING=COLUMN",
                    "tables, rows, GraphML and node-link JSON: what the file's columns or fields "
                    "mean, as source=from,target=to; others keep their names"),
               List("reversed_kinds", "KIND",
                    "edge kinds whose ends the files swap, as supersedes,supports,promoted_from "
                    "for files that mean 'b supersedes a' by from a to b")
                   .Named(Means::kEdgeKind),
               Text("mirror", "NAME",
                    "a folder of Markdown: its name in the graph (default: the folder's). What is "
                    "gone from the folder since its last import is removed"),
               List(
                   "kind_map", "THEIRS=OURS",
                   "other names of node and edge kinds in the files, as IS_A=is-a,PART_OF=part-of"),
               Text("keys", "FILE",
                    "vectors: one key a line (default: the row's number, from 0); -: the keys come "
                    "before the rows, and an empty line ends them")
                   .Named(Means::kFile),
               Text("column", "NAME",
                    "array, a result of plexus-dist: the column that it becomes (default: the "
                    "job's name)"),
               Text("space", "NAME", "vectors: the space they go to")
                   .Default(std::string("default")),
               Count("dimensions", "D", "vectors: values in a row; plain f32 needs it"),
               MaybeChoice("metric", MetricNames(),
                           "vectors: how a new space measures (default cosine)"),
               PrefilterParameter("vectors: what searches of a new space read first: none, or int8 "
                                  "(same answers; default none)"),
               ElementParameter("vectors: what a new space keeps of a value: f32 (the default) or "
                                "f16, half the memory and the disk, rounded to 11 bits")} +
           FollowParameters(),
       .reply = "sequence:n, dry_run?:b, nodes:{new:n, changed:n, same:n}, edges:{new:n, "
                "changed:n, same:n}, events:{new:n, changed:n, same:n}, outcomes:n, vectors:n, "
                "errors:n, never_valid:n, stubs:n, unknown:n, turned?:n, passed_over?:n, "
                "new_edge_kinds?:[s], removed:n, records:n, bytes:n, batches:n, pointers?:n, "
                "self_loops_skipped?:n, terms?:{texts:n, changed:n, linked:n, unlinked:n}, "
                "follow?:{resumed_at:n, offset:n, lines:n, waiting:n, interrupted:b}, stopped:b, "
                "messages:[s], warnings:[s], built?:j",
       .examples = {{"plexus import --db g people.csv knows.csv",
                     "columns source,target,kind,weight make edges"},
                    {"plexus import --db g --dry-run --columns source=from,target=to roads.csv.gz",
                     "what it would do, with a file that has other names for its columns"},
                    {"plexus import --db g decisions.jsonl graph_edges.jsonl",
                     "CSTP's decisions and edges, recognised by their fields; also the edges of "
                     "vestige and Codewhale"},
                    {"plexus import --db wn --format wordnet /usr/share/wordnet",
                     "117,659 concepts of WordNet 3.0"},
                    {"plexus import --db g --keys words.txt vectors.npy",
                     "row i of the array becomes the vector of the i-th line's key"},
                    {"plexus import --db g --follow events.jsonl",
                     "what an agent writes, as it writes it; resumes after a crash"}},
       .run = RunImport,
       .access = ImportAccess});
}

}  // namespace plexus::tools
