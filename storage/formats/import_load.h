// Files of many plain edges, loaded at once; and what the import of files has for that. Internal to
// storage/formats.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "storage/formats/document_import.h"
#include "storage/formats/pipeline/input.h"
#include "storage/formats/pipeline/pipeline.h"

namespace plexus::formats::internal {

// Collects the edges of all inputs and loads them at once. False: these must go batch by
// batch, and nothing has happened.
Result<bool> LoadGroup(ImportRun& run, std::span<const Input> inputs);

// Checks, applies or collects one file, as `run` says (import.cc).
Status ImportFile(ImportRun& run, const Input& input, Checked& checked);

// Of the input's files; a directory is WordNet's.
std::vector<FileStamp> Stamps(const Input& input);
std::uint64_t TotalBytes(std::span<const Input> inputs);

}  // namespace plexus::formats::internal
