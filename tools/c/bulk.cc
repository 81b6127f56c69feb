// Arrays into a graph. They are checked whole, then loaded at once where the graph is empty
// (LoadArrays), or written in batches.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/bulk/load.h"
#include "engine/schema.h"
#include "engine/vocabulary.h"
#include "storage/formats/import.h"
#include "tools/c/graph.h"
#include "tools/operations/framework/arguments.h"

namespace plexus::c {
namespace {

constexpr std::uint64_t kBatchEdges = 262'144;
// From so many on the files of a bulk load are written instead of durable batches.
constexpr std::uint64_t kBulkEdges = 1 << 20;

Status BadEdge(std::uint64_t i, const std::string& why) { return Invalid("edge ", i, ": ", why); }

std::string_view NumberKey(std::uint32_t number, char (&buffer)[10]) {
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  return {buffer, static_cast<std::size_t>(end - buffer)};
}

// The caller's arrays, copied: another thread may write to the caller's memory, and what was
// checked must be what is used.
class EdgeArrays {
 public:
  static Result<EdgeArrays> Read(const plexus_edges* given) {
    PLEXUS_TRY(NotNull(given, "edges"));
    EdgeArrays arrays;
    PLEXUS_ASSIGN(arrays.edges_, ReadStruct(given, "edges"));
    PLEXUS_TRY(arrays.Copy());
    PLEXUS_TRY(arrays.CheckEdges());
    return arrays;
  }

  std::uint64_t count() const { return edges_.count; }
  bool by_id() const { return edges_.ends == PLEXUS_ENDS_IDS; }
  Status CheckIds(const Snapshot& snapshot) const;
  // Into an empty graph, at once. REQUIRES ends that are no ids.
  Result<ApplyReport> Load(Graph& graph, Progress* progress) const;
  Status Fill(WriteBatch& batch, std::uint64_t first, std::uint64_t end) const;

 private:
  Status Copy();
  Status CheckEdges() const;
  bool by_key() const { return edges_.ends == PLEXUS_ENDS_KEYS; }

  plexus_edges edges_ = {};
  Strings keys_, kinds_;
  std::string kind_ = "link";
  std::vector<std::uint32_t> sources_, targets_;
  std::vector<std::uint16_t> kind_of_;
  std::vector<float> weights_;
  std::vector<std::int64_t> created_at_;
};

Status EdgeArrays::Copy() {
  if (edges_.ends < PLEXUS_ENDS_NUMBERS || edges_.ends > PLEXUS_ENDS_IDS)
    return Invalid("ends is none of PLEXUS_ENDS_...");
  if (edges_.count > 0) {
    PLEXUS_TRY(NotNull(edges_.sources, "sources"));
    PLEXUS_TRY(NotNull(edges_.targets, "targets"));
  }
  if (edges_.count > Limits::kMaxArcs) return Exhausted("more edges than a graph holds");
  PLEXUS_ASSIGN(keys_, Strings::Copy(edges_.keys, "keys"));
  PLEXUS_ASSIGN(kinds_, Strings::Copy(edges_.kinds, "kinds"));
  if (edges_.kind && edges_.kind_of) return Invalid("kind and kind_of exclude each other");
  if (edges_.kinds.count > 0 && !edges_.kind_of) return Invalid("kinds needs kind_of");
  if (edges_.kind) kind_ = edges_.kind;
  for (std::uint64_t i = 0; i < keys_.size(); ++i)
    if (const Status good = CheckKey(keys_[i], false); !good)
      return Fail(good.error().code, "keys[" + std::to_string(i) + "]: " + good.error().message);
  if (edges_.keys.count > 0 && !by_key())
    return Invalid(
        "the ends are no positions in keys: leave keys out, or set ends to "
        "PLEXUS_ENDS_KEYS");
  const auto copy = [&](const auto* array, auto& to) {
    if (array) to.assign(array, array + edges_.count);
  };
  copy(edges_.sources, sources_);
  copy(edges_.targets, targets_);
  copy(edges_.kind_of, kind_of_);
  copy(edges_.weights, weights_);
  copy(edges_.created_at, created_at_);
  return {};
}

Status EdgeArrays::CheckEdges() const {
  for (std::uint64_t i = 0; i < count(); ++i) {
    for (const std::uint32_t end : {sources_[i], targets_[i]})
      if (by_key() && end >= keys_.size())
        return BadEdge(i, std::to_string(end) + " is no position in keys, which are " +
                              std::to_string(keys_.size()));
    if (!kind_of_.empty() && kind_of_[i] >= kinds_.size())
      return BadEdge(i, "kind_of " + std::to_string(kind_of_[i]) +
                            " is no position in kinds, which are " + std::to_string(kinds_.size()));
    if (!weights_.empty() && !(std::isfinite(weights_[i]) && weights_[i] >= 0))
      return BadEdge(i, "weight " + std::to_string(weights_[i]) + " is not finite and >= 0");
    if (!created_at_.empty() && (created_at_[i] > kMaxTimeMs || created_at_[i] < -kMaxTimeMs))
      return BadEdge(i, "created_at " + std::to_string(created_at_[i]) +
                            " lies outside of the years 0 to 9999");
  }
  return {};
}

Status EdgeArrays::CheckIds(const Snapshot& snapshot) const {
  for (std::uint64_t i = 0; by_id() && i < count(); ++i)
    for (const std::uint32_t end : {sources_[i], targets_[i]})
      if (end >= snapshot.node_count() || !snapshot.alive(end))
        return BadEdge(i, "the graph has no node of id " + std::to_string(end));
  return {};
}

// The keys in the order in which edges name them, which is that of their ids; what no edge names
// is left out.
class NamedKeys {
 public:
  explicit NamedKeys(const Strings& keys) : keys_(keys), ids_(keys.size(), kNoNode) {}
  NodeId IdOf(std::uint32_t position) {
    NodeId& id = ids_[position];
    if (id != kNoNode) return id;
    // A key that is listed twice is one node.
    const auto next = static_cast<NodeId>(offsets.size() - 1);
    const auto [at, is_new] = by_text_.try_emplace(keys_[position], next);
    if (is_new) {
      bytes += at->first;
      offsets.push_back(bytes.size());
    }
    return id = at->second;
  }

