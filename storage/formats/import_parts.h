// What the import of files is made of: opening an input (its format, a table's header), the formats
// that describe themselves as a whole (Matrix Market, GAP's serialized graphs, GraphML and
// node-link JSON), and files of many plain edges, loaded at once. Internal to storage/formats.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "storage/formats/csv/csv.h"
#include "storage/formats/edges/gap_serialized.h"
#include "storage/formats/json/json_element.h"
#include "storage/formats/pipeline/input.h"
#include "storage/formats/pipeline/pipeline.h"

namespace plexus::formats::internal {

// What the check of a file leaves for its import.
struct Checked {
  std::vector<FileStamp> stamps;
  std::optional<ElementDefaults> defaults;  // of a node-link document
  std::unique_ptr<GapGraph> gap;
  std::optional<KeptBlocks> kept;
};

// Whether ImportDocument reads files of that format.
bool IsDocument(FileFormat format);

// REQUIRES IsDocument(format). Errors of the file go to run.report. Called twice with
// OnImportError::kStop, as every importer is: once with run.checking, then to apply. With kSkip
// there is the second call only.
Status ImportDocument(ImportRun& run, const Input& input, FileFormat format, Checked& checked);

// Defines what records of `input` need. That the graph has such a kind with other traits is an
// error of the file, in the report, while it is checked.
Status DefineKinds(ImportRun& run, const Input& input, std::span<const EdgeKind> kinds);

BlockReader MakeReader(std::unique_ptr<ByteSource> source, const ImportOptions& options);

// Opens a file, behind its byte order mark, and detects its format.
Result<FileFormat> OpenReader(const ImportOptions& options, const Input& input,
                              BlockReader& reader);

// The header, and the reader moved behind it; nullopt when the table is empty, or refused: a header
// that cannot be read is an error of the file, in the report, and never skipped.
Result<std::optional<CsvParser>> OpenTable(ImportRun& run, const Input& input, BlockReader& reader,
                                           FileFormat format);

// Reads the headers of all tables before anything is applied: one that cannot be read ends an
// import that skips records, and so does one of options.columns that no file can have.
Status LookAtHeads(ImportRun& run, std::span<const Input> inputs);

// To be called when the columns of all files were seen: those of options.columns that none has go
// to the report, which says stopped.
void NoteUnusedColumns(ImportRun& run);

// Collects the edges of all inputs and loads them at once. False: these must go batch by
// batch, and nothing has happened.
Result<bool> LoadGroup(ImportRun& run, std::span<const Input> inputs);

// Checks, applies or collects one file, as `run` says (import.cc).
Status ImportFile(ImportRun& run, const Input& input, Checked& checked);

// Of the input's files; a directory is WordNet's.
std::vector<FileStamp> Stamps(const Input& input);
std::uint64_t TotalBytes(std::span<const Input> inputs);

}  // namespace plexus::formats::internal
