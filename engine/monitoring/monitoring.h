// What the engine reports: log entries, progress of long work, bytes in RAM, metrics.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus {

// --- LogEntry: something that happened inside, reported to a callback of the host.
//
// The library prints nothing. Where GraphOptions::on_log is set it is called with what maintenance
// did and what went wrong, by the thread that did it, holding no lock. It must neither throw (what
// it throws is dropped) nor call the graph or database that reports it, and it should be quick.
//
// `event` is a stable name. Fields that end in _ms are durations.
//
//   graph       compaction.began (delta_arcs, runs), compaction.ended (delta_arcs, arcs, ms) and
//               .failed; vector_compaction.ended (space, ms) and .failed; packing.ended (ms) and
//               .failed; stall.ended (ms): Apply waited for the delta; journal.failed: the graph is
//               read-only from now on
//   database    open.ended (sequence, checkpoint, replayed, ms); open.tail_dropped and
//               checkpoint.damaged: what opening bypassed; checkpoint, trim, scrub, purge,
//               hard_purge, backup, close: .began, .ended (ms), .failed (the call returns why);
//               background.failed: a checkpoint in the background; refresh.reopened

enum class LogLevel : std::uint8_t { kInfo, kWarning, kError };

// "info", "warning", "error".
std::string_view LogLevelName(LogLevel level);

struct LogField {
  std::string_view name = {};
  std::uint64_t value = 0;
};

struct LogEntry {
  LogLevel level = LogLevel::kInfo;
  std::string_view event;
  std::string message;  // for people; fields are not repeated in it
  std::vector<LogField> fields;

  // "info compaction.ended: delta folded into the base (delta_arcs 12, arcs 40, ms 3)"
  std::string ToString() const;
};

using LogCallback = std::function<void(const LogEntry&)>;

// Calls `callback`, if there is one. Without memory for the entry nothing is reported.
void Log(const LogCallback& callback, LogLevel level, std::string_view event,
         std::string_view message, std::initializer_list<LogField> fields = {}) noexcept;

// --- Progress: how long work reports to its caller, and is cancelled.
//
// Handed to imports, checkpoints, verification and other work over a second as a
// pointer (null = no report). It never changes a result.

class Progress {
 public:
  virtual ~Progress() = default;
  // `done` of `total` units (0 = unknown) of a phase, e.g. "reading". Called a few
  // times a second at most per thread, from any thread. False = stop: the work
  // returns kCancelled and leaves whole batches behind, never half of one.
  virtual bool Report(std::string_view phase, std::uint64_t done, std::uint64_t total) = 0;
};

class Graph;  // engine/graph.h

namespace metrics {

// --- GraphBytes: what a graph's parts take in RAM, as `stats` publishes it.
//
// Counted from the arrays themselves, not from the allocator: payload bytes live in
// the PayloadStore and are its own business, and a part that two snapshots share
// counts in both.

struct GraphBytes {
  std::uint64_t csr = 0;      // offsets and arc arrays of the base, both directions
  std::uint64_t sparse = 0;   // labels, created_by, valid times, property references of arcs
  std::uint64_t delta = 0;    // runs and dirty bits
  std::uint64_t nodes = 0;    // kinds and flags
  std::uint64_t keys = 0;     // node keys with their index
  std::uint64_t strings = 0;  // interned labels, names, scopes with their index
  std::uint64_t columns = 0;  // used node columns
  std::uint64_t payload_refs = 0;
  std::uint64_t vectors = 0;  // those in RAM
  std::uint64_t derived =
      0;  // what questions had computed and kept: visible nodes, text lengths, layouts
  std::uint64_t total = 0;  // the sum of all above

  // Values of vectors that were not read since the graph was opened: not in RAM.
  std::uint64_t vectors_not_loaded = 0;

  double per_edge = 0;  // arc arrays of the base / its directed edges (a symmetric one is two)
  double per_node = 0;  // (offsets + kinds and flags) / nodes
};

// Complexity: O(runs + columns + spaces). Threads: thread-safe.
GraphBytes MeasureBytes(const Snapshot& snapshot);

// What the process takes, of which the graph is a part; 0 where the system does not report it.
struct ProcessBytes {
  std::uint64_t resident = 0;
  std::uint64_t allocator_free =
      0;  // freed to the C library's allocator and kept by it, resident or not
};
// Complexity: reads one small file, and walks what glibc's allocator keeps free, under its locks.
// Threads: thread-safe.
ProcessBytes MeasureProcess();

// --- Metrics: what a graph counts, in the terms of a metrics system.
//
// Names follow Prometheus: plexus_, base units (bytes, seconds), counters end in _total. Rows of
// one family (one name) stand together and differ in their labels. WriteOpenMetrics spells them as
// OpenMetrics text 1.0, which Prometheus' own parser reads as well. storage/database.h has those of
// a database.

enum class MetricType : std::uint8_t {
  kCounter,  // since the graph was opened; never falls
  kGauge,
};

struct MetricRow {
  std::string_view name = {};  // of a counter with its _total
  std::string_view help = {};  // one sentence
  MetricType type = MetricType::kGauge;
  std::vector<std::pair<std::string_view, std::string>> labels = {};
  double value = 0;
};

// Computes: counts of GraphStats, nodes and edges by kind, MeasureBytes and MeasureProcess.
// Complexity: O(kinds + columns + runs), and MeasureProcess; waits for the batch that is being
//   applied. Threads: thread-safe.
// Errors: kResourceExhausted: no memory; kFailedPrecondition: in a child of fork, of a graph that
//   the parent owns.
Result<std::vector<MetricRow>> GraphMetrics(const Graph& graph);

// OpenMetrics text: HELP and TYPE of each family, its rows, "# EOF" in the end. Every name and
// label is spelled as the format wants it. Errors: kInvalidArgument, rows of a family that do not
// stand together; kIo, the stream failed.
Status WriteOpenMetrics(std::span<const MetricRow> rows, std::ostream& out);

}  // namespace metrics

}  // namespace plexus
