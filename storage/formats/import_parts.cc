// Readers, formats and headers of inputs, and edges of files, loaded at once; see import_parts.h.
#include "storage/formats/import_parts.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "storage/formats/base/text.h"
#include "storage/formats/csv/csv.h"
#include "storage/formats/edges/edge_loader.h"
#include "storage/formats/format_detection.h"
#include "storage/formats/json/json_edges.h"
#include "storage/formats/json/json_rows.h"
#include "storage/formats/pipeline/input.h"
#include "storage/formats/pipeline/piece_edges.h"
#include "storage/formats/pipeline/pipeline.h"
#include "storage/formats/wordnet/wordnet_parser.h"

namespace plexus::formats::internal {

BlockReader MakeReader(std::unique_ptr<ByteSource> source, const ImportOptions& options) {
  return BlockReader(std::move(source), options.block_bytes, options.limits.line_bytes);
}

Result<std::optional<CsvParser>> OpenTable(ImportRun& run, const Input& input, BlockReader& reader,
                                           FileFormat format) {
  char delimiter = format == FileFormat::kTsv ? '\t' : '\0';
  const ImportLimits& limits = run.options.limits;
  std::size_t want = kSniffBytes;
  PLEXUS_ASSIGN(std::string_view head, reader.Peek(want));
  if (head.size() > 5 && head.starts_with("sep=") && (head[5] == '\n' || head[5] == '\r')) {
    delimiter = head[4];  // spreadsheets' line before the header
    reader.Drop(std::min(head.find('\n'), head.size() - 1) + 1);
    PLEXUS_ASSIGN(head, reader.Peek(want));
  }
  while (!QuotedRecordLength(head, delimiter) && head.size() == want && want <= limits.line_bytes) {
    want *= 2;
    PLEXUS_ASSIGN(head, reader.Peek(want));
  }
  if (head.empty()) return std::nullopt;
  std::string hint;
  auto parser =
      CsvParser::FromHeader(head, delimiter, limits, run.options.columns, &run.columns, &hint);
  if (!parser) {
    run.Refuse(input.name, 1, parser.error().message);
    if (!run.report.kept_errors.empty()) run.report.kept_errors.back().columns = std::move(hint);
    return std::nullopt;
  }
  parser->set_memory_rows(AddJsonRow);
  // Of a table that is followed only the header decides: rows come at any time.
  const std::string_view rows = head.substr(parser->header_bytes());
  parser->LookAtTypes(run.options.position ? std::string_view() : rows, head.size() < want);
  reader.Drop(parser->header_bytes());
  reader.set_quoted(parser->delimiter());
  return std::move(*parser);
}

Result<FileFormat> OpenReader(const ImportOptions& options, const Input& input,
                              BlockReader& reader) {
  PLEXUS_ASSIGN(auto source, OpenText(input));
  reader = MakeReader(std::move(source), options);
  PLEXUS_ASSIGN(const std::string_view head, reader.Peek(kSniffBytes));
  return options.format == FileFormat::kAuto
             ? SniffFormat(WithoutGz(input.name), head, options.columns)
             : Result<FileFormat>(options.format);
}

Status LookAtHeads(ImportRun& run, std::span<const Input> inputs) {
  bool all_known = true;
  for (const Input& input : inputs) {
    if (input.is_directory()) continue;
    BlockReader reader = MakeReader(nullptr, run.options);
    PLEXUS_ASSIGN(const FileFormat format, OpenReader(run.options, input, reader));
    if (format == FileFormat::kCsv || format == FileFormat::kTsv) {
      const ImportReport before = run.report;
      PLEXUS_TRY(OpenTable(run, input, reader, format));
      if (run.options.on_error == OnImportError::kStop)
        run.report = before;  // the check will say it
      if (run.report.stopped && run.options.columns.empty()) return {};
    }
    all_known = all_known && format != FileFormat::kJsonRows && format != FileFormat::kNodeLink &&
                format != FileFormat::kGraphMl;
  }
  if (all_known) NoteUnusedColumns(run);
  return {};
}

void NoteUnusedColumns(ImportRun& run) {
  for (std::size_t i = 0; i < run.options.columns.size(); ++i)
    if (!run.columns.used(i)) run.report.unused_columns.push_back(run.options.columns[i].in_file);
  run.report.stopped |= !run.report.unused_columns.empty();
}

std::vector<FileStamp> Stamps(const Input& input) {
  if (!input.is_directory()) return {input.stamp()};
  std::vector<FileStamp> stamps;
  for (std::string_view file : WordNetFiles())
    stamps.push_back(StampOf(input.name + "/" + std::string(file)));
  return stamps;
}

std::uint64_t TotalBytes(std::span<const Input> inputs) {
  std::uint64_t total = 0;
  for (const Input& input : inputs) {
    if (input.is_directory())
      for (std::string_view file : WordNetFiles())  // two passes
        total += 2 * Input{input.name + "/" + std::string(file)}.size().value_or(0);
    else
      total += input.size().value_or(0);
  }
  return total;
}

namespace {

// Whether the heads of all inputs promise edges that can be loaded at once, and nothing else.
bool AllPlainEdges(ImportRun& run, std::span<const Input> inputs) {
  const ImportReport before = run.report;
  const bool plain = std::ranges::all_of(inputs, [&](const Input& input) {
    if (input.is_directory()) return false;
    BlockReader reader = MakeReader(nullptr, run.options);
    const auto format = OpenReader(run.options, input, reader);
    if (format && *format == FileFormat::kEdgeList) return true;
    if (!LeavesEdges(run.options)) return false;
    if (format && *format == FileFormat::kJsonLines) {
      const auto head = reader.Peek(kSniffBytes);
      return head && BeginsWithJsonEdge(*head);
    }
    if (format != FileFormat::kCsv && format != FileFormat::kTsv) return false;
    const auto table = OpenTable(run, input, reader, *format);
    return table && *table && (*table)->plain_edges();
  });
  run.report = before;  // what is wrong with a header, the general way says
  return plain;
}

}  // namespace

Result<bool> LoadGroup(ImportRun& run, std::span<const Input> inputs) {
  constexpr std::uint64_t kLeastLine = 4;  // "1 2\n"
  const Snapshot start = run.graph.snapshot();
  const std::uint64_t bytes = TotalBytes(inputs), total = run.bytes_total, done = run.bytes_done;
  if (!AreMany(bytes / kLeastLine, start) || !MayLoad(run.graph, run.options) ||
      !run.options.columns.empty() || !AllPlainEdges(run, inputs))
    return false;
  const ImportReport before = run.report;
  if (run.options.on_error == OnImportError::kStop) run.bytes_total -= bytes;  // one pass will do
  EdgeCollector collector(run.options, bytes, start);
  run.collector = &collector;
  run.restated = 0;
  Status status;
  Checked checked;
  for (std::size_t i = 0; i < inputs.size() && status && !run.report.stopped; ++i) {
    const std::vector<FileStamp> stamps = Stamps(inputs[i]);
    collector.BeginFile(inputs[i].name);
    status = ImportFile(run, inputs[i], checked);
    if (status && !run.report.stopped && Stamps(inputs[i]) != stamps)
      status = IoError(inputs[i].name, ": has changed while it was read; nothing was applied");
  }
  run.collector = nullptr;
  const bool too_large = !status && status.error().code == ErrorCode::kResourceExhausted;
  const std::size_t batches = collector.batch_count();
  Result<ApplyReport> loaded = ApplyReport();
  std::vector<std::uint64_t> changed;  // edges, by batch
  const bool few = status && !run.report.stopped && !AreMany(collector.edge_count(), start);
  if (status && !run.report.stopped && batches > 0 && !few) {
    PLEXUS_TRY(run.BeginApplying());
    EdgeLoad load = collector.Finish();
    load.changed_of = &changed;
    loaded = run.graph.Load(std::move(load), run.options.apply, run.options.progress);
    if (!loaded) status = std::unexpected(LoadError(run.graph, collector.WhyNot(loaded.error())));
    if (!loaded && loaded.error().code == ErrorCode::kCancelled)
      run.report.batches += run.graph.snapshot().sequence() - start.sequence();
  }
  const bool refused = !loaded && LoadRefused(run.graph, loaded.error());
  if (too_large || refused || few) {
    run.report = before;
    run.bytes_total = total + run.bytes_done - done;
    const std::string why = collector.WhyInBatches(loaded);
    if (!why.empty())
      run.report.warnings.push_back(
          {inputs[0].name, 1, "load", 0, 1, std::nullopt,
           "the files " + why + ", so they are written batch by batch, which is slower"});
    return false;
  }
  PLEXUS_TRY(status);
  if (run.report.stopped || batches == 0) return true;
  run.touched.MarkAll(collector.touched());
  run.report.batches += batches;
  run.report.nodes.added += loaded->nodes.added;
  run.report.edges.added += loaded->edges.added;
  run.report.edges.changed += loaded->edges.changed;
  // Lines, as the general way counts.
  run.report.edges.same += collector.edge_count() - loaded->edges.added - loaded->edges.changed;
  for (std::size_t b = 0; b < batches && start.CountEdges(Plane::kFact) == 0; ++b)
    run.WarnOfReplaced(collector.file(b), collector.line(b), changed[b]);
  const std::uint64_t restated = std::min(run.restated, run.report.edges.same);
  run.report.edges.changed += restated;
  run.report.edges.same -= restated;
  return true;
}

}  // namespace plexus::formats::internal
