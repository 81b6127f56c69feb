// Batches of some ten thousand edges, each a node with its columns.
#include "tools/operations/graph/edge_table.h"

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/graph.h"
#include "engine/vocabulary.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/time_limit.h"

namespace plexus::tools {
namespace {

constexpr std::size_t kBatchEdges = 65'536;

Status DefineKinds(const Schema& from, const ArcFilter& filter, const Schema& here,
                   WriteBatch& batch) {
  for (EdgeKindId k{}; k < from.edge_kinds().size(); ++k) {
    const std::string& name = from.edge_kind(k).name;
    if (name.empty() || !filter.allows(k)) continue;
    const auto there = here.FindNodeKind(name);
    if (there && here.node_kind(*there).plane != Plane::kFact)
      return Fail(ErrorCode::kUnsupported, "the edge kind " + Quoted(name) +
                                               " has the name of a kind of index nodes; name "
                                               "other kinds");
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

Status Add(const Snapshot& from, const Edge& edge, const std::string& key, WriteBatch& batch) {
  const NodeRef node = batch.Node(key);
  batch.UpsertNode(node, batch.NodeKindNamed(from.schema().edge_kind(edge.kind).name));
  const auto text = [&](const char* column, std::string_view value) {
    if (!value.empty()) batch.SetString(node, batch.ColumnNamed(column), value);
  };
  text("source", ShownKey(from, edge.source));
  text("target", ShownKey(from, edge.target));
  text("label", from.string(edge.label));
  text("created_by", from.string(edge.created_by));
  batch.SetF64(node, batch.ColumnNamed("weight"), AsWritten(edge.weight));
  batch.SetI64(node, kCreatedAt, edge.created_at);
  if (edge.valid_from != kNoTime) batch.SetI64(node, kValidFrom, edge.valid_from);
  if (edge.valid_until != kNoTime) batch.SetI64(node, kValidUntil, edge.valid_until);
  if (!edge.properties) return {};
  const Result<std::string> bytes = from.Payload(edge.properties);
  if (bytes) batch.SetPayload(node, NodeField::kProperties, *bytes);
  const bool purged = !bytes && bytes.error().code == ErrorCode::kNotFound;
  return bytes || purged ? Status() : std::unexpected(bytes.error());
}

}  // namespace

Result<EdgeTable> TableOfEdges(const Snapshot& snapshot, const ArcFilter& filter,
                               const NodeSubset* subset, const Budget& budget,
                               Executor& executor) {
  GraphOptions options;
  options.executor = &executor;
  const std::unique_ptr<Graph> table = Graph::InMemory(options);
  if (!table) return Fail(ErrorCode::kResourceExhausted, "no memory for a table of the edges");
  EdgeTable made;
  WriteBatch batch(snapshot.time_ms());
  PLEXUS_TRY(DefineKinds(snapshot.schema(), filter, table->snapshot().schema(), batch));
  TimeLimit limit(budget);
  Status added;
  const auto inside = [&](NodeId v) { return !subset || subset->contains(v); };
  for (NodeId v = 0; v < snapshot.node_count() && added && !limit.Up(); ++v) {
    if (!snapshot.alive(v) || !inside(v)) continue;
    snapshot.ForEachArc(Direction::kOut, v, filter, [&](const Arc& arc) {
      if (!inside(arc.neighbor) || !snapshot.alive(arc.neighbor)) return true;
      const Edge edge = snapshot.edge(arc, v);
      if (edge.source != v) return true;  // a symmetric one is in both rows
      added = Add(snapshot, edge, std::to_string(made.ends.size()), batch);
      made.ends.push_back({v, edge.target});
      if (added && made.ends.size() % kBatchEdges == 0) {
        if (const auto done = table->Apply(batch); !done) added = std::unexpected(done.error());
        batch = WriteBatch(snapshot.time_ms());
      }
      return added && !limit.Up();
    });
  }
  PLEXUS_TRY(added);
  PLEXUS_TRY(table->Apply(batch));
  made.truncated = limit.was_up();
  made.snapshot = table->snapshot();
  return made;
}

}  // namespace plexus::tools
