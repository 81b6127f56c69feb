// stats: what there is, and what it takes.
#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

#include "engine/monitoring/monitoring.h"
#include "engine/vocabulary.h"
#include "storage/database.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/text_table.h"

namespace plexus::tools {
namespace {

void WriteKindCounts(ReplyWriter& json, std::string_view name, const Snapshot& snapshot,
                     Plane plane, bool nodes) {
  json.BeginObject(name);
  const auto write = [&](const auto& kinds, auto&& count_of) {
    for (std::size_t id = 0; id < kinds.size(); ++id)
      if (const std::uint64_t count = count_of(id); kinds[id].plane == plane && count > 0)
        json.Field(kinds[id].name, count);
  };
  if (nodes)
    write(snapshot.schema().node_kinds(),
          [&](std::size_t id) { return snapshot.CountNodes(NodeKindId(id)); });
  else
    write(snapshot.schema().edge_kinds(),
          [&](std::size_t id) { return snapshot.CountEdges(EdgeKindId(id)); });
  json.EndObject();
}

void WriteBytes(ReplyWriter& json, const metrics::GraphBytes& bytes) {
  json.BeginObject("bytes");
  json.Field("total", bytes.total);
  json.Field("per_edge", bytes.per_edge);
  json.Field("per_node", bytes.per_node);
  json.Field("csr", bytes.csr);
  json.Field("delta", bytes.delta);
  json.Field("nodes", bytes.nodes);
  json.Field("keys", bytes.keys);
  json.Field("strings", bytes.strings);
  json.Field("columns", bytes.columns);
  json.Field("sparse", bytes.sparse);
  json.Field("payload_refs", bytes.payload_refs);
  json.Field("vectors", bytes.vectors);
  json.Field("derived", bytes.derived);
  json.Field("vectors_not_loaded", bytes.vectors_not_loaded);
  json.EndObject();
}

// Of the directory what is in no sorted file of these three: the write-ahead log, above all.
std::uint64_t OtherBytes(const StorageStats& stats) {
  const std::uint64_t sorted = stats.log_bytes + stats.payload_bytes + stats.checkpoint_bytes;
  return stats.disk_bytes - std::min(sorted, stats.disk_bytes);
}

void WriteStorage(ReplyWriter& json, const StorageStats& stats) {
  json.BeginObject("storage");
  json.Field("disk_bytes", stats.disk_bytes);
  json.Field("log_bytes", stats.log_bytes);
  json.Field("payload_bytes", stats.payload_bytes);
  json.Field("checkpoint_bytes", stats.checkpoint_bytes);
  json.Field("other_bytes", OtherBytes(stats));
  json.Field("tail_bytes", stats.tail_bytes);
  json.Values("checkpoints", stats.checkpoints);
  json.Field("history_floor", stats.history_floor);
  json.EndObject();
}

// What belongs to the directory and the process. Only in RAM, and behind the wall of a scope,
// none exists of it to tell.
struct Stored {
  StorageStats storage = {};
  metrics::ProcessBytes process = {};
};

void WriteProcess(ReplyWriter& json, const Stored& stored) {
  const StorageStats& stats = stored.storage;
  const metrics::ProcessBytes& process = stored.process;
  json.BeginObject("process");
  json.Field("resident", process.resident);
  json.Field("allocator_free", process.allocator_free);
  json.Field("memtables", stats.memtable_bytes);
  json.Field("table_readers", stats.table_reader_bytes);
  json.Field("block_cache", stats.block_cache_bytes);
  json.Field("payload_cache", stats.payload_cache_bytes);
  json.Field("past_cache", stats.past_cache_bytes);
  json.EndObject();
}

void WriteStats(ReplyWriter& json, const Snapshot& snapshot, const Stored& stored) {
  json.Field("sequence", snapshot.sequence());
  json.Time("time_ms", snapshot.time_ms());
  json.Field("nodes", snapshot.CountNodes(Plane::kFact));
  json.Field("edges", snapshot.CountEdges(Plane::kFact));
  json.Field("arcs", snapshot.base_rows(Direction::kOut).arc_count());
  json.Field("events", snapshot.CountNodes(builtin::kEvent));
  WriteKindCounts(json, "kinds", snapshot, Plane::kFact, false);
  WriteKindCounts(json, "node_kinds", snapshot, Plane::kFact, true);
  json.BeginObject("index");
  json.Field("nodes", snapshot.CountNodes(Plane::kIndex));
  json.Field("edges", snapshot.CountEdges(Plane::kIndex));
  WriteKindCounts(json, "kinds", snapshot, Plane::kIndex, false);
  WriteKindCounts(json, "node_kinds", snapshot, Plane::kIndex, true);
  json.EndObject();
  WriteBytes(json, metrics::MeasureBytes(snapshot));
  WriteStorage(json, stored.storage);
  WriteProcess(json, stored);
}

std::string Page(const Snapshot& snapshot, const Stored& stored) {
  const metrics::GraphBytes bytes = metrics::MeasureBytes(snapshot);
  std::ostringstream out;
  const auto right = TextTable::Align::kRight;
  out << "sequence " << snapshot.sequence();
  if (snapshot.time_ms() > 0) out << ", " << IsoTime(snapshot.time_ms());
  out << '\n'
      << Grouped(snapshot.CountNodes(Plane::kFact)) << " nodes, "
      << Grouped(snapshot.CountEdges(Plane::kFact))
      << " edges (index plane: " << Grouped(snapshot.CountNodes(Plane::kIndex)) << " nodes, "
      << Grouped(snapshot.CountEdges(Plane::kIndex)) << " edges)\n\n";
  TextTable kinds;
  kinds.Column("edges", right).Column("kind").Column("plane");
  for (std::size_t id = 0; id < snapshot.schema().edge_kinds().size(); ++id) {
    const EdgeKind& kind = snapshot.schema().edge_kinds()[id];
    const std::uint64_t count = snapshot.CountEdges(EdgeKindId(id));
    if (count > 0) kinds.Row({Grouped(count), kind.name, std::string(PlaneName(kind.plane))});
  }
  out << kinds.Text() << '\n';
  TextTable memory;
  memory.Column("in RAM", right).Column("");
  const auto row = [&](std::uint64_t size, const char* what) {
    if (size > 0) memory.Row({Bytes(size), what});
  };
  row(bytes.csr, "edges, both directions (csr)");
  row(bytes.delta, "edges since the last compaction (delta)");
  row(bytes.sparse, "labels, valid times, properties of edges");
  row(bytes.nodes, "kinds and flags of nodes");
  row(bytes.keys, "keys");
  row(bytes.strings, "labels and names");
  row(bytes.columns, "columns of nodes");
  row(bytes.payload_refs, "references to texts");
  row(bytes.vectors, "vectors");
  row(bytes.derived, "kept answers: visible nodes, text lengths, layouts (derived)");
  row(bytes.total, "total");
  row(bytes.vectors_not_loaded, "of vectors are not loaded, until a command reads them");
  out << memory.Text();
  if (bytes.per_edge > 0)
    out << Number(bytes.per_edge, 4) << " bytes per directed edge, " << Number(bytes.per_node, 4)
        << " per node\n";
  const auto& [storage, process] = stored;
  if (process.resident > 0)
    out << "this process " << Bytes(process.resident) << ": beside the graph memtables "
        << Bytes(storage.memtable_bytes) << ", indexes of files "
        << Bytes(storage.table_reader_bytes) << ", freed and kept " << Bytes(process.allocator_free)
        << ", the program and its libraries\n";
  if (storage.disk_bytes == 0) return std::move(out).str();
  out << "\non disk " << Bytes(storage.disk_bytes) << ": log " << Bytes(storage.log_bytes)
      << ", texts " << Bytes(storage.payload_bytes) << ", checkpoints "
      << Bytes(storage.checkpoint_bytes) << ", write-ahead log and other files "
      << Bytes(OtherBytes(storage)) << '\n';
  return std::move(out).str();
}

Result<Reply> RunStats(Workspace& workspace, const Request& request) {
  if (request.Flag("metrics") && request.Given("as_of"))
    return Invalid(request.Name("metrics"), " tells of the present; leave ", request.Name("as_of"),
                   " out");
  const Snapshot& snapshot = workspace.snapshot();
  if (request.Flag("metrics") && !workspace.has_database())
    return FailedPrecondition(request.Name("metrics"),
                              " tells of a directory as a whole, which is not asked here");
  Stored stored;
  if (workspace.has_database())
    stored = {.storage = workspace.database().stats(), .process = metrics::MeasureProcess()};
  Reply reply([snapshot, stored](ReplyWriter& json) { WriteStats(json, snapshot, stored); });
  if (!request.Flag("metrics")) {
    reply.page = Page(snapshot, stored);
    return reply;
  }
  reply.members = nullptr;  // the format is all there is
  PLEXUS_ASSIGN(std::vector<metrics::MetricRow> rows,
                metrics::DatabaseMetrics(workspace.database()));
  reply.stream = [rows = std::move(rows)](std::ostream& out) {
    return metrics::WriteOpenMetrics(rows, out);
  };
  return reply;
}

}  // namespace

void AddStats(Rows& rows) {
  rows.push_back(
      {.name = "stats",
       .group = "Look",
       .title = "Sizes",
       .summary = "Count nodes and edges by kind, and the bytes they take",
       .parameters = {Flag("metrics", "print OpenMetrics text, for Prometheus and its like")},
       .reply =
           "sequence:n, time_ms:t, nodes:n, edges:n, arcs:n, events:n, kinds:{*:n}, "
           "node_kinds:{*:n}, index:{nodes:n, edges:n, kinds:{*:n}, node_kinds:{*:n}}, "
           "bytes:{total:n, per_edge:x, per_node:x, csr:n, delta:n, nodes:n, keys:n, "
           "strings:n, columns:n, sparse:n, payload_refs:n, vectors:n, derived:n, "
           "vectors_not_loaded:n}, storage:{disk_bytes:n, log_bytes:n, payload_bytes:n, "
           "checkpoint_bytes:n, other_bytes:n, tail_bytes:n, checkpoints:[n], history_floor:n}, "
           "process:{resident:n, allocator_free:n, memtables:n, table_readers:n, "
           "block_cache:n, payload_cache:n, past_cache:n}",
       .examples = {{"plexus stats --db g", "sizes, kinds, memory and disk"},
                    {"plexus stats --db g --as-of 12 --json",
                     "the same after batch 12, for a script"}},
       .run = RunStats});
}

}  // namespace plexus::tools
