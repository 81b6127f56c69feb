// Shapes that several replies share.
#include "tools/operations/reply/reply_parts.h"

#include <algorithm>

#include "engine/times.h"
#include "engine/vocabulary.h"
#include "storage/formats/base/column_value.h"
#include "storage/formats/base/properties.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {

bool HoldsTimes(const Schema& schema, ColumnId column) {
  const Column& definition = schema.columns()[column];
  return IsTimeColumn(column) ||
         (definition.type == ColumnType::kI64 && definition.name.ends_with("_at"));
}

void WriteCounts(ReplyWriter& json, std::string_view name, const ChangeCounts& counts) {
  json.BeginObject(name);
  json.Field("new", counts.added);
  json.Field("changed", counts.changed);
  json.Field("same", counts.same);
  if (counts.removed > 0) json.Field("removed", counts.removed);
  json.EndObject();
}

Status EdgeProperties::Read(const Snapshot& snapshot, const Edge& edge) {
  if (!edge.properties || json_.contains(edge.properties.bits)) return {};
  const Result<std::string> bytes = snapshot.Payload(edge.properties);
  if (!bytes && bytes.error().code == ErrorCode::kNotFound) return {};
  if (!bytes) return std::unexpected(bytes.error());
  PLEXUS_ASSIGN(json_[edge.properties.bits], formats::internal::JsonFromProperties(*bytes));
  return {};
}

Status EdgeProperties::Read(const Snapshot& snapshot, std::span<const PathEdge> path) {
  for (const PathEdge& step : path)
    if (const auto edge = snapshot.FindEdge(step.source, step.kind, step.target, step.label))
      PLEXUS_TRY(Read(snapshot, *edge));
  return {};
}

const std::string* EdgeProperties::Of(const Edge& edge) const {
  const auto at = edge.properties ? json_.find(edge.properties.bits) : json_.end();
  return at == json_.end() ? nullptr : &at->second;
}

namespace {

void WriteBesideKind(ReplyWriter& json, const Snapshot& snapshot, const Edge& edge,
                     const EdgeProperties& properties) {
  json.Field("weight", edge.weight);
  if (edge.label) json.Field("label", snapshot.string(edge.label));
  if (edge.created_at != kNoTime) json.Time("created_at", edge.created_at);
  if (edge.created_by) json.Field("created_by", snapshot.string(edge.created_by));
  if (edge.valid_from != kNoTime) json.Time("valid_from", edge.valid_from);
  if (edge.valid_until != kNoTime) json.Time("valid_until", edge.valid_until);
  if (const std::string* props = properties.Of(edge)) {
    json.Key("props");
    json.Raw(*props);
  }
}

}  // namespace

void WriteEdgeAttributes(ReplyWriter& json, const Snapshot& snapshot, const Edge& edge,
                         const EdgeProperties& properties) {
  json.Field("kind", snapshot.schema().edge_kind(edge.kind).name);
  WriteBesideKind(json, snapshot, edge, properties);
}

void WriteEdge(ReplyWriter& json, const Snapshot& snapshot, const Edge& edge,
               const EdgeProperties& properties) {
  json.Node("source", snapshot, edge.source);
  json.Field("kind", snapshot.schema().edge_kind(edge.kind).name);
  json.Node("target", snapshot, edge.target);
  WriteBesideKind(json, snapshot, edge, properties);
}

void WritePath(ReplyWriter& json, std::string_view name, const Snapshot& snapshot,
               std::span<const PathEdge> path, const EdgeProperties& properties) {
  json.Objects(name, path, [&](const PathEdge& step) {
    const auto stored = snapshot.FindEdge(step.source, step.kind, step.target, step.label);
    Edge edge = stored.value_or(Edge());
    if (!stored) edge.created_at = kNoTime;
    edge.source = step.source;  // of a symmetric kind, in walking order
    edge.target = step.target;
    edge.kind = step.kind;
    edge.label = step.label;
    edge.weight = step.weight;
    WriteEdge(json, snapshot, edge, properties);
  });
}

