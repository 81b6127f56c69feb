// Import: opens the files, chooses parsers, runs the pipeline, sums up.
#include "storage/text/import.h"

#include <algorithm>
#include <memory>

#include "storage/text/csv.h"
#include "storage/text/edge_list.h"
#include "storage/text/import_documents.h"
#include "storage/text/input.h"
#include "storage/text/json_lines.h"
#include "storage/text/pipeline.h"
#include "storage/text/sniff.h"
#include "storage/text/wordnet_parser.h"

namespace plexus::text {

namespace {

BlockReader MakeReader(std::unique_ptr<ByteSource> source, const ImportOptions& options) {
  return BlockReader(std::move(source), options.block_bytes, options.limits.line_bytes);
}

// The header, and the reader moved behind it. A bad header is a record error.
Result<std::optional<CsvParser>> OpenTable(ImportRun& run, const Input& input, BlockReader& reader,
                                           char delimiter) {
  const ImportLimits& limits = run.options.limits;
  std::size_t want = kSniffBytes;
  PLEXUS_ASSIGN(std::string_view head, reader.Peek(want));
  while (CsvRecordLength(head) == head.size() && head.size() == want && want <= limits.line_bytes) {
    want *= 2;
    PLEXUS_ASSIGN(head, reader.Peek(want));
  }
  if (head.empty()) return std::nullopt;
  auto parser = CsvParser::FromHeader(head, delimiter, limits);
  if (!parser) {
    AddFileError(run, input, 1, parser.error().message);
    return std::nullopt;
  }
  reader.Drop(parser->header_bytes());
  reader.set_quoted(true);
  return std::move(*parser);
}

Status ImportOne(ImportRun& run, const Input& input) {
  PLEXUS_ASSIGN(auto source, input.Open());
  BlockReader reader = MakeReader(std::move(source), run.options);
  PLEXUS_ASSIGN(std::string_view head, reader.Peek(kSniffBytes));
  if (head.starts_with("\xef\xbb\xbf")) {
    reader.Drop(3);
    PLEXUS_ASSIGN(head, reader.Peek(kSniffBytes));
  }
  Format format = run.options.format;
  PLEXUS_ASSIGN(const Format sniffed, format == Format::kAuto ? SniffFormat(input.name, head)
                                                              : Result<Format>(format));
  format = sniffed;
  if (IsDocument(format)) return ImportDocument(run, input, format);
  Status status;
  switch (format) {
    case Format::kCsv:
    case Format::kTsv: {
      PLEXUS_ASSIGN(auto table, OpenTable(run, input, reader, format == Format::kTsv ? '\t' : '\0'));
      if (table) status = RunPipeline(run, input.name, reader, *table);
      break;
    }
    case Format::kJsonLines:
      status = RunPipeline(run, input.name, reader, JsonLinesParser());
      break;
    case Format::kEdgeList:
      status = RunPipeline(run, input.name, reader, EdgeListParser());
      break;
    default:
      return Fail(ErrorCode::kInvalidArgument,
                  input.name + ": WordNet is imported from a directory with data.noun, data.verb, "
                               "data.adj and data.adv");
  }
  run.report.bytes += reader.bytes_read();
  run.bytes_done += reader.bytes_read();
  return status;
}

Status ImportWordNet(ImportRun& run, const std::string& directory) {
  WriteBatch kinds(run.options.now_ms);
  for (const EdgeKind& kind : WordNetKinds()) kinds.DefineEdgeKind(kind);
  PLEXUS_TRY(run.graph.Apply(kinds, run.options.apply));
  for (bool pointers : {false, true}) {
    std::optional<Snapshot> synsets;
    if (pointers) synsets = run.graph.snapshot();
    for (std::string_view file : WordNetFiles()) {
      const std::string path = directory + "/" + std::string(file);
      PLEXUS_ASSIGN(auto source, OpenFile(path));
      BlockReader reader = MakeReader(std::move(source), run.options);
      const char letter = file == "data.adv" ? 'r' : file[5];
      PLEXUS_TRY(RunPipeline(run, path, reader, WordNetParser(letter, synsets)));
      if (!pointers) run.report.bytes += reader.bytes_read();
      run.bytes_done += reader.bytes_read();
      if (run.report.stopped) return {};
    }
  }
  return {};
}

Status ImportAll(ImportRun& run, const std::vector<Input>& inputs) {
  for (const Input& input : inputs) {
    if (input.is_directory()) {
      if (run.options.format != Format::kAuto && run.options.format != Format::kWordNet)
        return Fail(ErrorCode::kInvalidArgument, input.name + ": is a directory");
      PLEXUS_TRY(ImportWordNet(run, input.name));
    } else {
      PLEXUS_TRY(ImportOne(run, input));
    }
    if (run.report.stopped) break;
  }
  return {};
}

std::uint64_t TotalBytes(const std::vector<Input>& inputs) {
  std::uint64_t total = 0;
  for (const Input& input : inputs) {
    if (input.is_directory())
      for (std::string_view file : WordNetFiles())  // two passes
        total += 2 * Input{input.name + "/" + std::string(file), std::nullopt}.size().value_or(0);
    else
      total += input.size().value_or(0);
  }
  return total;
}

Result<ImportReport> Run(Graph& graph, const std::vector<Input>& inputs,
                         const ImportOptions& options) {
  ImportRun run(graph, options);
  run.bytes_total = TotalBytes(inputs);
  return RunImport(run, [&] { return ImportAll(run, inputs); });
}

}  // namespace

Result<ImportReport> RunImport(ImportRun& run, const std::function<Status()>& import) {
  if (run.options.before) PLEXUS_TRY(run.options.before());
  const Status imported = import();
  if (run.options.after) {
    const Status after = run.options.after();
    if (imported && !after) return std::unexpected(after.error());
  }
  if (!imported) return std::unexpected(imported.error());

  ImportReport& report = run.report;
  report.sequence = run.graph.snapshot().sequence();
  const std::uint64_t known = run.touched.count();
  const std::uint64_t removed = std::min(run.nodes_removed, known);
  report.nodes.changed = std::min(run.nodes_changed, known - removed);
  report.nodes.same = known - removed - report.nodes.changed;
  return std::move(report);
}

std::string ImportError::ToString() const {
  return file + (line ? ":" + std::to_string(line) : "") + ": " + reason;
}

Result<ImportReport> Import(Graph& graph, const std::vector<std::string>& files,
                            const ImportOptions& options) {
  std::vector<Input> inputs;
  for (const std::string& file : files) inputs.push_back({file, std::nullopt});
  return Run(graph, inputs, options);
}

Result<ImportReport> ImportBytes(Graph& graph, std::string_view name, std::string_view bytes,
                                 const ImportOptions& options) {
  return Run(graph, {{std::string(name), bytes}}, options);
}

}  // namespace plexus::text