  std::string bytes;
  std::vector<std::uint64_t> offsets = {0};

 private:
  const Strings& keys_;
  std::vector<NodeId> ids_;  // by position
  std::unordered_map<std::string_view, NodeId> by_text_;
};

Result<ApplyReport> EdgeArrays::Load(Graph& graph, Progress* progress) const try {
  std::vector<std::string_view> kinds;
  for (std::uint64_t k = 0; edges_.kind_of && k < kinds_.size(); ++k) kinds.push_back(kinds_[k]);
  if (!edges_.kind_of) kinds.push_back(kind_);
  GraphArrays arrays;
  arrays.sources = sources_;
  arrays.targets = targets_;
  arrays.weights = weights_;
  arrays.kind_of = kind_of_;
  arrays.created_at = created_at_;
  arrays.kinds = kinds;
  NamedKeys named(keys_);
  std::vector<std::uint32_t> sources, targets;
  if (by_key()) {
    sources.reserve(count());
    targets.reserve(count());
    for (std::uint64_t i = 0; i < count(); ++i) {
      sources.push_back(named.IdOf(sources_[i]));
      targets.push_back(named.IdOf(targets_[i]));
    }
    arrays.sources = sources;
    arrays.targets = targets;
    arrays.key_bytes = named.bytes;
    arrays.key_offsets = named.offsets;
  }
  return LoadArrays(graph, arrays, {}, progress);
} catch (const std::bad_alloc&) {
  return Exhausted("out of memory");
}

Status EdgeArrays::Fill(WriteBatch& batch, std::uint64_t first, std::uint64_t end) const {
  batch.set_links_revive(!by_id());
  std::vector<EdgeKindRef> kinds;
  for (std::uint64_t k = 0; edges_.kind_of && k < kinds_.size(); ++k)
    kinds.push_back(batch.EdgeKindNamed(kinds_[k]));
  const EdgeKindRef kind =
      edges_.kind ? batch.EdgeKindNamed(kind_) : EdgeKindRef(plexus::builtin::kLink);
  const auto node = [&](std::uint32_t number) {
    char buffer[10];
    if (by_id()) return NodeRef::Id(number);
    return batch.Node(by_key() ? keys_[number] : NumberKey(number, buffer));
  };
  for (std::uint64_t i = first; i < end; ++i) {
    WriteBatch::EdgeInput edge;
    edge.source = node(sources_[i]);
    edge.target = node(targets_[i]);
    edge.kind = edges_.kind_of ? kinds[kind_of_[i]] : kind;
    if (!weights_.empty()) edge.weight = weights_[i];
    if (!created_at_.empty()) edge.created_at = created_at_[i];
    batch.Link(edge);
  }
  return {};
}

void AddTo(plexus_counts& counts, const ApplyReport& report) {
  counts.sequence = report.sequence;
  counts.nodes_added += report.nodes.added;
  counts.added += report.edges.added + report.index.added;
  counts.changed += report.edges.changed + report.index.changed;
  counts.same += report.edges.same + report.index.same;
}

// Without memory it fails as usual, so that bulk mode is ended.
Status PutEdges(Graph& graph, const EdgeArrays& edges, CallOptions& call,
                plexus_counts& counts) try {
  const Snapshot before = graph.snapshot();
  counts.sequence = before.sequence();
  PLEXUS_TRY(edges.CheckIds(before));
  if (edges.count() > 0 && before.sequence() == 0 && !edges.by_id()) {
    const auto report = edges.Load(graph, call.progress());
    if (report) AddTo(counts, *report);
    if (report) return {};
    const ErrorCode why = report.error().code;  // of these the batches know more
    if (graph.read_only() ||
        (why != ErrorCode::kInvalidArgument && why != ErrorCode::kFailedPrecondition &&
         why != ErrorCode::kResourceExhausted))
      return std::unexpected(report.error());
  }
  for (std::uint64_t first = 0; first < edges.count(); first += kBatchEdges) {
    if (call.progress() && !call.progress()->Report("edges", first, edges.count()))
      return Cancelled("cancelled after ", first, " edges were written");
    WriteBatch batch;
    PLEXUS_TRY(edges.Fill(batch, first, std::min(first + kBatchEdges, edges.count())));
    PLEXUS_ASSIGN(const ApplyReport report, graph.Apply(batch));
    AddTo(counts, report);
  }
  return {};
} catch (const std::bad_alloc&) {
  return Exhausted("out of memory");
}

// A line each, as a file of keys has them.
Result<std::string> KeyLines(const Strings& keys) {
  std::string lines;
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    const std::string_view key = keys[i];
    if (key.find_first_of("\r\n") != std::string_view::npos)
      return Invalid("keys[", i, "] has a line end; vectors cannot have such keys");
    lines.append(key).push_back('\n');
  }
  return lines;
}

Result<plexus_counts> PutVectors(Graph& graph, const plexus_vectors& given, CallOptions& call) {
  formats::VectorImportOptions vectors;
  vectors.format = formats::VectorFormat::kF32;
  vectors.dimensions = given.dimensions;
  if (given.space) vectors.space = given.space;
  if (given.metric) PLEXUS_SET(vectors.metric, tools::ParseMetric(given.metric));
  PLEXUS_ASSIGN(const Strings keys, Strings::Copy(given.keys, "keys"));
  PLEXUS_ASSIGN(const std::string lines, KeyLines(keys));
  if (given.keys.count > 0) vectors.keys = formats::VectorInput{"keys", lines};
  formats::ImportOptions options;
  options.progress = call.progress();
  const std::string_view bytes(reinterpret_cast<const char*>(given.values),
                               given.count * given.dimensions * sizeof(float));
  PLEXUS_ASSIGN(const formats::ImportReport report,
                formats::ImportVectors(graph, {"values", bytes}, vectors, options));
  if (report.stopped && !report.kept_errors.empty())
    return Invalid(report.kept_errors.front().ToString());
  plexus_counts counts = {};
  counts.sequence = report.sequence;
  counts.nodes_added = report.nodes.added;
  counts.added = report.vectors;
  return counts;
}

Status CheckVectors(const plexus_vectors& vectors) {
  if (vectors.dimensions == 0 || vectors.dimensions > Limits::kMaxDimensions)
    return Invalid("dimensions is ", vectors.dimensions, ", not 1 to ", Limits::kMaxDimensions);
  if (vectors.count > Limits::kMaxNodes) return Exhausted("more vectors than a graph has nodes");
  if (vectors.count > 0) PLEXUS_TRY(NotNull(vectors.values, "values"));
  if (vectors.keys.count > 0 && vectors.keys.count != vectors.count)
    return Invalid("keys are ", vectors.keys.count, ", vectors ", vectors.count);
  return {};
}

}  // namespace
}  // namespace plexus::c

