// ImportArrays: what a job computed by id becomes columns of the graph that it was computed of.
//
// The files are array files (array_file.h) of kind f64 or u32: scores become a column of f64,
// labels and levels one of i64. A file is refused when it is of another graph, of another sequence
// than the graph is at, or damaged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/graph.h"
#include "storage/formats/import.h"

namespace plexus {

struct ArrayImportOptions {
  std::uint64_t graph_high = 0, graph_low = 0;  // GraphIdentity (storage/identity.h)
  // The column, which is made when it is missing, of only one file. Empty: the job's name. Several
  // arrays of a file go to NAME_1, NAME_2 ...
  std::string column = {};
};

// Whether it is a regular file that begins as an array file does. Of a pipe nothing is read.
bool IsArrayFile(const std::string& path);

// Computes: for each alive node its values in the files. A node of which a file says nothing keeps
//   what it has. Every file is checked whole before the first value is written, in batches of
//   262,144; the files may be of one sequence, that of the graph before the import.
// Complexity: O(bytes), read twice. Memory: O(one batch).
// Errors: kFailedPrecondition: another graph or sequence. kInvalidArgument: no array by node, or a
//   column that is built in or of another type. kCorruption, kUnsupported, kNotFound, kIo:
//   ArrayFile's. kCancelled: whole batches stay, and the files are of an earlier sequence then.
//   Apply's own. Used of ImportOptions: now_ms, progress, apply, before, after.
Result<ImportReport> ImportArrays(Graph& graph, const std::vector<std::string>& files,
                                  const ArrayImportOptions& arrays,
                                  const ImportOptions& options = {});

}  // namespace plexus
