// FlexBuffers maps in their canonical form; see properties.h.
#include "storage/formats/base/properties.h"

#include <flatbuffers/flexbuffers.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/schema.h"
#include "engine/types.h"
#include "storage/formats/base/json_tree.h"
#include "storage/formats/base/json_writer.h"
#include "storage/formats/base/property_map.h"

namespace plexus::text {

namespace {

namespace fb = flexbuffers;

constexpr int kMaxDepth = 64;  // of stored maps; JSON itself stops at 32

std::string Bytes(const std::vector<std::uint8_t>& buffer) {
  return std::string(reinterpret_cast<const char*>(buffer.data()), buffer.size());
}

std::unexpected<Error> Damaged(const char* what) {
  return Fail(ErrorCode::kCorruption, std::string("properties: ") + what);
}

// The root of `bytes`, verified, or an error. `bytes` must outlive the reference.
Result<fb::Map> Open(std::string_view bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  fb::Verifier verifier(data, bytes.size(), nullptr, false, kMaxDepth);
  if (bytes.size() < 3 || !verifier.VerifyBuffer()) return Damaged("not a FlexBuffers value");
  fb::Reference root = fb::GetRoot(data, bytes.size());
  if (!root.IsMap()) return Damaged("not a map");
  return root.AsMap();
}

std::string_view Text(const fb::Reference& value) {
  if (value.IsKey()) return value.AsKey();
  fb::String s = value.AsString();
  return {s.c_str(), s.size()};
}

Status AppendJson(std::string& out, const fb::Reference& value);

template <class V>
Status AppendArray(std::string& out, const V& vector) {
  out += '[';
  for (std::size_t i = 0; i < vector.size(); ++i) {
    if (i) out += ',';
    PLEXUS_TRY(AppendJson(out, vector[i]));
  }
  out += ']';
  return {};
}

Status AppendMap(std::string& out, const fb::Map& map) {
  const fb::TypedVector keys = map.Keys();
  const fb::Vector values = map.Values();
  out += '{';
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string_view key = keys[i].AsKey();
    if (!IsValidUtf8(key)) return Damaged("a key is not valid UTF-8");
    AppendJsonKey(out, key);
    PLEXUS_TRY(AppendJson(out, values[i]));
  }
  out += '}';
  return {};
}

Status AppendJson(std::string& out, const fb::Reference& value) {
  if (value.IsNull()) {
    out += "null";
  } else if (value.IsBool()) {
    out += value.AsBool() ? "true" : "false";
  } else if (value.IsInt()) {
    AppendNumber(out, value.AsInt64());
  } else if (value.IsUInt()) {
    AppendNumber(out, value.AsUInt64());
  } else if (value.IsFloat()) {
    if (!std::isfinite(value.AsDouble())) return Damaged("a number is not finite");
    AppendJsonDouble(out, value.AsDouble());
  } else if (value.IsString() || value.IsKey()) {
    if (!IsValidUtf8(Text(value))) return Damaged("a string is not valid UTF-8");
    AppendJsonString(out, Text(value));
  } else if (value.IsMap()) {
    return AppendMap(out, value.AsMap());
  } else if (value.IsVector()) {
    return AppendArray(out, value.AsVector());
  } else if (value.IsTypedVector()) {
    return AppendArray(out, value.AsTypedVector());
  } else if (value.IsFixedTypedVector()) {
    return AppendArray(out, value.AsFixedTypedVector());
  } else {
    return Damaged("a value of a kind that JSON does not have");
  }
  return {};
}

// Children of an object by key, as FlexBuffers wants them.
std::vector<const JsonValue*> Sorted(const JsonParser& json, const JsonValue& object) {
  std::vector<const JsonValue*> members;
  for (const JsonValue& v : json.children(object)) members.push_back(&v);
  std::sort(members.begin(), members.end(),
            [](const JsonValue* a, const JsonValue* b) { return a->key < b->key; });
  return members;
}

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
    case JsonType::kObject: {
      const std::size_t start = builder.StartMap();
      for (const JsonValue* v : Sorted(json, value)) {
        builder.Key(std::string(v->key));  // copies its NUL, too
        Build(builder, json, *v);
      }
      builder.EndMap(start);
      break;
    }
  }
}

