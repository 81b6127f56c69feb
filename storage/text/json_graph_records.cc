// Lines that state facts: node, edge, unlink, remove, purge, vector.
#include "storage/text/json_record.h"

namespace plexus::text {

namespace {

Result<std::string_view> KeyText(const JsonValue& key) {
  if (!key.is_string()) return WrongType(key, "a node's key");
  return key.text;
}

}  // namespace

Status JsonRecord::AddNode(const JsonValue& key) {
  PLEXUS_ASSIGN(std::string_view key_text, KeyText(key));
  PLEXUS_ASSIGN(const JsonValue* kind, TakeString("kind", false));
  PLEXUS_ASSIGN(const JsonValue* text, TakeString("text", true));
  PLEXUS_ASSIGN(std::optional<std::string> properties, TakeProperties());
  const JsonValue* tags = Take("tags");
  PLEXUS_ASSIGN(std::vector<ColumnValue> columns, TakeColumns());

  std::optional<KindId> known;
  if (kind) {
    known = builder_.schema().FindNodeKind(kind->text);
    if (!known && (kind->text.empty() || kind->text.size() > Limits::kMaxStringBytes))
      return Bad("a node kind's name has 1 to " + std::to_string(Limits::kMaxStringBytes) + " bytes");
  }
  PLEXUS_ASSIGN(NodeName name, builder_.Name(key_text, known.value_or(kNoKind)));
  if (kind && name.is_index() && name.kind != known.value_or(kNoKind))
    return Bad("the key names an index node of another kind than \"" + std::string(kind->text) + "\"");

  std::vector<NodeName> tag_names;
  if (tags && !tags->is_null()) {
    if (tags->type != JsonType::kArray) return WrongType(*tags, "an array of strings or null");
    const std::size_t limit = builder_.context().options->limits.tags;
    if (tags->count > limit) return Bad("more than " + std::to_string(limit) + " tags");
    for (const JsonValue& tag : json_.children(*tags)) {
      if (!tag.is_string() || tag.text.find(kIndexSeparator) != std::string_view::npos)
        return Bad("a tag must be a string without U+001F");
      PLEXUS_ASSIGN(NodeName tag_name, builder_.Name(tag.text, kTag));
      tag_names.push_back(std::move(tag_name));
    }
  }

  // Checked: now the operations.
  WriteBatch& batch = builder_.batch();
  const NodeRef node = builder_.Ref(name);
  if (kind && !name.is_index())
    batch.UpsertNode(node, known && *known < kFirstUserNodeKind ? NameRef(*known)
                                                               : batch.NodeKindNamed(kind->text));
  else
    batch.UpsertNode(node);
  SetColumns(node, columns);
  SetText(node, text);
  if (properties && properties->empty())
    batch.ClearPayload(node, NodeField::kProperties);
  else if (properties)
    batch.SetPayload(node, NodeField::kProperties, *properties);
  if (tags) {
    std::vector<ListReplacement::Item> items;
    for (const NodeName& tag : tag_names) items.push_back({tag.key, ""});
    builder_.ReplaceList(name, node, kHasTag, false, std::move(items));
    for (const NodeName& tag : tag_names) {
      WriteBatch::EdgeInput edge;
      edge.source = node;
      edge.target = builder_.Ref(tag);
      edge.kind = kHasTag;
      batch.Link(edge);
    }
  }
  return {};
}

Result<BatchBuilder::EdgeEnds> JsonRecord::TakeEnds(const JsonValue& ends) {
  if (ends.type != JsonType::kArray || ends.count != 2)
    return Bad("\"" + std::string(ends.key) + "\" must be [source, target]");
  const auto two = json_.children(ends);
  if (!two[0].is_string() || !two[1].is_string())
    return Bad("\"" + std::string(ends.key) + "\" must hold two node keys (strings)");
  PLEXUS_ASSIGN(const JsonValue* kind, TakeString("kind", false));
  return builder_.Ends(two[0].text, two[1].text, kind ? kind->text : "link");
}

Status JsonRecord::AddEdge(const JsonValue& ends_value) {
  PLEXUS_ASSIGN(BatchBuilder::EdgeEnds ends, TakeEnds(ends_value));
  PLEXUS_ASSIGN(const JsonValue* label, TakeString("label", true));
  PLEXUS_ASSIGN(const JsonValue* created_by, TakeString("created_by", true));
  PLEXUS_ASSIGN(std::optional<std::int64_t> created_at, TakeTime("created_at"));
  PLEXUS_ASSIGN(std::optional<std::int64_t> valid_from, TakeTime("valid_from"));
  PLEXUS_ASSIGN(std::optional<std::int64_t> valid_until, TakeTime("valid_until"));
  PLEXUS_ASSIGN(std::optional<std::string> properties, TakeProperties());
  const JsonValue* weight = Take("weight");
  PLEXUS_TRY(NothingLeft());

  WriteBatch::EdgeInput edge;
  if (weight && weight->is_null()) {
    edge.weight = 1.0f;
  } else if (weight) {
    const auto value = JsonToFloat(*weight);
    if (!value) return WrongType(*weight, "a number within f32");
    if (*value < 0) return Bad("weight " + std::string(weight->text) + " is negative");
    edge.weight = *value == 0 ? 0.0f : *value;  // no -0
  }
  for (const JsonValue* s : {label, created_by})
    if (s && (s->text.size() > Limits::kMaxStringBytes || s->text.find('\0') != std::string_view::npos))
      return Bad("\"" + std::string(s->key) + "\" is over " +
                 std::to_string(Limits::kMaxStringBytes) + " bytes or holds U+0000");
  if (created_at == kNoTime) return Bad("\"created_at\" of an edge cannot be cleared");
  if (label) edge.label = label->text;
  edge.created_at = created_at;
  if (created_by) edge.created_by = created_by->text;
  edge.valid_from = valid_from;
  edge.valid_until = valid_until;
  if (properties) edge.properties = *properties;
  builder_.Link(ends, edge);
  return {};
}

Status JsonRecord::AddUnlink(const JsonValue& ends_value) {
  PLEXUS_ASSIGN(BatchBuilder::EdgeEnds ends, TakeEnds(ends_value));
  PLEXUS_ASSIGN(const JsonValue* label, TakeString("label", true));
  PLEXUS_TRY(NothingLeft());
  builder_.Unlink(ends, label ? label->text : std::string_view());
  return {};
}

Status JsonRecord::AddRemoval(const JsonValue& key, bool purge) {
  PLEXUS_ASSIGN(std::string_view key_text, KeyText(key));
  PLEXUS_TRY(NothingLeft());
  PLEXUS_ASSIGN(NodeName name, builder_.Name(key_text));
  const NodeRef node = builder_.Ref(name);
  if (purge)
    builder_.batch().PurgeNode(node);
  else
    builder_.batch().RemoveNode(node);
  return {};
}

Status JsonRecord::AddVector(const JsonValue& key) {
  PLEXUS_ASSIGN(std::string_view key_text, KeyText(key));
  PLEXUS_ASSIGN(const JsonValue* space, TakeString("space", false));
  const JsonValue* values = Take("values");
  PLEXUS_TRY(NothingLeft());
  PLEXUS_ASSIGN(NodeName name, builder_.Name(key_text));
  const std::string_view space_name = space ? space->text : std::string_view("default");
  if (!values) return Bad("a vector needs \"values\"");
  if (!values->is_null() && values->type != JsonType::kArray)
    return WrongType(*values, "an array of numbers or null");

  std::vector<float> floats;
  if (!values->is_null()) {
    if (values->count == 0 || values->count > Limits::kMaxDimensions)
      return Bad("a vector has 1 to " + std::to_string(Limits::kMaxDimensions) + " values, got " +
                 std::to_string(values->count));
    for (const JsonValue& v : json_.children(*values)) {
      auto f = JsonToFloat(v);
      if (!f) return Bad("a vector's values must be finite numbers within f32");
      floats.push_back(*f);
    }
  }
  if (auto id = builder_.schema().FindSpace(space_name)) {
    const VectorSpace& defined = builder_.schema().spaces()[*id];
    if (!floats.empty() && floats.size() != defined.dimensions)
      return Bad("space \"" + defined.name + "\" has " + std::to_string(defined.dimensions) +
                 " dimensions, got " + std::to_string(floats.size()) + " values");
  } else if (floats.empty()) {
    return Bad("unknown vector space \"" + std::string(space_name) + "\"");
  } else {  // defined by use
    VectorSpace defined{std::string(space_name), static_cast<std::uint32_t>(floats.size()),
                        Metric::kCosine};
    PLEXUS_TRY(builder_.Define(defined));
  }
  WriteBatch& batch = builder_.batch();
  const NodeRef node = builder_.Ref(name);
  const NameRef space_ref = batch.SpaceNamed(space_name);
  if (floats.empty())
    batch.ClearVector(node, space_ref);
  else
    batch.SetVector(node, space_ref, floats);
  ++builder_.piece().vectors;
  return {};
}

}  // namespace plexus::text
