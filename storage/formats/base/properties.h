// Properties: the FlexBuffers map behind NodeField::kProperties and edge properties,
// to and from JSON text.
//
// Canonical: keys sorted at every level, so equal maps give equal bytes and a
// re-import is `same`. An empty map is written as no bytes at all ("no
// properties"). Integers stay integers, other numbers are f64, bit for bit.
#pragma once

#include <string>
#include <string_view>

#include "engine/error.h"

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

}  // namespace plexus::formats::internal
