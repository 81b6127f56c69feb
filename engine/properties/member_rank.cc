// A rank is a whole number or, of other people's files, a fraction.
#include "engine/properties/member_rank.h"

#include "engine/properties/properties.h"

namespace plexus::engine_internal {

std::string RankAlone(std::string_view properties) {
  const Result<PropertyMap> map = PropertyMap::Read(std::string(properties));
  const auto rank = map ? map->root().Find("rank") : std::nullopt;
  if (!rank) return {};
  PropertyMapBuilder kept;
  if (const auto whole = rank->AsInt())
    kept.Int("rank", *whole);
  else if (const auto number = rank->AsDouble())
    kept.Double("rank", *number);
  return kept.Finish().value_or("");
}

}  // namespace plexus::engine_internal
