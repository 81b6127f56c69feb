// ImportVectors: a raw vector file into one space of the graph.
//
// Formats in vector_file.h. Row i belongs to the i-th key of a keys file (one key a
// line, in UTF-8), or without one to the key that is the row's number, from 0. A key
// that the graph does not have becomes a node. The space is made when none exists.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/graph.h"
#include "engine/schema.h"
#include "storage/formats/import.h"

namespace plexus {

enum class VectorFormat {
  kAuto,  // by the first bytes (.npy) or the extension: .npy, .fvecs, .f32
  kNpy,
  kFvecs,
  kF32,
};

// What a file name's extension says; nullopt: nothing.
std::optional<VectorFormat> VectorFormatOf(std::string_view name);

namespace formats_internal {
class Spool;
}

// A regular file, or bytes in memory under a name that appears in errors.
struct VectorInput {
  std::string name = {};
  std::optional<std::string_view> bytes = {};
  std::shared_ptr<const formats_internal::Spool> spool = {};  // of ImportVectorStream
  std::uint64_t begin = 0;                                    // of the rows, in the spool
};

struct VectorImportOptions {
  VectorFormat format = VectorFormat::kAuto;
  std::uint64_t dimensions = 0;  // needed for kF32; else compared with the file; 0 = not given
  std::string space = "default";
  std::optional<Metric> metric = {};          // absent: what the space has, cosine for a new one
  std::optional<Prefilter> prefilter = {};    // absent: what the space has, none for a new one
  std::optional<VectorElement> element = {};  // absent: what the space has, f32 for a new one
  std::optional<VectorInput> keys = {};
  // ImportVectorStream, in place of `keys`: they come before the rows, one a line, and an empty
  // line behind them, as ExportVectors writes them.
  bool keys_first = false;
};

// What is wrong with a file's content is an error of the report. kStop checks the whole
// of both files first, so an error changes nothing; kSkip leaves bad rows out (bad:
// a value that is not finite, a key that is refused or is there twice). The Result is an
// error when a file cannot be opened or is no regular file, when the space exists with
// other dimensions, metric, pre-filter or element, or for Import's reasons. Used of ImportOptions:
// on_error, now_ms, progress, max_errors_kept, apply, before, after. O(bytes).
Result<ImportReport> ImportVectors(Graph& graph, const VectorInput& file,
                                   const VectorImportOptions& vectors,
                                   const ImportOptions& options = {});

// The same for what can be read from the descriptor `fd` (standard input), to its end: kept in a
// file that has no name, at most options.limits.spool_bytes of it. kResourceExhausted, kCancelled.
Result<ImportReport> ImportVectorStream(Graph& graph, std::string_view name, int fd,
                                        const VectorImportOptions& vectors,
                                        const ImportOptions& options = {});

// The one vector of a file (a .npy may have shape (values,)), or of text: numbers between
// blanks or commas, or a JSON array of them. kInvalidArgument names the file and what is
// wrong, kNotFound, kIo.
Result<std::vector<float>> ReadVector(const VectorInput& file);

}  // namespace plexus
