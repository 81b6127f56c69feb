// Definitions of a JSON lines export: what this graph has besides the built-in.
#include <algorithm>

#include "engine/properties/json_writer.h"
#include "engine/vocabulary.h"
#include "storage/formats/json/json_exporter.h"
#include "storage/formats/json/json_lines.h"

namespace plexus::formats::internal {

using namespace engine_internal;

namespace {

// A column that this graph had before it was built in: every graph has it now.
bool IsBuiltinNow(const Column& column) {
  return std::ranges::find(BuiltinColumns(), column) != BuiltinColumns().end();
}

}  // namespace

Status JsonExporter::WriteEdgeKind(const EdgeKind& kind) {
  const EdgeKind plain;
  std::string& out = sink_.text();
  out += '{';
  AppendJsonMember(out, "kind", kind.name);
  AppendJsonMember(out, "plane", PlaneName(kind.plane));
  AppendJsonMember(out, "symmetric", kind.symmetric);
  if (!kind.inverse.empty()) AppendJsonMember(out, "inverse", kind.inverse);
  auto flag = [&](std::string_view name, bool value, bool otherwise) {
    if (value == otherwise) return;
    AppendJsonMember(out, name, value);
  };
  flag("suppresses", kind.suppresses, plain.suppresses);
  flag("blocking", kind.blocking, plain.blocking);
  flag("acyclic", kind.acyclic, plain.acyclic);
  flag("self_loops", kind.self_loops, plain.self_loops);
  flag("survives_removal", kind.survives_removal, plain.survives_removal);
  auto end = [&](std::string_view name, NodeKindId node_kind) {
    if (node_kind == kNoNodeKind) return;
    AppendJsonMember(out, name, s_.schema().node_kind(node_kind).name);
  };
  end("source", kind.source_kind);
  end("target", kind.target_kind);
  if (kind.half_life_ms != plain.half_life_ms)
    AppendJsonMember(out, "half_life_ms", kind.half_life_ms);
  out += '}';
  return sink_.EndRow();
}

Status JsonExporter::WriteDefinitions() {
  const Schema& schema = s_.schema();
  std::string& out = sink_.text();
  for (std::size_t i = builtin::kFirstUserNodeKind; i < schema.node_kinds().size(); ++i) {
    const NodeKind& kind = schema.node_kinds()[i];
    out += '{';
    AppendJsonMember(out, "kind", kind.name);
    AppendJsonKey(out, "of");
    out += "\"node\"";
    AppendJsonMember(out, "plane", PlaneName(kind.plane));
    out += '}';
    PLEXUS_TRY(sink_.EndRow());
  }
  for (std::size_t i = builtin::kFirstUserEdgeKind; i < schema.edge_kinds().size(); ++i)
    PLEXUS_TRY(WriteEdgeKind(schema.edge_kinds()[i]));
  for (std::size_t i = builtin::kFirstUserColumn; i < schema.columns().size(); ++i) {
    const Column& column = schema.columns()[i];
    if (IsBuiltinNow(column)) continue;
    if (IsReservedKey(column.name))
      return Unsupported("export: a column is named '", column.name,
                         "', which JSON lines use for something else");
    out += '{';
    AppendJsonMember(out, "column", column.name);
    AppendJsonMember(out, "type",
                     column.type == ColumnType::kF64   ? "f64"
                     : column.type == ColumnType::kI64 ? "i64"
                                                       : "string");
    out += '}';
    PLEXUS_TRY(sink_.EndRow());
  }
  for (const VectorSpace& space : schema.spaces()) {
    out += '{';
    AppendJsonMember(out, "space", space.name);
    AppendJsonMember(out, "dimensions", space.dimensions);
    AppendJsonMember(out, "metric",
                     space.metric == Metric::kCosine ? "cosine"
                     : space.metric == Metric::kL2   ? "l2"
                                                     : "inner_product");
    if (space.prefilter != Prefilter::kNone)
      AppendJsonMember(out, "prefilter", PrefilterName(space.prefilter));
    if (space.element != VectorElement::kF32) {
      AppendJsonMember(out, "element", VectorElementName(space.element));
    }
    out += '}';
    PLEXUS_TRY(sink_.EndRow());
  }
  return {};
}

}  // namespace plexus::formats::internal
