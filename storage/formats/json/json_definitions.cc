// Lines that define: kind, column, space.
#include "storage/formats/json/json_lines.h"
#include "storage/formats/json/json_record.h"

namespace plexus::formats::internal {

namespace {

Result<Plane> ReadPlane(const JsonValue* value, Plane otherwise) {
  if (!value) return otherwise;
  if (value->text == "fact") return Plane::kFact;
  if (value->text == "index") return Plane::kIndex;
  return Bad("\"plane\" must be \"fact\" or \"index\"");
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
  if (of && of->text != "edge") return Bad("\"of\" must be \"edge\" or \"node\"");

  EdgeKind kind;
  kind.name = std::string(name.text);
  if (const auto known = builder_.schema().FindEdgeKind(name.text); known && !known->reversed)
    kind = builder_.schema().edge_kind(known->kind);
  PLEXUS_ASSIGN(const JsonValue* plane, TakeString("plane", false));
  PLEXUS_ASSIGN(kind.plane, ReadPlane(plane, kind.plane));
  PLEXUS_ASSIGN(const JsonValue* inverse, TakeString("inverse", true));
  if (inverse) kind.inverse = std::string(inverse->text);
  struct Trait {
    std::string_view key;
    bool EdgeKind::* flag;
  };
  for (const Trait& trait :
       {Trait{"symmetric", &EdgeKind::symmetric}, Trait{"suppresses", &EdgeKind::suppresses},
        Trait{"blocking", &EdgeKind::blocking}, Trait{"acyclic", &EdgeKind::acyclic},
        Trait{"self_loops", &EdgeKind::self_loops},
        Trait{"survives_removal", &EdgeKind::survives_removal}}) {
    PLEXUS_ASSIGN(std::optional<bool> value, TakeBool(trait.key));
    if (value) kind.*trait.flag = *value;
  }
  struct End {
    std::string_view key;
    NodeKindId EdgeKind::* kind;
  };
  for (const End& end :
       {End{"source", &EdgeKind::source_kind}, End{"target", &EdgeKind::target_kind}}) {
    PLEXUS_ASSIGN(const JsonValue* value, TakeString(end.key, true));
    if (!value) continue;
    if (value->is_null()) {
      kind.*end.kind = kNoNodeKind;
      continue;
    }
    auto id = builder_.schema().FindNodeKind(value->text);
    if (!id)
      return Bad("unknown node kind '" + std::string(value->text.substr(0, 80)) +
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
    return Bad("a column cannot be named '" + std::string(name.text) + "': records use that key");
  PLEXUS_ASSIGN(const JsonValue* type, TakeString("type", false));
  PLEXUS_TRY(NothingLeft());
  Column column{std::string(name.text), ColumnType::kF64};
  const std::string_view t = type ? type->text : std::string_view("f64");
  if (t == "i64")
    column.type = ColumnType::kI64;
  else if (t == "string")
    column.type = ColumnType::kString;
  else if (t != "f64")
    return Bad("a column's \"type\" must be \"f64\", \"i64\" or \"string\"");
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
    return Bad("\"dimensions\" must be an integer from 1 to " +
               std::to_string(Limits::kMaxDimensions));
  space.dimensions = static_cast<std::uint32_t>(*n);
  const std::string_view m = metric ? metric->text : std::string_view("cosine");
  if (m == "inner_product")
    space.metric = Metric::kInnerProduct;
  else if (m == "l2")
    space.metric = Metric::kL2;
  else if (m != "cosine")
    return Bad("\"metric\" must be \"cosine\", \"inner_product\" or \"l2\"");
  const auto known = builder_.schema().FindSpace(name.text);
  if (prefilter) {
    // Files of earlier versions may say "bits": none.
    const auto found = FindPrefilter(prefilter->text == "bits" ? "none" : prefilter->text);
    if (!found) return Bad("\"prefilter\" must be \"none\" or \"int8\"");
    space.prefilter = *found;
  } else if (known) {
    space.prefilter = builder_.schema().spaces()[*known].prefilter;
  }
  if (element) {
    const auto found = FindVectorElement(element->text);
    if (!found) return Bad("\"element\" must be \"f32\" or \"f16\"");
    space.element = *found;
  } else if (known) {
    space.element = builder_.schema().spaces()[*known].element;
  }
  return builder_.Define(space);
}

}  // namespace plexus::formats::internal