using namespace plexus::c;  // NOLINT: the functions below are the interface
using plexus::Database;
using plexus::Graph;
using plexus::Status;

plexus_code plexus_put_edges(plexus_graph* handle, const plexus_edges* given,
                             const plexus_call_options* options, plexus_counts* counts) {
  return PutArrays(handle, options, counts, [&](Putting& put) -> Status {
    PLEXUS_ASSIGN(const EdgeArrays edges, EdgeArrays::Read(given));
    const bool bulk = edges.count() >= kBulkEdges;
    return put.service.Change(put.caller, bulk, [&](Graph& graph, Database* database) -> Status {
      if (!bulk || !database) return PutEdges(graph, edges, put.call, put.done);
      PLEXUS_TRY(database->BeginBulk());
      const Status written = PutEdges(database->graph(), edges, put.call, put.done);
      const Status ended = database->EndBulk();
      return written ? ended : written;
    });
  });
}

plexus_code plexus_put_vectors(plexus_graph* handle, const plexus_vectors* given,
                               const plexus_call_options* options, plexus_counts* counts) {
  return PutArrays(handle, options, counts, [&](Putting& put) -> Status {
    PLEXUS_TRY(NotNull(given, "vectors"));
    PLEXUS_ASSIGN(const plexus_vectors vectors, ReadStruct(given, "vectors"));
    PLEXUS_TRY(CheckVectors(vectors));
    return put.service.Change(put.caller, false, [&](Graph& graph, Database*) -> Status {
      PLEXUS_ASSIGN(put.done, PutVectors(graph, vectors, put.call));
      return {};
    });
  });
}
