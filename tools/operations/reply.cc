// Shapes of tools/REPLIES.md.
#include "tools/operations/reply.h"

#include <bit>

#include "engine/vocabulary.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/operations/names.h"

namespace plexus::tools {
namespace {

bool IsTime(const Column& column) {
  return column.type == ColumnType::kI64 &&
         (column.name.ends_with("_at") || column.name.starts_with("valid_"));
}

}  // namespace

void WriteCounts(JsonWriter& json, std::string_view name, const ChangeCounts& counts) {
  json.BeginObject(name);
  json.Field("new", counts.added);
  json.Field("changed", counts.changed);
  json.Field("same", counts.same);
  if (counts.removed > 0) json.Field("removed", counts.removed);
  json.EndObject();
}

void WriteApplyReport(JsonWriter& json, const ApplyReport& report) {
  json.BeginObject();
  json.Field("sequence", report.sequence);
  WriteCounts(json, "nodes", report.nodes);
  WriteCounts(json, "edges", report.edges);
  WriteCounts(json, "index", report.index);
  json.EndObject();
}

void WriteEdgeAttributes(JsonWriter& json, const Snapshot& snapshot, const Edge& edge) {
  json.Field("kind", snapshot.schema().edge_kind(edge.kind).name);
  json.Field("weight", edge.weight);
  if (edge.label) json.Field("label", snapshot.string(edge.label));
  json.Field("created_at", edge.created_at);
  if (edge.created_by) json.Field("created_by", snapshot.string(edge.created_by));
  if (edge.valid_from != kNoTime) json.Field("valid_from", edge.valid_from);
  if (edge.valid_until != kNoTime) json.Field("valid_until", edge.valid_until);
}

void WritePath(JsonWriter& json, std::string_view name, const Snapshot& snapshot,
               const std::vector<PathEdge>& path) {
  json.BeginArray(name);
  for (const PathEdge& edge : path) {
    json.BeginObject();
    json.Field("source", snapshot.key(edge.source));
    json.Field("kind", snapshot.schema().edge_kind(edge.kind).name);
    json.Field("target", snapshot.key(edge.target));
    json.Field("weight", edge.weight);
    if (edge.label) json.Field("label", snapshot.string(edge.label));
    json.EndObject();
  }
  json.EndArray();
}

std::string ShownPath(const Snapshot& snapshot, NodeId start, const std::vector<PathEdge>& path) {
  std::string text = ShortName(snapshot, start);
  NodeId at = start;
  for (const PathEdge& edge : path) {
    const EdgeKind& kind = snapshot.schema().edge_kind(edge.kind);
    std::string step = kind.name;
    if (edge.label) step += ":" + std::string(snapshot.string(edge.label));
    if (edge.weight != 1.0f) step += " " + Number(edge.weight, 3);
    const bool forward = edge.source == at;
    at = forward ? edge.target : edge.source;
    text += kind.symmetric ? " --" + step + "-- "
            : forward      ? " --" + step + "--> "
                           : " <--" + step + "-- ";
    text += ShortName(snapshot, at);
  }
  return text;
}

void AddNodeColumns(Table& table, const Globals& globals, std::size_t width) {
  if (globals.names) {
    table.Column("node", Table::Align::kLeft, width);
    return;
  }
  table.Column("key", Table::Align::kLeft, 40).Column("text", Table::Align::kLeft, width);
}

void AddNodeCells(std::vector<std::string>& row, const Globals& globals, const Snapshot& snapshot,
                  NodeId node) {
  if (globals.names) {
    row.push_back(ShownName(snapshot, node));
    return;
  }
  row.push_back(ShownKey(snapshot, node));
  row.push_back(TextHead(snapshot, node));
}

void WriteHits(const Snapshot& snapshot, const TraverseResult& result) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("truncated", result.truncated);
  if (result.truncated) json.Field("resume", result.resume);
  if (result.paths_left_out != 0) json.Field("paths_left_out", result.paths_left_out);
  json.BeginArray("nodes");
  for (const TraverseHit& hit : result.hits) {
    json.BeginObject();
    json.Field("key", snapshot.key(hit.node));
    json.Field("score", hit.score);
    json.Field("hops", hit.hops);
    if (hit.seed != kNoNode) json.Field("from", snapshot.key(hit.seed));
    WritePath(json, "path", snapshot, hit.path);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  Out() << '\n';
}

void PrintHits(const Globals& globals, const Snapshot& snapshot, const TraverseResult& result,
               bool paths) {
  if (paths) {
    for (const TraverseHit& hit : result.hits) {
      Out() << Number(hit.score, 4) << "  "
            << Escaped(globals.names
                           ? ShownName(snapshot, hit.node)
                           : ShownKey(snapshot, hit.node) + "  " + TextHead(snapshot, hit.node))
            << '\n';
      if (hit.seed != kNoNode)
        Out() << "    " << Escaped(ShownPath(snapshot, hit.seed, hit.path)) << '\n';
    }
  } else {
    Table table;
    const auto right = Table::Align::kRight;
    table.Column("score", right).Column("hops", right);
    AddNodeColumns(table, globals, 70);
    for (const TraverseHit& hit : result.hits) {
      std::vector<std::string> row = {Number(hit.score, 4), std::to_string(hit.hops)};
      AddNodeCells(row, globals, snapshot, hit.node);
      table.Row(row);
    }
    table.Print(Out());
  }
  if (result.hits.empty()) Out() << "nothing within reach\n";
  if (result.paths_left_out != 0)
    Out() << "the walks to " << result.paths_left_out
          << " of these were left out: too many steps in all; ask for fewer with --top\n";
  if (result.truncated)
    Out() << "truncated: the budget ran out; go on with --resume " << result.resume << '\n';
}

void PrintByDepth(const Globals& globals, const Snapshot& snapshot, std::string_view name,
                  std::span<const BfsNode> nodes) {
  Table table;
  table.Column(std::string(name), Table::Align::kRight);
  AddNodeColumns(table, globals, 60);
  for (const BfsNode& node : nodes) {
    std::vector<std::string> row = {std::to_string(node.depth)};
    AddNodeCells(row, globals, snapshot, node.node);
    table.Row(row);
  }
  table.Print(Out());
}

void WriteColumns(JsonWriter& json, const Snapshot& snapshot, NodeId node) {
  const auto& columns = snapshot.schema().columns();
  for (std::size_t id = 0; id < columns.size(); ++id) {
    const auto column = static_cast<ColumnId>(id);
    if (columns[id].name.empty() || column == kScope) continue;
    const std::uint64_t bits = snapshot.column_bits(column, node);
    if (bits == AbsentBits(columns[id].type)) continue;
    json.Key(columns[id].name);
    switch (columns[id].type) {
      case ColumnType::kF64:
        json.Value(std::bit_cast<double>(bits));
        break;
      case ColumnType::kI64:
        json.Value(static_cast<std::int64_t>(bits));
        break;
      case ColumnType::kString:
        json.Value(snapshot.string(static_cast<StringId>(bits)));
        break;
    }
  }
  json.Field("scope", snapshot.scope(node));
}

std::string ShownColumnValue(const Snapshot& snapshot, ColumnId column, std::uint64_t bits) {
  const Column& definition = snapshot.schema().columns()[column];
  switch (definition.type) {
    case ColumnType::kF64:
      return Number(std::bit_cast<double>(bits), 9);
    case ColumnType::kString:
      return std::string(snapshot.string(static_cast<StringId>(bits)));
    case ColumnType::kI64:
      break;
  }
  const auto value = static_cast<std::int64_t>(bits);
  return IsTime(definition) ? IsoTime(value) : std::to_string(value);
}

std::vector<std::pair<std::string, std::string>> ShownColumns(const Snapshot& snapshot,
                                                              NodeId node) {
  std::vector<std::pair<std::string, std::string>> shown;
  const auto& columns = snapshot.schema().columns();
  for (std::size_t id = 0; id < columns.size(); ++id) {
    const auto column = static_cast<ColumnId>(id);
    if (columns[id].name.empty() || column == kScope) continue;
    const std::uint64_t bits = snapshot.column_bits(column, node);
    if (bits != AbsentBits(columns[id].type))
      shown.emplace_back(columns[id].name, ShownColumnValue(snapshot, column, bits));
  }
  shown.emplace_back("scope", snapshot.scope(node));
  return shown;
}

}  // namespace plexus::tools
