// Follow: an import that continues as its file grows, or to the end of a pipe.
//
// Whole records are applied in batches, by number and time. A named position (how many bytes, and
// digests of what they begin and end with) is part of each batch, so after a crash at any moment it
// continues behind the last record that is durable: none is lost and none applied twice. It is the
// index node inscription:plexus.follow.NAME of the graph. Reported entries are durable.
//
// Formats are those of lines: JSON lines, rows, CSV and TSV, edge lists. A record that has no line
// end yet waits; at the end of a pipe it counts as whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "engine/error.h"
#include "engine/graph.h"
#include "storage/formats/import.h"

namespace plexus::formats {

// A batch that is durable.
struct FollowBatch {
  Sequence sequence = 0;
  std::uint64_t records = 0, errors = 0;  // of this batch
  std::uint64_t offset = 0, lines = 0;    // of the file, behind it
};

struct FollowOptions {
  // The name of the position, at most 256 bytes; "" keeps none: then it begins at the beginning.
  // A pipe with a name sends all of its bytes again after a stop; those that are done are checked
  // and passed over.
  std::string position = {};
  std::size_t batch_records = 1000;         // 1 to 1,000,000; a batch has at most 4 MiB, too
  double batch_seconds = 1;                 // that a whole record waits, 0 to 3600
  std::optional<double> idle_seconds = {};  // end after so long without a new byte
  int poll_interval_ms = 50;                // how often a file's size is looked at, 0 to 60,000
  // The time of each batch, in place of ImportOptions::now_ms; the library reads no clock for it.
  std::function<std::int64_t()> clock_ms = {};
  // Told of each batch, in the caller's thread.
  std::function<void(const FollowBatch&)> on_batch = {};
};

struct FollowReport {
  // Sums over the batches: a node counts once in each batch that names it.
  ImportReport import;
  std::uint64_t resumed_at = 0;         // bytes that were done before
  std::uint64_t offset = 0, lines = 0;  // that are done now
  std::uint64_t waiting = 0;            // bytes of a record without a line end
  bool interrupted = false;             // progress said stop; else idle, or the pipe's end
};

// Computes: what `path` holds from the position on, and will hold, as changes of the graph, until
//   progress (phase "following") says stop, nothing comes for idle_seconds, or a record is bad
//   (OnImportError::kStop: the report says stopped; of its batch nothing is applied).
// Complexity: O(bytes); memory: one batch. The file's size is looked at some times a second.
// Errors: kFailedPrecondition: the file is shorter than what was imported of it, begins or goes on
//   otherwise, or was replaced while it was followed. kUnsupported: a format or a packed file that
//   cannot be followed. kInvalidArgument: an option, a record over limits.line_bytes. kNotFound,
//   kIo. The graph's own. Reported batches stay.
// Threads: as ImportFiles. options.before, after and load_bytes are not used.
Result<FollowReport> FollowFile(Graph& graph, const std::string& path, const ImportOptions& options,
                                const FollowOptions& follow);
// The same of the descriptor of a pipe, to its end.
Result<FollowReport> FollowStream(Graph& graph, const std::string& name, int fd,
                                  const ImportOptions& options, const FollowOptions& follow);

}  // namespace plexus::formats