void WriteHits(ReplyWriter& json, const Snapshot& snapshot, const traversal::TraverseResult& result,
               const EdgeProperties& properties) {
  json.Field("truncated", result.truncated);
  if (result.truncated) json.Field("resume", result.resume);
  if (result.paths_left_out != 0) json.Field("paths_left_out", result.paths_left_out);
  json.Objects("nodes", result.hits, [&](const traversal::TraverseHit& hit) {
    json.Node("key", snapshot, hit.node);
    json.Field("score", hit.score);
    json.Field("hops", hit.hops);
    if (hit.seed != kNoNode) json.Node("from", snapshot, hit.seed);
    WritePath(json, "path", snapshot, hit.path, properties);
  });
}

std::string More(std::size_t count, std::uint64_t top) {
  if (top == 0 || count <= top) return "";
  return "... " + Grouped(count - static_cast<std::size_t>(top)) + " more\n";
}

std::string Truncated(bool truncated, std::string_view what) {
  return truncated ? "truncated: the budget ran out; " + std::string(what) + "\n" : std::string();
}

void WriteColumnValue(ReplyWriter& json, std::string_view name, const Snapshot& snapshot,
                      ColumnId column, std::uint64_t bits) {
  json.Key(name);
  if (HoldsTimes(snapshot.schema(), column)) return json.Time(static_cast<std::int64_t>(bits));
  formats::internal::VisitColumn(snapshot, column, bits, [&](auto value) { json.Value(value); });
}

void WriteColumns(ReplyWriter& json, const Snapshot& snapshot, NodeId node,
                  std::span<const std::string> taken) {
  const auto& columns = snapshot.schema().columns();
  std::vector<ColumnId> below;
  const auto write = [&](ColumnId column) {
    WriteColumnValue(json, columns[column].name, snapshot, column,
                     snapshot.column_bits(column, node));
  };
  for (std::size_t id = 0; id < columns.size(); ++id) {
    const auto column = static_cast<ColumnId>(id);
    if (columns[id].name.empty() || column == builtin::kScope) continue;
    if (snapshot.column_bits(column, node) == AbsentBits(columns[id].type)) continue;
    if (std::ranges::find(taken, columns[id].name) != taken.end())
      below.push_back(column);
    else
      write(column);
  }
  json.Field("scope", snapshot.scope(node));
  if (below.empty()) return;
  json.BeginObject("columns");
  for (const ColumnId column : below) write(column);
  json.EndObject();
}

std::string ShownColumnValue(const Snapshot& snapshot, ColumnId column, std::uint64_t bits) {
  if (HoldsTimes(snapshot.schema(), column)) return IsoTime(static_cast<std::int64_t>(bits));
  std::string shown;
  formats::internal::VisitColumn(snapshot, column, bits, [&](auto value) {
    if constexpr (std::is_same_v<decltype(value), double>)
      shown = Number(value, 9);
    else if constexpr (std::is_same_v<decltype(value), std::int64_t>)
      shown = std::to_string(value);
    else
      shown = value;
  });
  return shown;
}

std::vector<std::pair<std::string, std::string>> ShownColumns(const Snapshot& snapshot,
                                                              NodeId node) {
  std::vector<std::pair<std::string, std::string>> shown;
  const auto& columns = snapshot.schema().columns();
  for (std::size_t id = 0; id < columns.size(); ++id) {
    const auto column = static_cast<ColumnId>(id);
    if (columns[id].name.empty() || column == builtin::kScope) continue;
    const std::uint64_t bits = snapshot.column_bits(column, node);
    if (bits != AbsentBits(columns[id].type))
      shown.emplace_back(columns[id].name, ShownColumnValue(snapshot, column, bits));
  }
  shown.emplace_back("scope", snapshot.scope(node));
  return shown;
}

}  // namespace plexus::tools
