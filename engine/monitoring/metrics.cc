// A graph's metrics, and how metrics are spelled.
#include "engine/monitoring/monitoring.h"

#include <array>
#include <charconv>
#include <cmath>
#include <set>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "engine/arrays/freed_memory.h"
#include "engine/graph.h"
#include "engine/out_of_memory.h"
#include "engine/state.h"

namespace plexus::metrics {

namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

class Rows {
 public:
  void Family(std::string_view name, std::string_view help, MetricType type) {
    name_ = name, help_ = help, type_ = type;
  }
  template <class Value>
  void Row(Value value, Labels labels = {}) {
    rows_.push_back({name_, help_, type_, std::move(labels), static_cast<double>(value)});
  }
  template <class Value>
  void Counter(std::string_view name, std::string_view help, Value value) {
    Family(name, help, MetricType::kCounter);
    Row(value);
  }
  template <class Value>
  void Gauge(std::string_view name, std::string_view help, Value value) {
    Family(name, help, MetricType::kGauge);
    Row(value);
  }
  std::vector<MetricRow> Take() { return std::move(rows_); }

 private:
  std::string_view name_, help_;
  MetricType type_ = MetricType::kGauge;
  std::vector<MetricRow> rows_;
};

// One row for each kind that is used; the sum over a plane is what the plane has.
template <class Kinds>
void ByKind(Rows& rows, const Kinds& kinds, const std::vector<std::uint64_t>& counts) {
  for (std::size_t id = 0; id < kinds.size() && id < counts.size(); ++id)
    if (counts[id] > 0)
      rows.Row(counts[id],
               {{"kind", kinds[id].name}, {"plane", std::string(PlaneName(kinds[id].plane))}});
}

void AddEscaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '"')
      out += "\\\"";
    else
      out += c;
  }
}

// Integers as such, other numbers as short as they are read back the same.
void AddNumber(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
    return;
  }
  std::array<char, 32> text;
  const bool whole = value == std::floor(value) && std::fabs(value) < 9007199254740992.0;
  const auto end = whole ? std::to_chars(text.data(), text.data() + text.size(),
                                         static_cast<std::int64_t>(value))
                         : std::to_chars(text.data(), text.data() + text.size(), value);
  out.append(text.data(), end.ptr);
}

}  // namespace

Result<std::vector<MetricRow>> GraphMetrics(const Graph& graph) try {
  PLEXUS_TRY(graph.CheckProcess());
  const GraphStats stats = graph.stats();
  const Snapshot snapshot = graph.snapshot();
  const GraphState& state = snapshot.state();
  Rows rows;
  rows.Counter("plexus_batches_total", "Batches applied.", stats.batches);
  rows.Counter("plexus_journal_appends_total", "Groups of batches given to the journal.",
               stats.groups);
  rows.Counter("plexus_compactions_total", "Foldings of the delta into the base.",
               stats.compactions);
  rows.Counter("plexus_vector_compactions_total", "Vector spaces whose dead rows were dropped.",
               stats.vector_compactions);
  rows.Counter("plexus_packings_total", "Packings of what removed nodes and unused strings leave.",
               stats.packings);
  rows.Counter("plexus_compaction_failures_total",
               "Compactions and packings in the background that failed.",
               stats.compaction_failures);
  rows.Counter("plexus_stalls_total", "Times that a writer waited for the delta.", stats.stalls);
  rows.Counter("plexus_stall_seconds_total", "How long writers waited for the delta.",
               static_cast<double>(stats.stall_ns) / 1e9);
  rows.Gauge("plexus_read_only", "1 after a write to the journal failed.",
             graph.read_only() ? 1 : 0);
  rows.Gauge("plexus_sequence", "Number of the last batch.", snapshot.sequence());
  rows.Gauge("plexus_time_seconds", "Time of the last batch, since 1970.",
             static_cast<double>(snapshot.time_ms()) / 1e3);
  rows.Family("plexus_nodes", "Nodes that exist, by kind.", MetricType::kGauge);
  ByKind(rows, snapshot.schema().node_kinds(), state.nodes_by_kind);
  rows.Family("plexus_edges", "Edges that exist, by kind.", MetricType::kGauge);
  ByKind(rows, snapshot.schema().edge_kinds(), state.edges_by_kind);
  rows.Gauge("plexus_node_ids", "Ids given to nodes, of removed ones too.", snapshot.node_count());
  std::uint64_t delta = 0;
  for (const auto& run : state.runs) delta += run->out.arcs.size();
  rows.Gauge("plexus_base_arcs", "Arcs of the base, in one direction.",
             snapshot.base().arc_count());
  rows.Gauge("plexus_delta_arcs", "Arcs since the last compaction, in one direction.", delta);
  rows.Gauge("plexus_delta_runs", "Runs of the delta.", state.runs.size());

  const GraphBytes bytes = MeasureBytes(snapshot);
  rows.Family("plexus_memory_bytes", "What the graph takes in memory, by part.",
              MetricType::kGauge);
  const std::pair<const char*, std::uint64_t> parts[] = {
      {"csr", bytes.csr},         {"sparse", bytes.sparse},
      {"delta", bytes.delta},     {"nodes", bytes.nodes},
      {"keys", bytes.keys},       {"strings", bytes.strings},
      {"columns", bytes.columns}, {"payload_refs", bytes.payload_refs},
      {"vectors", bytes.vectors}, {"derived", bytes.derived}};
  for (const auto& [part, size] : parts) rows.Row(size, {{"part", part}});
  rows.Gauge("plexus_vectors_not_loaded_bytes", "Values of vectors that nobody has asked for.",
             bytes.vectors_not_loaded);
  const ProcessBytes process = MeasureProcess();
  rows.Gauge("plexus_process_resident_bytes", "What the whole process takes.", process.resident);
  rows.Gauge("plexus_process_allocator_free_bytes", "Freed, and kept by the allocator.",
             process.allocator_free);
  return rows.Take();
}
PLEXUS_CATCH_NO_MEMORY

