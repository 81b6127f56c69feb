// A stored property map with some members set or removed: read, copied, written in the canonical
// form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "engine/properties/properties.h"

namespace plexus::memory::internal {

struct PropertyPatch {
  std::vector<std::pair<std::string, std::string>> strings;
  std::vector<std::pair<std::string, std::int64_t>> ints;
  std::vector<std::pair<std::string, double>> doubles;
  std::vector<std::string_view> removed = {};
};

// kCorruption: the bytes are no map. kInvalidArgument: it grows beyond the limits.
Result<std::string> Patched(std::string_view bytes, const PropertyPatch& patch);

// The members of a map into the builder's innermost map.
void CopyMembers(PropertyMapBuilder& to, const PropertyView& map);

}  // namespace plexus::memory::internal
