// Import: opens the files, chooses parsers, runs the pipeline, sums up.
//
// With OnImportError::kStop every group of inputs is gone through twice: all of it is checked
// (run.checking), and only then is any of it applied.
#include "storage/formats/import.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>

#include "engine/out_of_memory.h"
#include "engine/times.h"
#include "storage/formats/csv/csv.h"
#include "storage/formats/edges/edge_list.h"
#include "storage/formats/edges/edge_loader.h"
#include "storage/formats/format_detection.h"
#include "storage/formats/import_parts.h"
#include "storage/formats/json/json_edges.h"
#include "storage/formats/json/json_lines.h"
#include "storage/formats/json/json_rows.h"
#include "storage/formats/json/mcp_memory.h"
#include "storage/formats/json/node_link.h"
#include "storage/formats/pipeline/input.h"
#include "storage/formats/pipeline/pipeline.h"
#include "storage/formats/pipeline/scratch_file.h"
#include "storage/formats/wordnet/wordnet_parser.h"

namespace plexus::formats {

using namespace internal;

namespace {

// JSON objects, one a line or all in one array.
Status ImportObjects(ImportRun& run, const Input& input, BlockReader& reader,
                     const RecordParser& parser) {
  PLEXUS_ASSIGN(const std::string_view head, reader.Peek(kSniffBytes));
  if (!IsJsonArray(head)) return RunPipeline(run, input.name, reader, parser);
  PLEXUS_ASSIGN(auto bytes, input.Open());
  NodeLinkReader elements(std::move(bytes), run.options.block_bytes, run.options.limits.line_bytes,
                          NodeLinkReader::What::kArray);
  PLEXUS_TRY(RunPipeline(run, input.name, elements, parser));
  run.report.bytes += elements.bytes_read() - std::min(elements.bytes_read(), reader.bytes_read());
  if (const auto& error = elements.array_error()) {
    if (error->after_elements)
      run.AddError(input.name, error->line, error->reason);
    else
      run.Refuse(input.name, error->line, error->reason);
  }
  return {};
}

// Formats whose records can state a node, so that one that is only named is a stub.
bool StatesNodes(FileFormat format) {
  return format != FileFormat::kEdgeList && format != FileFormat::kMatrixMarket &&
         format != FileFormat::kGapSerialized && format != FileFormat::kWordNet;
}

// Where the check of a file keeps what it parses, and its import finds it: in so many times the
// bytes of the file at most. The checks of other formats make no batches; what is in memory is not
// kept twice.
KeptBlocks* KeptOf(ImportRun& run, const Input& input, FileFormat format, Checked& checked) {
  constexpr std::uint64_t kMostTimes = 8;
  if (!run.checking) return checked.kept && checked.kept->whole() ? &*checked.kept : nullptr;
  checked.kept.reset();
  // The errors that are skipped are those of the reading that applies.
  if (!StatesNodes(format) || input.bytes || run.options.on_error == OnImportError::kSkip)
    return nullptr;
  return &checked.kept.emplace(kMostTimes * input.size().value_or(0), run.may_keep);
}

}  // namespace

Status internal::ImportFile(ImportRun& run, const Input& input, Checked& checked) {
  BlockReader reader = MakeReader(nullptr, run.options);
  PLEXUS_ASSIGN(const FileFormat format, OpenReader(run.options, input, reader));
  run.kept = KeptOf(run, input, format, checked);
  const bool table = format == FileFormat::kCsv || format == FileFormat::kTsv;
  if (run.collector && format != FileFormat::kEdgeList && format != FileFormat::kJsonLines &&
      !table)
    return IoError(input.name, ": has changed while it was read; nothing was applied");
  if (format == FileFormat::kEdgeList && run.options.strict)
    return Invalid(input.name, ": an edge list states no nodes, so none can be missing (strict)");
  run.states_nodes |= StatesNodes(format);
  if (IsDocument(format)) return ImportDocument(run, input, format, checked);
  Status status;
  switch (format) {
    case FileFormat::kCsv:
    case FileFormat::kTsv: {
      PLEXUS_ASSIGN(auto rows, OpenTable(run, input, reader, format));
      if (!rows) break;
      const auto edges = rows->plain_edges();
      if (!run.collector)
        status = RunPipeline(run, input.name, reader, *rows);
      else if (edges)
        status =
            RunPipeline(run, input.name, reader, CsvEdgeParser(*edges, run.collector->numbers()));
      else
        status = Exhausted("more than plain edges");
      break;
    }
    case FileFormat::kJsonLines:
      status =
          run.collector
              ? RunPipeline(run, input.name, reader,
                            JsonEdgeParser(run.collector->numbers(), PlainLineBytes(run.options)))
              : ImportObjects(run, input, reader, JsonLinesParser());
      break;
    case FileFormat::kJsonRows:
      status = ImportObjects(run, input, reader, JsonRowsParser());
      break;
    case FileFormat::kMcpMemory:
      status = ImportObjects(run, input, reader, McpMemoryParser());
      break;
    case FileFormat::kEdgeList:
      status = run.collector
                   ? RunPipeline(run, input.name, reader, EdgeLoadParser(run.collector->numbers()))
                   : RunPipeline(run, input.name, reader, EdgeListParser());
      break;
    default:
      return Invalid(input.name,
                     ": WordNet is imported from a directory with data.noun, data.verb, "
                     "data.adj and data.adv");
  }
  const std::uint64_t bytes =
      run.kept && !run.checking ? input.size().value_or(0) : reader.bytes_read();
  run.report.bytes += bytes;
  run.bytes_done += bytes;
  return status;
}

namespace {

Status ImportWordNet(ImportRun& run, const Input& directory) {
  run.kept = nullptr;
  PLEXUS_TRY(DefineKinds(run, directory, WordNetKinds()));
  for (bool pointers : {false, true}) {
    if (run.report.stopped) return {};
    WordNetParser::IsSynset is_synset;
    if (pointers && run.checking)
      is_synset = [&run](const std::string& key) { return run.check.Knows(key); };
    else if (pointers)
      is_synset = [now = run.graph.snapshot()](const std::string& key) {
        return now.Find(key).has_value();
      };
    for (std::string_view file : WordNetFiles()) {
      const std::string path = directory.name + "/" + std::string(file);
      PLEXUS_ASSIGN(auto source, OpenFile(path));
      BlockReader reader = MakeReader(std::move(source), run.options);
      const char letter = file == "data.adv" ? 'r' : file[5];
      PLEXUS_TRY(RunPipeline(run, path, reader, WordNetParser(letter, is_synset)));
      if (!pointers) run.report.bytes += reader.bytes_read();
      run.bytes_done += reader.bytes_read();
      if (run.report.stopped) return {};
    }
  }
  return {};
}

// Checks or applies one input, as run.checking says.
Status ImportOne(ImportRun& run, const Input& input, Checked& checked) {
  if (!input.is_directory()) return ImportFile(run, input, checked);
  if (run.options.format != FileFormat::kAuto && run.options.format != FileFormat::kWordNet)
    return Invalid(input.name, ": is a directory");
  if (run.options.format == FileFormat::kAuto &&
      !std::filesystem::exists(input.name + "/" + std::string(WordNetFiles()[0])))
    return Invalid(input.name,
                   ": a directory with no note (.md) in it, and not WordNet's; name files");
  return ImportWordNet(run, input);
}

// Applies what the check found good. It must still be the same.
Status ApplyChecked(ImportRun& run, const Input& input, Checked& checked) {
  if (Stamps(input) != checked.stamps)
    return IoError(input.name, ": has changed since it was checked; nothing of it was applied",
                   (run.report.batches > 0 ? ", the files before it were" : ""));
  const std::uint64_t records = run.report.records, batches = run.report.batches;
  const Status status = ImportOne(run, input, checked);
  const std::string applied =
      std::to_string(run.report.records - records) + " records of it were read, " +
      std::to_string(run.report.batches - batches) + " batches were applied";
  if (Stamps(input) != checked.stamps)
    return IoError(input.name, ": has changed while it was imported; ", applied);
  if (status && run.report.stopped && !run.report.kept_errors.empty())
    run.report.kept_errors.back().reason +=
        " (not foreseen by the check of the file; " + applied + ")";
  return status;
}

// A pass over all of them that applies nothing; a second one, if the first finds that it is needed.
Status CheckGroup(ImportRun& run, std::span<const Input> inputs, std::vector<Checked>& checked) {
  const ImportReport before = run.report;
  run.check.Begin(run.graph.snapshot());
  run.checking = true;
  Status status;
  const std::uint64_t done = run.bytes_done;
  do {
    run.bytes_total += run.bytes_done - done;  // of a second pass
    run.report = before;
    const std::uint64_t asked = run.options.limits.load_bytes;
    run.may_keep = asked == 0 ? 0 : LoadBudget(asked, AvailableMemory()) / 4;
    for (std::size_t i = 0; i < inputs.size() && status && !run.report.stopped; ++i) {
      if (checked[i].stamps.empty()) checked[i].stamps = Stamps(inputs[i]);
      status = ImportOne(run, inputs[i], checked[i]);
    }
  } while (status && !run.report.stopped && run.check.NeedsSecondPass());
  run.checking = false;
  if (status && !run.report.stopped)
    for (ImportError& error : run.stubs.Missing())
      run.AddError(error.file, error.line, std::move(error.reason));
  if (status && !run.report.stopped) run.report = before;
  return status;
}

Status ImportGroup(ImportRun& run, std::span<const Input> inputs) {
  PLEXUS_ASSIGN(const bool loaded, LoadGroup(run, inputs));
  if (loaded) return {};
  std::vector<Checked> checked(inputs.size());
  const bool check = run.options.on_error == OnImportError::kStop || !run.options.columns.empty();
  if (check) PLEXUS_TRY(CheckGroup(run, inputs, checked));
  if (run.options.on_error == OnImportError::kStop && MayLoad(run.graph, run.options))
    run.may_wait = LoadBudget(run.options.limits.load_bytes, AvailableMemory()) / 4;
  if (!run.report.stopped && !inputs[0].is_directory()) NoteUnusedColumns(run);
  for (std::size_t i = 0; i < inputs.size() && !run.report.stopped; ++i) {
    PLEXUS_TRY(run.BeginApplying());
    PLEXUS_TRY(check ? ApplyChecked(run, inputs[i], checked[i])
                     : ImportOne(run, inputs[i], checked[i]));
    checked[i] = {};
  }
  return {};
}

// All inputs together are one group, but WordNet's directories are apart: what they may point to
// is looked up in the graph.
Status ImportAll(ImportRun& run, std::span<const Input> inputs) {
  if (run.options.on_error == OnImportError::kSkip || !run.options.columns.empty())
    PLEXUS_TRY(LookAtHeads(run, inputs));
  for (std::size_t begin = 0; begin < inputs.size() && !run.report.stopped;) {
    std::size_t end = begin + 1;
    if (!inputs[begin].is_directory())
      while (end < inputs.size() && !inputs[end].is_directory()) ++end;
    PLEXUS_TRY(ImportGroup(run, inputs.subspan(begin, end - begin)));
    begin = end;
  }
  return {};
}

// What the source holds, unpacked if it is gzip.
Result<std::shared_ptr<const Spool>> Keep(std::unique_ptr<ByteSource> source, const Input& input,
                                          bool packed, const ImportOptions& options) {
  if (packed) source = Gunzip(std::move(source), input.name);
  if (!source) return Exhausted(input.name, ": no memory to unpack it");
  return SpoolSource(*source, input.name, options.limits.spool_bytes, options.progress);
}

// Pipes are read once, and packed files are unpacked once: what they hold is kept beside.
Status SpoolPipes(std::vector<Input>& inputs, const ImportOptions& options) {
  for (Input& input : inputs) {
    if (input.is_directory()) continue;
    if (!input.size()) {
      PLEXUS_ASSIGN(auto source, input.Open(options.progress));
      PLEXUS_ASSIGN(input.spool, Keep(std::move(source), input, false, options));
    }
    PLEXUS_ASSIGN(auto head, input.Open());
    char first[2];
    PLEXUS_ASSIGN(const std::size_t n, head->Read(first, sizeof first));
    if (!IsGzip({first, n})) continue;
    PLEXUS_ASSIGN(auto source, input.Open());
    PLEXUS_ASSIGN(input.spool, Keep(std::move(source), input, true, options));
    input.bytes.reset();
  }
  return {};
}

Result<ImportReport> ImportInputs(Graph& graph, std::vector<Input> inputs,
                                  const ImportOptions& options) {
  if (options.strict && options.on_error != OnImportError::kStop)
    return Invalid("a strict import cannot skip records");
  ImportRun run(graph, options);
  return RunImport(run, [&]() -> Status {
    PLEXUS_TRY(SpoolPipes(inputs, options));
    run.bytes_total = TotalBytes(inputs);
    if (options.on_error == OnImportError::kStop) run.bytes_total *= 2;
    return ImportAll(run, inputs);
  });
}

}  // namespace

Status ImportRun::BeginApplying() {
  if (!applying && options.before) PLEXUS_TRY(options.before());
  applying = true;
  touched.MarkAll(checked);
  if (report.batches == 0) bytes_checked = bytes_done;  // also where a load was refused after it
  return {};
}

void ImportRun::Refuse(const std::string& file, std::uint64_t line, std::string reason) {
  AddError(file, line, std::move(reason));
  report.stopped = true;
}

void ImportRun::AddError(const std::string& file, std::uint64_t line, std::string reason) {
  ++report.errors;
  if (report.kept_errors.size() < options.max_errors_kept)
    report.kept_errors.push_back({file, line, std::move(reason)});
  report.stopped |= options.on_error == OnImportError::kStop;
}

namespace {

// What a stop by the user leaves, and how to go on.
std::unexpected<Error> CancelledImport(const ImportRun& run) {
  std::string message = "import cancelled: ";
  if (run.report.batches == 0) {
    message += "nothing was imported";
  } else {
    const std::uint64_t all = run.bytes_total - std::min(run.bytes_total, run.bytes_checked);
    const std::uint64_t in = run.bytes_seen - std::min(run.bytes_seen, run.bytes_checked);
    message +=
        all > 0 ? std::to_string(std::min<std::uint64_t>(in * 100 / all, 99)) + " %" : "some";
    message += " is in; run the same import again to complete it";
  }
  return Cancelled(std::move(message));
}

}  // namespace

Result<ImportReport> internal::RunImport(ImportRun& run, const std::function<Status()>& import) {
  const Status imported = import();
  if (run.applying && run.options.after) {
    const Status after = run.options.after();
    if (imported && !after) return std::unexpected(after.error());
  }
  if (!imported && imported.error().code == ErrorCode::kCancelled) return CancelledImport(run);
  if (!imported) return std::unexpected(imported.error());

  ImportReport& report = run.report;
  const Snapshot now = run.graph.snapshot();
  report.sequence = now.sequence();
  if (run.states_nodes) report.stubs = CountStubs(run.start, now);
  const auto kinds = now.schema().edge_kinds();
  for (std::size_t i = run.start.schema().edge_kinds().size(); i < kinds.size(); ++i)
    report.new_edge_kinds.push_back(kinds[i].name);
  const std::uint64_t known = run.touched.count();
  const std::uint64_t removed = std::min(run.nodes_removed, known);
  report.nodes.changed = std::min(run.nodes_changed, known - removed);
  report.nodes.same = known - removed - report.nodes.changed;
  return std::move(report);
}

std::string ImportWarning::ToString() const {
  std::string text = file + ":" + std::to_string(line) + ": ";
  if (!says.empty())
    return text + says + (value > 0 ? ": line " + std::to_string(value) : "") +
           (count > 1 ? " (" + std::to_string(count) + " such)" : "");
  text += "\"" + field + "\" ";
  text += until ? internal::NeverValid(value, *until) : SecondsWarning(value);
  if (count > 1)
    text += " (" + std::to_string(count) + " such " + (until ? "records" : "values of this field") +
            ")";
  return text;
}

std::string ImportError::ToString() const {
  return file + (line ? ":" + std::to_string(line) : "") + ": " + reason;
}

Result<ImportReport> ImportFiles(Graph& graph, const std::vector<std::string>& files,
                                 const ImportOptions& options) try {
  std::vector<Input> inputs;
  for (const std::string& file : files) inputs.push_back({file});
  return ImportInputs(graph, std::move(inputs), options);
}
PLEXUS_CATCH_NO_MEMORY

Result<ImportReport> ImportBytes(Graph& graph, std::string_view name, std::string_view bytes,
                                 const ImportOptions& options) try {
  return ImportInputs(graph, {{std::string(name), bytes}}, options);
}
PLEXUS_CATCH_NO_MEMORY

Result<ImportReport> ImportStream(Graph& graph, std::string_view name, int fd,
                                  const ImportOptions& options) try {
  Input input{std::string(name)};
  PLEXUS_ASSIGN(input.spool,
                SpoolDescriptor(fd, input.name, options.limits.spool_bytes, options.progress));
  return ImportInputs(graph, {std::move(input)}, options);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::formats
