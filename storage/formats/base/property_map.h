// Properties taken apart: the steps between JSON trees, FlexBuffers and records that
// import and export share. Internal to storage/formats.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/error.h"
#include "engine/properties/split_properties.h"
#include "storage/formats/base/json_tree.h"

namespace plexus::formats::internal {

using namespace engine_internal;  // JSON of properties, keys of outcomes

Result<std::string> JoinProperties(const JsonProperties& map);

// The canonical map of these members (of any object of the tree), "" for none.
Result<std::string> EncodeProperties(const JsonParser& json,
                                     std::span<const JsonValue* const> members);

// Attributes of events and outcomes that stand at the top level of their line and
// share the stored map with the line's "props".
bool IsReservedProperty(std::string_view key);
// The map without keys that are not reserved.
Result<std::string> KeepReserved(std::string_view properties);

}  // namespace plexus::formats::internal
