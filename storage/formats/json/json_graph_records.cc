// Lines that state facts: node, edge, unlink, remove, purge, vector.

#include "storage/formats/json/json_lines.h"

#include "engine/vectors/half.h"
#include "storage/formats/base/decimal.h"

namespace plexus::formats::internal {

namespace {

Result<std::string_view> KeyText(const JsonValue& key) {
  if (!key.is_string()) return WrongType(key, "a node's key");
  return key.text;
}

}  // namespace

Status JsonRecord::CheckTagCount(std::size_t count) const {
  const std::size_t limit = builder_.context().options->limits.tags;
  if (count > limit) return Invalid("more than ", limit, " tags");
  return {};
}

Result<NodeName> JsonRecord::TagNamed(std::string_view tag) const {
  if (tag.find(kIndexSeparator) != std::string_view::npos)
    return Invalid("a tag must be a string without U+001F");
  return builder_.Name(tag, builtin::kTag);
}

Status JsonRecord::AddNode(const JsonValue& key) {
  PLEXUS_ASSIGN(std::string_view key_text, KeyText(key));
  PLEXUS_ASSIGN(const JsonValue* kind, TakeString("kind", false));
  PLEXUS_ASSIGN(const JsonValue* text, TakeString("text", true));
  PLEXUS_ASSIGN(std::optional<std::string> properties, TakeProperties());
  const JsonValue* tags = Take("tags");
  PLEXUS_ASSIGN(std::vector<ColumnValue> columns, TakeColumns());

  if (kind && kind->text.empty())
    return Invalid("a node kind's name has 1 to ", Limits::kMaxStringBytes, " bytes");
  NodeRecord record;
  record.kind = builder_.KindCalled(kind ? kind->text : std::string_view());
  PLEXUS_ASSIGN(record.name, builder_.NameOfKind(key_text, record.kind));
  record.text = text;
  record.properties = std::move(properties);
  record.columns = std::move(columns);
  if (tags) record.tags.emplace();
  if (tags && !tags->is_null()) {
    if (tags->type != JsonType::kArray) return WrongType(*tags, "an array of strings or null");
    PLEXUS_TRY(CheckTagCount(tags->count));
    for (const JsonValue& tag : json_.children(*tags)) {
      if (!tag.is_string()) return Invalid("a tag must be a string without U+001F");
      PLEXUS_ASSIGN(NodeName tag_name, TagNamed(tag.text));
      record.tags->push_back(std::move(tag_name));
    }
  }
  return Put(record);
}

Status JsonRecord::Put(const NodeRecord& record) {
  PLEXUS_TRY(builder_.CheckValidTimes(record.columns));
  const NodeRef node = builder_.Ref(record.name);
  PLEXUS_TRY(builder_.Upsert(record.name, node, record.kind));
  if (!record.kind.empty()) builder_.NoteNodeValue(record.name, "kind", record.kind);
  if (record.text) builder_.NoteNodeValue(record.name, "text", record.text->text);
  if (record.properties)
    builder_.NoteNodeValue(record.name, "map of properties", *record.properties);
  SetColumns(record.name, node, record.columns);
  SetText(node, record.text);
  if (record.properties)
    PutPayload(builder_.batch(), node, NodeField::kProperties, *record.properties);
  if (record.tags) builder_.ReplaceTags(record.name, node, *record.tags);
  return {};
}

Result<BatchBuilder::EdgeEnds> JsonRecord::TakeEnds(const JsonValue& ends) {
  if (ends.type != JsonType::kArray || ends.count != 2)
    return Invalid("\"", ends.key, "\" must be [source, target]");
  const auto two = json_.children(ends);
  if (!two[0].is_string() || !two[1].is_string())
    return Invalid("\"", ends.key, "\" must hold two node keys (strings)");
  PLEXUS_ASSIGN(const JsonValue* kind, TakeString("kind", false));
  return builder_.Ends(two[0].text, two[1].text, kind ? kind->text : "link");
}

Result<WriteBatch::EdgeInput> JsonRecord::TakeEdgeAttributes() {
  WriteBatch::EdgeInput edge;
  PLEXUS_ASSIGN(const JsonValue* label, TakeString("label", true));
  PLEXUS_ASSIGN(const JsonValue* created_by, TakeString("created_by", true));
  PLEXUS_ASSIGN(edge.created_at, TakeTime("created_at"));
  PLEXUS_ASSIGN(edge.valid_from, TakeTime("valid_from"));
  PLEXUS_ASSIGN(edge.valid_until, TakeTime("valid_until"));
  const JsonValue* weight = Take("weight");
  if (weight && weight->is_null()) {
    edge.weight = 1.0f;
  } else if (weight) {
    const auto value = JsonToFloat(*weight);
    if (!value) return WrongType(*weight, "a number within f32");
    if (IsBelowZero(weight->text)) return Invalid("weight ", weight->text, " is negative");
    edge.weight = *value + 0.0f;  // -0 becomes 0
  }
  for (const JsonValue* s : {label, created_by})
    if (s) PLEXUS_TRY(CheckString(*s));
  if (edge.created_at == kNoTime) return Invalid("\"created_at\" of an edge cannot be cleared");
  if (label) edge.label = label->text;
  if (created_by) edge.created_by = created_by->text;
  return edge;
}

Status JsonRecord::AddEdge(const JsonValue& ends_value) {
  PLEXUS_ASSIGN(BatchBuilder::EdgeEnds ends, TakeEnds(ends_value));
  PLEXUS_ASSIGN(WriteBatch::EdgeInput edge, TakeEdgeAttributes());
  PLEXUS_ASSIGN(std::optional<std::string> properties, TakeProperties());
  PLEXUS_TRY(NothingLeft());
  if (properties) edge.properties = *properties;
  return builder_.Link(ends, edge);
}

Status JsonRecord::AddUnlink(const JsonValue& ends_value) {
  PLEXUS_ASSIGN(BatchBuilder::EdgeEnds ends, TakeEnds(ends_value));
  PLEXUS_ASSIGN(const JsonValue* label, TakeString("label", true));
  PLEXUS_TRY(NothingLeft());
  return builder_.Unlink(ends, label ? label->text : std::string_view());
}

Status JsonRecord::AddRemoval(const JsonValue& key, bool purge) {
  PLEXUS_ASSIGN(std::string_view key_text, KeyText(key));
  PLEXUS_TRY(NothingLeft());
  PLEXUS_ASSIGN(NodeName name, builder_.Name(key_text));
  builder_.Remove(name, purge);
  return {};
}

Status JsonRecord::AddVector(const JsonValue& key) {
  PLEXUS_ASSIGN(std::string_view key_text, KeyText(key));
  PLEXUS_ASSIGN(const JsonValue* space, TakeString("space", false));
  const JsonValue* values = Take("values");
  PLEXUS_TRY(NothingLeft());
  PLEXUS_ASSIGN(NodeName name, builder_.Name(key_text));
  const std::string_view space_name = space ? space->text : std::string_view("default");
  if (!values) return Invalid("a vector needs \"values\"");
  if (!values->is_null() && values->type != JsonType::kArray)
    return WrongType(*values, "an array of numbers or null");

  std::vector<float> floats;
  if (!values->is_null()) {
    if (values->count == 0 || values->count > Limits::kMaxDimensions)
      return Invalid("a vector has 1 to ", Limits::kMaxDimensions, " values, got ", values->count);
    for (const JsonValue& v : json_.children(*values)) {
      auto f = JsonToFloat(v);
      if (!f) return Invalid("a vector's values must be finite numbers within f32");
      floats.push_back(*f);
    }
  }
  if (auto id = builder_.schema().FindSpace(space_name)) {
    const VectorSpace& defined = builder_.schema().spaces()[*id];
    if (!floats.empty() && floats.size() != defined.dimensions)
      return Invalid("space \"", defined.name, "\" has ", defined.dimensions, " dimensions, got ",
                     floats.size(), " values");
    for (std::size_t i = 0; defined.element == VectorElement::kF16 && i < floats.size(); ++i)
      if (OverflowsHalf(floats[i]))
        return Invalid("value ", i, " is too large for the f16 values of space \"", defined.name,
                       "\"; the largest is 65504");
  } else if (floats.empty()) {
    return Invalid("unknown vector space \"", space_name, "\"");
  } else {  // defined by use
    VectorSpace defined{std::string(space_name), static_cast<std::uint32_t>(floats.size()),
                        Metric::kCosine};
    PLEXUS_TRY(builder_.Define(defined));
  }
  WriteBatch& batch = builder_.batch();
  const NodeRef node = builder_.Ref(name);
  builder_.NoteEnd(name);
  const SpaceRef space_ref = batch.SpaceNamed(space_name);
  const std::string_view bytes(reinterpret_cast<const char*>(floats.data()),
                               floats.size() * sizeof(floats[0]));
  builder_.NoteNodeValue(name, "vector of space " + std::string(space_name), bytes);
  if (floats.empty())
    batch.ClearVector(node, space_ref);
  else
    batch.SetVector(node, space_ref, floats);
  ++builder_.piece().vectors;
  return {};
}

}  // namespace plexus::formats::internal
