// Lines that define (kind, column, space), read and written: of what this graph has besides the
// built-in.
#include <algorithm>
#include <iterator>
#include <span>

#include "engine/properties/json_writer.h"
#include "engine/vocabulary.h"
#include "storage/formats/json/json_exporter.h"
#include "storage/formats/json/json_lines.h"

namespace plexus::formats::internal {

using namespace engine_internal;

namespace {

constexpr std::string_view kColumnTypes[] = {"f64", "i64", "string"};       // by ColumnType
constexpr std::string_view kMetrics[] = {"cosine", "inner_product", "l2"};  // by Metric

struct Trait {
  std::string_view key;
  bool EdgeKind::* flag;
};
constexpr Trait kTraits[] = {
    {"symmetric", &EdgeKind::symmetric},   {"suppresses", &EdgeKind::suppresses},
    {"blocking", &EdgeKind::blocking},     {"acyclic", &EdgeKind::acyclic},
    {"self_loops", &EdgeKind::self_loops}, {"survives_removal", &EdgeKind::survives_removal}};

struct End {
  std::string_view key;
  NodeKindId EdgeKind::* kind;
};
constexpr End kEnds[] = {{"source", &EdgeKind::source_kind}, {"target", &EdgeKind::target_kind}};

// Which of `names` the text is, the first without one; false: none of them.
template <class T, std::size_t N>
bool FindName(const std::string_view (&names)[N], const JsonValue* text, T& value) {
  const auto* const at = text ? std::ranges::find(names, text->text) : names;
  value = static_cast<T>(at - names);
  return at != std::end(names);
}

Result<Plane> ReadPlane(const JsonValue* value, Plane otherwise) {
  if (!value) return otherwise;
  if (value->text == "fact") return Plane::kFact;
  if (value->text == "index") return Plane::kIndex;
  return Invalid("\"plane\" must be \"fact\" or \"index\"");
}

// A column that this graph had before it was built in: every graph has it now.
bool IsBuiltinNow(const Column& column) {
  return std::ranges::find(BuiltinColumns(), column) != BuiltinColumns().end();
}

}  // namespace

// {"kind":K,"of":"node",...}: a node kind.
Status JsonRecord::DefineNodeKind(const JsonValue& name) {
  NodeKind kind{std::string(name.text), Plane::kFact};
  if (auto known = builder_.schema().FindNodeKind(name.text))
    kind = builder_.schema().node_kind(*known);
  PLEXUS_ASSIGN(const JsonValue* plane, TakeString("plane", false));
  PLEXUS_ASSIGN(kind.plane, ReadPlane(plane, kind.plane));
  PLEXUS_TRY(NothingLeft());
  return builder_.Define(kind);
}

// Traits that a line leaves out keep what the kind has, or the default.
Status JsonRecord::DefineKind(const JsonValue& name) {
  if (!name.is_string()) return WrongType(name, "a kind's name");
  PLEXUS_ASSIGN(const JsonValue* of, TakeString("of", false));
  if (of && of->text == "node") return DefineNodeKind(name);
  if (of && of->text != "edge") return Invalid("\"of\" must be \"edge\" or \"node\"");

  EdgeKind kind;
  kind.name = std::string(name.text);
  if (const auto known = builder_.schema().FindEdgeKind(name.text); known && !known->reversed)
    kind = builder_.schema().edge_kind(known->kind);
  PLEXUS_ASSIGN(const JsonValue* plane, TakeString("plane", false));
  PLEXUS_ASSIGN(kind.plane, ReadPlane(plane, kind.plane));
  PLEXUS_ASSIGN(const JsonValue* inverse, TakeString("inverse", true));
  if (inverse) kind.inverse = std::string(inverse->text);
  for (const Trait& trait : kTraits) {
    PLEXUS_ASSIGN(std::optional<bool> value, TakeBool(trait.key));
    if (value) kind.*trait.flag = *value;
  }
  for (const End& end : kEnds) {
    PLEXUS_ASSIGN(const JsonValue* value, TakeString(end.key, true));
    if (!value) continue;
    if (value->is_null()) {
      kind.*end.kind = kNoNodeKind;
      continue;
    }
    auto id = builder_.schema().FindNodeKind(value->text);
    if (!id)
      return Invalid("unknown node kind '", value->text.substr(0, 80),
                     "'; define it first, with \"of\":\"node\"");
    kind.*end.kind = *id;
  }
  if (const JsonValue* value = Take("half_life_ms")) {
    auto i = JsonToInt(*value);
    if (!i || *i < 0) return WrongType(*value, "an integer >= 0");
    kind.half_life_ms = *i;
  }
  PLEXUS_TRY(NothingLeft());
  return builder_.Define(kind);
}

Status JsonRecord::DefineColumn(const JsonValue& name) {
  if (!name.is_string()) return WrongType(name, "a column's name");
  if (IsReservedKey(name.text))
    return Invalid("a column cannot be named '", name.text, "': records use that key");
  PLEXUS_ASSIGN(const JsonValue* type, TakeString("type", false));
  PLEXUS_TRY(NothingLeft());
  Column column{std::string(name.text), ColumnType::kF64};
  if (!FindName(kColumnTypes, type, column.type))
    return Invalid("a column's \"type\" must be \"f64\", \"i64\" or \"string\"");
  return builder_.Define(column);
}

Status JsonRecord::DefineSpace(const JsonValue& name) {
  if (!name.is_string()) return WrongType(name, "a vector space's name");
  const JsonValue* dimensions = Take("dimensions");
  PLEXUS_ASSIGN(const JsonValue* metric, TakeString("metric", false));
  PLEXUS_ASSIGN(const JsonValue* prefilter, TakeString("prefilter", false));
  PLEXUS_ASSIGN(const JsonValue* element, TakeString("element", false));
  PLEXUS_TRY(NothingLeft());
  VectorSpace space{std::string(name.text), 0, Metric::kCosine};
  std::optional<std::int64_t> n = dimensions ? JsonToInt(*dimensions) : std::nullopt;
  if (!n || *n < 1 || *n > static_cast<std::int64_t>(Limits::kMaxDimensions))
    return Invalid("\"dimensions\" must be an integer from 1 to ", Limits::kMaxDimensions);
  space.dimensions = static_cast<std::uint32_t>(*n);
  if (!FindName(kMetrics, metric, space.metric))
    return Invalid("\"metric\" must be \"cosine\", \"inner_product\" or \"l2\"");
  const auto known = builder_.schema().FindSpace(name.text);
  if (prefilter) {
    // Files of earlier versions may say "bits": none.
    const auto found = FindPrefilter(prefilter->text == "bits" ? "none" : prefilter->text);
    if (!found) return Invalid("\"prefilter\" must be \"none\" or \"int8\"");
    space.prefilter = *found;
  } else if (known) {
    space.prefilter = builder_.schema().spaces()[*known].prefilter;
  }
  if (element) {
    const auto found = FindVectorElement(element->text);
    if (!found) return Invalid("\"element\" must be \"f32\" or \"f16\"");
    space.element = *found;
  } else if (known) {
    space.element = builder_.schema().spaces()[*known].element;
  }
  return builder_.Define(space);
}

Status JsonExporter::WriteEdgeKind(const EdgeKind& kind) {
  const EdgeKind plain;
  std::string& out = sink_.text();
  out += '{';
  AppendJsonMember(out, "kind", kind.name);
  AppendJsonMember(out, "plane", PlaneName(kind.plane));
  AppendJsonMember(out, "symmetric", kind.symmetric);  // the first of kTraits
  if (!kind.inverse.empty()) AppendJsonMember(out, "inverse", kind.inverse);
  for (const Trait& trait : std::span(kTraits).subspan(1))
    if (kind.*trait.flag != plain.*trait.flag) AppendJsonMember(out, trait.key, kind.*trait.flag);
  for (const End& end : kEnds)
    if (kind.*end.kind != kNoNodeKind)
      AppendJsonMember(out, end.key, s_.schema().node_kind(kind.*end.kind).name);
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
    AppendJsonMember(out, "type", kColumnTypes[static_cast<std::size_t>(column.type)]);
    out += '}';
    PLEXUS_TRY(sink_.EndRow());
  }
  for (const VectorSpace& space : schema.spaces()) {
    out += '{';
    AppendJsonMember(out, "space", space.name);
    AppendJsonMember(out, "dimensions", space.dimensions);
    AppendJsonMember(out, "metric", kMetrics[static_cast<std::size_t>(space.metric)]);
    if (space.prefilter != Prefilter::kNone)
      AppendJsonMember(out, "prefilter", PrefilterName(space.prefilter));
    if (space.element != VectorElement::kF32)
      AppendJsonMember(out, "element", VectorElementName(space.element));
    out += '}';
    PLEXUS_TRY(sink_.EndRow());
  }
  return {};
}

}  // namespace plexus::formats::internal
