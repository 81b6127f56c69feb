// What every import does first with an input: opens it, detects its format, reads a table's header.
//
// Internal to storage/formats.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "storage/formats/csv/csv.h"
#include "storage/formats/pipeline/input.h"
#include "storage/formats/pipeline/pipeline.h"

namespace plexus::formats::internal {

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

}  // namespace plexus::formats::internal
