// stats: what there is, and what it takes.
#include <string>

#include "engine/monitoring/metrics.h"
#include "engine/monitoring/stats.h"
#include "engine/vocabulary.h"
#include "storage/metrics.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/cli/table.h"
#include "tools/operations/json_writer.h"

namespace plexus::tools {
namespace {

const char* PlaneName(Plane plane) { return plane == Plane::kFact ? "fact" : "index"; }

std::uint64_t At(const std::vector<std::uint64_t>& counts, std::size_t id) {
  return id < counts.size() ? counts[id] : 0;
}

void WriteKindCounts(JsonWriter& json, std::string_view name, const Snapshot& snapshot, Plane plane,
                     bool nodes) {
  const GraphState& state = snapshot.state();
  json.BeginObject(name);
  const auto write = [&](const auto& kinds, const std::vector<std::uint64_t>& counts) {
    for (std::size_t id = 0; id < kinds.size(); ++id)
      if (kinds[id].plane == plane && At(counts, id) > 0)
        json.Field(kinds[id].name, At(counts, id));
  };
  if (nodes)
    write(snapshot.schema().node_kinds(), state.nodes_by_kind);
  else
    write(snapshot.schema().edge_kinds(), state.edges_by_kind);
  json.EndObject();
}

void WriteBytes(JsonWriter& json, const GraphBytes& bytes) {
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

void WriteStorage(JsonWriter& json, const storage::StorageStats& stats) {
  json.BeginObject("storage");
  json.Field("disk_bytes", stats.disk_bytes);
  json.Field("log_bytes", stats.log_bytes);
  json.Field("payload_bytes", stats.payload_bytes);
  json.Field("checkpoint_bytes", stats.checkpoint_bytes);
  json.Field("tail_bytes", stats.tail_bytes);
  json.BeginArray("checkpoints");
  for (Sequence sequence : stats.checkpoints) json.Value(sequence);
  json.EndArray();
  json.Field("history_floor", stats.history_floor);
  json.EndObject();
}

void WriteProcess(JsonWriter& json, const storage::StorageStats& stats) {
  const ProcessBytes process = MeasureProcess();
  json.BeginObject("process");
  json.Field("resident", process.resident);
  json.Field("allocator_free", process.allocator_free);
  json.Field("memtables", stats.memtable_bytes);
  json.Field("table_readers", stats.table_reader_bytes);
  json.Field("block_cache", stats.block_cache_bytes);
  json.Field("payload_cache", stats.payload_cache_bytes);
  json.EndObject();
}

void WriteStats(Session& session) {
  const Snapshot& snapshot = session.snapshot();
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("sequence", snapshot.sequence());
  json.Field("time_ms", snapshot.time_ms());
  json.Field("nodes", snapshot.CountNodes(Plane::kFact));
  json.Field("edges", snapshot.CountEdges(Plane::kFact));
  json.Field("arcs", snapshot.base().arc_count());
  json.Field("events", At(snapshot.state().nodes_by_kind, kEvent));
  WriteKindCounts(json, "kinds", snapshot, Plane::kFact, false);
  WriteKindCounts(json, "node_kinds", snapshot, Plane::kFact, true);
  json.BeginObject("index");
  json.Field("nodes", snapshot.CountNodes(Plane::kIndex));
  json.Field("edges", snapshot.CountEdges(Plane::kIndex));
  WriteKindCounts(json, "kinds", snapshot, Plane::kIndex, false);
  WriteKindCounts(json, "node_kinds", snapshot, Plane::kIndex, true);
  json.EndObject();
  WriteBytes(json, MeasureBytes(snapshot));
  const storage::StorageStats stored = session.database().stats();
  WriteStorage(json, stored);
  WriteProcess(json, stored);
  json.EndObject();
  Out() << '\n';
}

void PrintStats(Session& session) {
  const Snapshot& snapshot = session.snapshot();
  const GraphBytes bytes = MeasureBytes(snapshot);
  const storage::StorageStats stored = session.database().stats();
  const auto right = Table::Align::kRight;
  Out() << "sequence " << snapshot.sequence();
  if (snapshot.sequence() > 0) Out() << ", " << IsoTime(snapshot.time_ms());
  Out() << '\n'
        << Grouped(snapshot.CountNodes(Plane::kFact)) << " nodes, "
        << Grouped(snapshot.CountEdges(Plane::kFact))
        << " edges (index plane: " << Grouped(snapshot.CountNodes(Plane::kIndex)) << " nodes, "
        << Grouped(snapshot.CountEdges(Plane::kIndex)) << " edges)\n\n";
  Table kinds;
  kinds.Column("edges", right).Column("kind").Column("plane");
  for (std::size_t id = 0; id < snapshot.schema().edge_kinds().size(); ++id) {
    const EdgeKind& kind = snapshot.schema().edge_kinds()[id];
    const std::uint64_t count = At(snapshot.state().edges_by_kind, id);
    if (count > 0) kinds.Row({Grouped(count), kind.name, PlaneName(kind.plane)});
  }
  kinds.Print(Out());
  Out() << '\n';
  Table memory;
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
  memory.Print(Out());
  if (bytes.per_edge > 0)
    Out() << Number(bytes.per_edge, 4) << " bytes per directed edge, " << Number(bytes.per_node, 4)
          << " per node\n";
  const ProcessBytes process = MeasureProcess();
  if (process.resident > 0)
    Out() << "this process " << Bytes(process.resident) << ": beside the graph memtables "
          << Bytes(stored.memtable_bytes) << ", indexes of files "
          << Bytes(stored.table_reader_bytes) << ", freed and kept "
          << Bytes(process.allocator_free) << ", the program and its libraries\n";
  Out() << "\non disk " << Bytes(stored.disk_bytes) << ": log " << Bytes(stored.log_bytes)
        << ", texts " << Bytes(stored.payload_bytes) << ", checkpoints "
        << Bytes(stored.checkpoint_bytes) << '\n';
}

Result<int> RunStats(const Globals& globals, bool metrics) {
  if (metrics && globals.json)
    return Fail(ErrorCode::kInvalidArgument, "--metrics has a format of its own; leave --json out");
  if (metrics && !globals.as_of.empty())
    return Fail(ErrorCode::kInvalidArgument, "--metrics tells of the present; leave --as-of out");
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  if (metrics) {
    PLEXUS_ASSIGN(const std::vector<MetricRow> rows, storage::Metrics(session->database()));
    PLEXUS_TRY(WriteOpenMetrics(rows, Out()));
  } else if (globals.json)
    WriteStats(*session);
  else
    PrintStats(*session);
  return kDone;
}

}  // namespace

void AddStats(Cli& cli) {
  static bool metrics = false;
  cli.Add("Look", "stats", "Count nodes and edges by kind, and the bytes they take",
          [](const Globals& globals) { return RunStats(globals, metrics); })
      .Flag("--metrics", metrics, "print OpenMetrics text, for Prometheus and its like")
      .Example("plexus stats --db g", "sizes, kinds, memory and disk")
      .Example("plexus stats --db g --as-of 12 --json", "the same after batch 12, for a script");
}

}  // namespace plexus::tools
