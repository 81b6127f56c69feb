// Parts of some ten thousand edges, each a node with its columns. An edge kind with the name of a
// kind of index nodes makes such nodes.
#include "tools/operations/graph/edge_table.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <span>
#include <string>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tools/operations/framework/time_limit.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kBatchEdges = 65'536;

Status DefineKinds(const Schema& from, const ArcFilter& filter, const Schema& here,
                   WriteBatch& batch) {
  for (EdgeKindId k{}; k < from.edge_kinds().size(); ++k) {
    const std::string& name = from.edge_kind(k).name;
    if (name.empty() || !filter.allows(k)) continue;
    const auto there = here.FindNodeKind(name);
    if (!there) batch.DefineNodeKind({.name = name, .plane = Plane::kFact});
  }
  for (const char* name : {"source", "target", "label", "created_by"})
    if (!here.FindColumn(name)) batch.DefineColumn({.name = name, .type = ColumnType::kString});
  if (!here.FindColumn("weight")) batch.DefineColumn({.name = "weight", .type = ColumnType::kF64});
  return {};
}

// 0.8f as 0.8, which people compare with.
double AsWritten(float weight) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, weight).ptr;
  double number = 0;
  std::from_chars(text, end, number);
  return number;
}

Status Add(const Snapshot& from, const Edge& edge, const Schema& here, std::string key,
           WriteBatch& batch) {
  const std::string& kind = from.schema().edge_kind(edge.kind).name;
  const auto known = here.FindNodeKind(kind);
  if (known && here.node_kind(*known).plane == Plane::kIndex) key = IndexKey(kind, key);
  const NodeRef node = batch.Node(key);
  batch.UpsertNode(node, batch.NodeKindNamed(kind));
  const auto text = [&](const char* column, std::string_view value) {
    if (!value.empty()) batch.SetString(node, batch.ColumnNamed(column), value);
  };
  text("source", ShownKey(from, edge.source));
  text("target", ShownKey(from, edge.target));
  text("label", from.string(edge.label));
  text("created_by", from.string(edge.created_by));
  batch.SetF64(node, batch.ColumnNamed("weight"), AsWritten(edge.weight));
  batch.SetI64(node, builtin::kCreatedAt, edge.created_at);
  if (edge.valid_from != kNoTime) batch.SetI64(node, builtin::kValidFrom, edge.valid_from);
  if (edge.valid_until != kNoTime) batch.SetI64(node, builtin::kValidUntil, edge.valid_until);
  if (!edge.properties) return {};
  const Result<std::string> bytes = from.Payload(edge.properties);
  if (bytes) batch.SetPayload(node, NodeField::kProperties, *bytes);
  const bool purged = !bytes && bytes.error().code == ErrorCode::kNotFound;
  return bytes || purged ? Status() : std::unexpected(bytes.error());
}

// The edges as a table of their own.
Result<Snapshot> Made(const Snapshot& from, const ArcFilter& filter, std::span<const Edge> edges,
                      TimeLimit& limit, Executor& executor) {
  GraphOptions options;
  options.executor = &executor;
  const std::unique_ptr<Graph> table = Graph::InMemory(options);
  if (!table) return Exhausted("no memory for a table of the edges");
  WriteBatch batch(from.time_ms());
  const Schema known = table->snapshot().schema();
  PLEXUS_TRY(DefineKinds(from.schema(), filter, known, batch));
  for (std::size_t i = 0; i < edges.size() && !limit.Up(); ++i) {
    PLEXUS_TRY(Add(from, edges[i], known, std::to_string(i), batch));
    if ((i + 1) % kBatchEdges != 0) continue;
    PLEXUS_TRY(table->Apply(batch));
    batch = WriteBatch(from.time_ms());
  }
  PLEXUS_TRY(table->Apply(batch));
  return table->snapshot();
}

}  // namespace

Result<EdgeTable> TableOfEdges(const Snapshot& snapshot, const ArcFilter& filter,
                               const NodeSubset* subset, const SelectEdges& select,
                               const Budget& budget, Executor& executor) {
  TimeLimit limit(budget);
  std::vector<Edge> part, kept;
  // Moves what is selected of the part.
  const auto take = [&]() -> Status {
    if (select) {
      PLEXUS_ASSIGN(const Snapshot table, Made(snapshot, filter, part, limit, executor));
      PLEXUS_ASSIGN(const NodeSubset selected, select(table));
      for (const NodeId node : selected.ToList()) kept.push_back(part[node]);
    } else {
      kept.insert(kept.end(), part.begin(), part.end());
    }
    part.clear();
    if (kept.size() <= kMaxListedEdges) return {};
    return Exhausted("more than ", Grouped(kMaxListedEdges),
                     " edges to list: fewer kinds (--kinds), a narrower --where or --scope, or "
                     "'plexus export', which writes any number");
  };
  Status taken;
  const auto inside = [&](NodeId v) { return !subset || subset->contains(v); };
  for (NodeId v = 0; v < snapshot.node_count() && taken && !limit.Up(); ++v) {
    if (!snapshot.alive(v) || !inside(v)) continue;
    snapshot.ForEachArc(Direction::kOut, v, filter, [&](const Arc& arc) {
      if (!inside(arc.neighbor) || !snapshot.alive(arc.neighbor)) return true;
      const Edge edge = snapshot.edge(arc, v);
      if (edge.source != v) return true;  // a symmetric one is in both rows
      part.push_back(edge);
      if (part.size() == kBatchEdges) taken = take();
      return taken && !limit.Up();
    });
  }
  PLEXUS_TRY(taken);
  PLEXUS_TRY(take());
  EdgeTable made;
  PLEXUS_ASSIGN(made.snapshot, Made(snapshot, filter, kept, limit, executor));
  kept.resize(std::min<std::size_t>(kept.size(), made.snapshot.node_count()));
  for (const Edge& edge : kept) made.ends.push_back({edge.source, edge.target});
  made.truncated = limit.was_up();
  return made;
}

}  // namespace plexus::tools
