// The importers of formats that describe themselves as a whole: Matrix
// Market, GAP's serialized graphs, GraphML and node-link JSON.
//
// Each is called twice with OnImportError::kStop, as every importer is: once with
// run.checking, then to apply. With kSkip there is the second call only. Internal to
// storage/formats.
#pragma once

#include <memory>
#include <optional>

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

// REQUIRES IsDocument(format). Errors of the file go to run.report.
Status ImportDocument(ImportRun& run, const Input& input, FileFormat format, Checked& checked);

// The error of `result` as one of the file, in the report; what is not the file's fault
// is returned.
Status NoteDefinition(ImportRun& run, const Input& input, Status result);

}  // namespace plexus::formats::internal
