// FlexBuffers maps in their canonical form; see properties.h.
#include "storage/formats/base/properties.h"

#include <flatbuffers/flexbuffers.h>

#include <algorithm>
#include <array>
#include <vector>

#include "engine/properties/json_writer.h"
#include "engine/properties/properties.h"
#include "engine/types.h"
#include "storage/formats/base/json_tree.h"

namespace plexus::formats::internal {

namespace {

namespace fb = flexbuffers;

using PropertyMembers = std::vector<const JsonValue*>;

PropertyMembers MembersOf(const JsonParser& json, const JsonValue& object) {
  PropertyMembers members;
  for (const JsonValue& v : json.children(object)) members.push_back(&v);
  return members;
}

// An integer that neither i64 nor u64 holds: f64 would make another number of it.
bool IsLongInteger(std::string_view digits) {
  return digits.size() > 18 && digits.find_first_of(".eE") == std::string_view::npos;
}

void BuildMap(fb::Builder& builder, const JsonParser& json, PropertyMembers members);

// The builder reads one byte past what it is given, so it gets strings, not views.
void Build(fb::Builder& builder, const JsonParser& json, const JsonValue& value) {
  switch (value.type) {
    case JsonType::kNull:
      builder.Null();
      break;
    case JsonType::kBool:
      builder.Bool(value.boolean);
      break;
    case JsonType::kInt:
      builder.Int(value.i);
      break;
    case JsonType::kUint:
      builder.UInt(value.u);
      break;
    case JsonType::kDouble:
      if (IsLongInteger(value.text))
        builder.String(std::string(value.text));
      else
        builder.Double(value.d);
      break;
    case JsonType::kString:
      builder.String(std::string(value.text));
      break;
    case JsonType::kArray: {
      const std::size_t start = builder.StartVector();
      for (const JsonValue& v : json.children(value)) Build(builder, json, v);
      builder.EndVector(start, false, false);
      break;
    }
    case JsonType::kObject:
      BuildMap(builder, json, MembersOf(json, value));
      break;
  }
}

// Sorted by key, as FlexBuffers wants them.
void BuildMap(fb::Builder& builder, const JsonParser& json, PropertyMembers members) {
  std::ranges::sort(members, {}, &JsonValue::key);
  const std::size_t start = builder.StartMap();
  for (const JsonValue* v : members) {
    builder.Key(std::string(v->key));  // copies its NUL, too
    Build(builder, json, *v);
  }
  builder.EndMap(start);
}

Status CheckKeys(const JsonParser& json, const JsonValue& value) {
  for (const JsonValue& v : json.children(value)) {
    if (value.type == JsonType::kObject) {
      if (v.key.size() > Limits::kMaxStringBytes)
        return Invalid("a property name is over ", Limits::kMaxStringBytes, " bytes");
      if (v.key.find('\0') != std::string_view::npos)
        return Invalid("a property name holds U+0000");
    }
    if (v.type == JsonType::kObject || v.type == JsonType::kArray) PLEXUS_TRY(CheckKeys(json, v));
  }
  return {};
}

}  // namespace

Result<std::string> EncodeProperties(const JsonParser& json,
                                     std::span<const JsonValue* const> members) {
  for (const JsonValue* v : members) {
    if (v->key.size() > Limits::kMaxStringBytes || v->key.find('\0') != std::string_view::npos)
      return Invalid("a property name is too long or holds U+0000");
    if (v->type == JsonType::kObject || v->type == JsonType::kArray)
      PLEXUS_TRY(CheckKeys(json, *v));
  }
  if (members.empty()) return std::string();
  fb::Builder builder(256, fb::BUILDER_FLAG_SHARE_KEYS);
  BuildMap(builder, json, PropertyMembers(members.begin(), members.end()));
  builder.Finish();
  if (builder.GetSize() > Limits::kMaxPayloadBytes)
    return Invalid("properties over ", Limits::kMaxPayloadBytes, " bytes");
  return std::string(reinterpret_cast<const char*>(builder.GetBuffer().data()), builder.GetSize());
}

Result<std::string> EncodeObject(const JsonParser& json, const JsonValue& object) {
  return EncodeProperties(json, MembersOf(json, object));
}

namespace {

Result<std::string> FromJson(JsonParser json, std::string_view text) {
  PLEXUS_ASSIGN(const JsonValue* root, json.Parse(text));
  if (root->type != JsonType::kObject) return Invalid("properties must be a JSON object");
  return EncodeObject(json, *root);
}

}  // namespace

Result<std::string> PropertiesFromJson(std::string_view text) {
  return FromJson(JsonParser(), text);
}

Result<std::string> JsonFromProperties(std::string_view properties) {
  PLEXUS_ASSIGN(const PropertyMap map, PropertyMap::Read(properties));
  std::string out;
  AppendJson(out, map.root());
  return out;
}

// Both are spelled as JSON and joined: slow, simple, and canonical by construction.
// Only events and outcomes that are imported again come here.
Result<std::string> MergeProperties(std::string_view base, std::string_view patch) {
  PLEXUS_ASSIGN(JsonProperties merged, SplitProperties(base));
  PLEXUS_ASSIGN(JsonProperties over, SplitProperties(patch));
  for (auto& [key, value] : over) {
    if (value == "null")
      merged.erase(key);
    else
      merged[key] = std::move(value);
  }
  return JoinProperties(merged);
}

Result<std::string> JoinProperties(const JsonProperties& map) {
  std::string json = "{";
  for (const auto& [key, value] : map) {
    AppendJsonKey(json, key);
    json += value;
  }
  json += '}';
  return FromJson(JsonParser(std::size_t{1} << 20, true), json);
}

Result<std::string> KeepReserved(std::string_view properties) {
  PLEXUS_ASSIGN(JsonProperties map, SplitProperties(properties));
  std::erase_if(map, [](const auto& entry) { return !IsReservedProperty(entry.first); });
  return JoinProperties(map);
}

bool IsReservedProperty(std::string_view key) {
  static constexpr std::array<std::string_view, 10> kReserved = {
      "tool", "mode",   "confidence",       "status", "output_preview", "query_hash",  // events
      "type", "source", "confidence_delta", "notes"};                                  // outcomes
  return std::find(kReserved.begin(), kReserved.end(), key) != kReserved.end();
}

}  // namespace plexus::formats::internal