Status CheckKeys(const JsonParser& json, const JsonValue& value) {
  for (const JsonValue& v : json.children(value)) {
    if (value.type == JsonType::kObject) {
      if (v.key.size() > Limits::kMaxStringBytes)
        return Fail(
            ErrorCode::kInvalidArgument,
            "a property name is over " + std::to_string(Limits::kMaxStringBytes) + " bytes");
      if (v.key.find('\0') != std::string_view::npos)
        return Fail(ErrorCode::kInvalidArgument, "a property name holds U+0000");
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
      return Fail(ErrorCode::kInvalidArgument, "a property name is too long or holds U+0000");
    if (v->type == JsonType::kObject || v->type == JsonType::kArray)
      PLEXUS_TRY(CheckKeys(json, *v));
  }
  if (members.empty()) return std::string();
  std::vector<const JsonValue*> sorted(members.begin(), members.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const JsonValue* a, const JsonValue* b) { return a->key < b->key; });
  fb::Builder builder(256, fb::BUILDER_FLAG_SHARE_KEYS);
  const std::size_t start = builder.StartMap();
  for (const JsonValue* v : sorted) {
    builder.Key(std::string(v->key));  // copies its NUL, too
    Build(builder, json, *v);
  }
  builder.EndMap(start);
  builder.Finish();
  if (builder.GetSize() > Limits::kMaxPayloadBytes)
    return Fail(ErrorCode::kInvalidArgument,
                "properties over " + std::to_string(Limits::kMaxPayloadBytes) + " bytes");
  return Bytes(builder.GetBuffer());
}

Result<std::string> PropertiesFromJson(std::string_view text) {
  JsonParser json;
  PLEXUS_ASSIGN(const JsonValue* root, json.Parse(text));
  if (root->type != JsonType::kObject)
    return Fail(ErrorCode::kInvalidArgument, "properties must be a JSON object");
  std::vector<const JsonValue*> members;
  for (const JsonValue& v : json.children(*root)) members.push_back(&v);
  return EncodeProperties(json, members);
}

Result<std::string> JsonFromProperties(std::string_view properties) {
  std::string out;
  if (properties.empty()) return std::string("{}");
  PLEXUS_ASSIGN(fb::Map map, Open(properties));
  PLEXUS_TRY(AppendMap(out, map));
  return out;
}

// Both are spelled as JSON and joined: slow, simple, and canonical by construction.
// Only events and outcomes that are imported again come here.
Result<std::string> MergeProperties(std::string_view base, std::string_view patch) {
  PLEXUS_ASSIGN(PropertyMap merged, SplitProperties(base));
  PLEXUS_ASSIGN(PropertyMap over, SplitProperties(patch));
  for (auto& [key, value] : over) {
    if (value == "null")
      merged.erase(key);
    else
      merged[key] = std::move(value);
  }
  return JoinProperties(merged);
}

Result<PropertyMap> SplitProperties(std::string_view properties) {
  PropertyMap out;
  if (properties.empty()) return out;
  PLEXUS_ASSIGN(fb::Map map, Open(properties));
  const fb::TypedVector keys = map.Keys();
  const fb::Vector values = map.Values();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string_view key = keys[i].AsKey();
    if (!IsValidUtf8(key)) return Damaged("a key is not valid UTF-8");
    PLEXUS_TRY(AppendJson(out[std::string(key)], values[i]));
  }
  return out;
}

Result<std::string> JoinProperties(const PropertyMap& map) {
  std::string json = "{";
  for (const auto& [key, value] : map) {
    AppendJsonKey(json, key);
    json += value;
  }
  json += '}';
  return PropertiesFromJson(json);
}

Result<std::string> KeepReserved(std::string_view properties) {
  PLEXUS_ASSIGN(PropertyMap map, SplitProperties(properties));
  std::erase_if(map, [](const auto& entry) { return !IsReservedProperty(entry.first); });
  return JoinProperties(map);
}

bool IsReservedProperty(std::string_view key) {
  static constexpr std::array<std::string_view, 10> kReserved = {
      "tool", "mode",   "confidence",       "status", "output_preview", "query_hash",  // events
      "type", "source", "confidence_delta", "notes"};                                  // outcomes
  return std::find(kReserved.begin(), kReserved.end(), key) != kReserved.end();
}

}  // namespace plexus::text