Status WriteOpenMetrics(std::span<const MetricRow> rows, std::ostream& out) try {
  std::set<std::string_view> families;
  std::string text;
  std::string_view last;
  for (const MetricRow& metric : rows) {
    if (metric.name != last) {
      if (!families.insert(metric.name).second)
        return Invalid("rows of '", metric.name, "' do not stand together");
      last = metric.name;
      const bool counter = metric.type == MetricType::kCounter;
      std::string_view family = metric.name;
      if (counter && family.ends_with("_total")) family.remove_suffix(6);
      text += "# HELP " + std::string(family) + ' ';
      AddEscaped(text, metric.help);
      text += "\n# TYPE " + std::string(family) + (counter ? " counter\n" : " gauge\n");
    }
    text += metric.name;
    for (std::size_t i = 0; i < metric.labels.size(); ++i) {
      text += i == 0 ? '{' : ',';
      text += metric.labels[i].first;
      text += "=\"";
      AddEscaped(text, metric.labels[i].second);
      text += '"';
    }
    text += metric.labels.empty() ? " " : "} ";
    AddNumber(text, metric.value);
    text += '\n';
  }
  text += "# EOF\n";
  if (!out.write(text.data(), static_cast<std::streamsize>(text.size())))
    return IoError("the metrics could not be written");
  return {};
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::metrics

// --- Entries of the log as text, and telling the host of them.

namespace plexus {

std::string_view LogLevelName(LogLevel level) {
  constexpr std::string_view kNames[] = {"info", "warning", "error"};
  return kNames[static_cast<std::size_t>(level)];
}

std::string LogEntry::ToString() const {
  std::string out(LogLevelName(level));
  out += ' ';
  out += event;
  out += ": ";
  out += message;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    out += i == 0 ? " (" : ", ";
    out += fields[i].name;
    out += ' ' + std::to_string(fields[i].value);
  }
  if (!fields.empty()) out += ')';
  return out;
}

void Log(const LogCallback& callback, LogLevel level, std::string_view event,
         std::string_view message, std::initializer_list<LogField> fields) noexcept {
  if (!callback) return;
  try {
    LogEntry entry;
    entry.level = level;
    entry.event = event;
    entry.message = message;
    entry.fields = fields;
    callback(entry);
  } catch (...) {  // no memory, or a callback that does not keep its word
  }
}

metrics::ProcessBytes metrics::MeasureProcess() {
  ProcessBytes bytes;
  bytes.resident = ResidentBytes();
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 33)
  bytes.allocator_free = mallinfo2().fordblks;
#endif
#endif
  return bytes;
}

metrics::GraphBytes metrics::MeasureBytes(const Snapshot& snapshot) {
  const GraphState& state = snapshot.state();
  GraphBytes bytes;
  std::uint64_t offsets = 0, arcs = 0;
  if (state.base) {
    const Csr& base = *state.base;
    offsets = base.out_offsets.size_bytes() + base.in_offsets.size_bytes();
    arcs = base.arc_count();
    bytes.csr = base.dense_bytes();
    bytes.sparse = base.sparse_bytes();
  }
  if (state.base) bytes.derived += state.base->derived.size_bytes();
  bytes.derived += state.derived.kept.size_bytes();
  if (state.derived.lineage) bytes.derived += state.derived.lineage->size_bytes();
  for (const auto& run : state.runs) bytes.delta += run->size_bytes();
  if (state.dirty) bytes.delta += state.dirty->size_bytes();
  bytes.nodes = state.node_kinds.size_bytes() + state.node_flags.size_bytes();
  bytes.keys = state.keys.size_bytes();
  bytes.strings = state.strings.size_bytes();
  for (const auto& column : state.columns) bytes.columns += column.size_bytes();
  for (const auto& refs : state.payload_refs) bytes.payload_refs += refs.size_bytes();
  for (const auto& space : state.spaces) {
    bytes.vectors += space.size_bytes();
    bytes.vectors_not_loaded += space.not_loaded_bytes();
  }
  bytes.total = bytes.csr + bytes.sparse + bytes.delta + bytes.nodes + bytes.keys + bytes.strings +
                bytes.columns + bytes.payload_refs + bytes.vectors + bytes.derived;
  if (arcs > 0)
    bytes.per_edge = static_cast<double>(bytes.csr - offsets) / static_cast<double>(arcs);
  if (snapshot.node_count() > 0)
    bytes.per_node = static_cast<double>(offsets + bytes.nodes) / snapshot.node_count();
  return bytes;
}

}  // namespace plexus
