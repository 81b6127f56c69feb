// Readers, formats and headers of inputs; see open_input.h.
#include "storage/formats/open_input.h"

#include <utility>

#include "storage/formats/base/quoted_record.h"
#include "storage/formats/format_detection.h"
#include "storage/formats/json/json_rows.h"
#include "storage/formats/pipeline/gunzip.h"
#include "storage/formats/pipeline/text_source.h"

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

}  // namespace plexus::formats::internal
