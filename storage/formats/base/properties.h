// Properties: the FlexBuffers map behind NodeField::kProperties and edge properties,
// to and from JSON text.
//
// Canonical: keys sorted at every level, so equal maps give equal bytes and a
// re-import is `same`. An empty map is written as no bytes at all ("no
// properties"). Integers stay integers, other numbers are f64, bit for bit.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/error.h"
#include "engine/properties/split_properties.h"
#include "storage/formats/base/json_tree.h"

namespace plexus::formats::internal {

// A JSON object, strict, depth at most 32, duplicate keys refused. "" for {}.
// kInvalidArgument says what is wrong.
Result<std::string> PropertiesFromJson(std::string_view json);

// The map as one line of JSON with sorted keys; "{}" for "". kCorruption when the
// bytes are not a FlexBuffers map.
Result<std::string> JsonFromProperties(std::string_view properties);

// `patch` laid over `base`: keys of the patch win, a null in it removes the key.
// Both canonical; so is the result.
Result<std::string> MergeProperties(std::string_view base, std::string_view patch);

using namespace engine_internal;  // JSON of properties, keys of outcomes

Result<std::string> JoinProperties(const JsonProperties& map);

// The canonical map of these members (of any object of the tree), "" for none.
Result<std::string> EncodeProperties(const JsonParser& json,
                                     std::span<const JsonValue* const> members);

// The same of all members of an object.
Result<std::string> EncodeObject(const JsonParser& json, const JsonValue& object);

// Attributes of events and outcomes that stand at the top level of their line and
// share the stored map with the line's "props".
bool IsReservedProperty(std::string_view key);
// The map without keys that are not reserved.
Result<std::string> KeepReserved(std::string_view properties);

}  // namespace plexus::formats::internal
