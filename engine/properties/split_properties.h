// Properties spelled as JSON text: what files, keys of outcomes and replies have of a stored map.
//
// One spelling: members by the bytes of their names, numbers and strings as json_writer.h writes
// them. So equal maps give equal texts.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/error.h"
#include "engine/properties/properties.h"

namespace plexus::engine_internal {

// Top-level keys with their values spelled as JSON.
using JsonProperties = std::map<std::string, std::string, std::less<>>;

void AppendJson(std::string& out, PropertyView value);
// kCorruption: the bytes are not a FlexBuffers map.
Result<JsonProperties> SplitProperties(std::string_view properties);

// What a purge of its member leaves of an edge: the properties with nothing but "rank"; "" where
// they have none or cannot be read. Complexity: O(bytes). Throws std::bad_alloc.
std::string RankAlone(std::string_view properties);

}  // namespace plexus::engine_internal
