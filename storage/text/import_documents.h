// The importers of formats that are checked as a whole before anything is applied.
//
// Matrix Market, GAP's serialized graphs, GraphML, node-link JSON and memory files
// are documents: half of one is worth nothing. With OnError::kStop a first pass
// parses all of it and applies nothing; only a file without an error gets a second
// pass. With kSkip there is one pass. Internal to storage/text.
#pragma once

#include "storage/text/input.h"
#include "storage/text/pipeline.h"

namespace plexus::text {

// Whether ImportDocument reads files of that format.
bool IsDocument(Format format);

// REQUIRES IsDocument(format). Errors of the file go to run.report.
Status ImportDocument(ImportRun& run, const Input& input, Format format);

// Notes an error of the file itself.
void AddFileError(ImportRun& run, const Input& input, std::uint64_t line, std::string reason);

}  // namespace plexus::text
