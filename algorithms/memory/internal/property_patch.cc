// Copies a property map value by value, without the members that the patch sets or removes.
#include "algorithms/memory/internal/property_patch.h"

#include <algorithm>

namespace plexus::memory::internal {
namespace {

// Nested lists and maps are as deep as PropertyMap::Read lets them be.
void CopyValue(PropertyMapBuilder& to, const std::string_view* name, const PropertyView& value) {
  // put(its name, or nothing).
  const auto add = [&](auto&& put) { name ? put(*name) : put(); };
  switch (value.type()) {
    case PropertyType::kNull:
      return add([&](auto... n) { to.Null(n...); });
    case PropertyType::kBool:
      return add([&](auto... n) { to.Bool(n..., *value.AsBool()); });
    case PropertyType::kInt:
      return add([&](auto... n) { to.Int(n..., *value.AsInt()); });
    case PropertyType::kUint:
      return add([&](auto... n) { to.Uint(n..., *value.AsUint()); });
    case PropertyType::kDouble:
      return add([&](auto... n) { to.Double(n..., *value.AsDouble()); });
    case PropertyType::kString:
      return add([&](auto... n) { to.String(n..., *value.AsString()); });
    case PropertyType::kList:
      add([&](auto... n) { to.BeginList(n...); });
      for (std::size_t i = 0; i < value.size(); ++i) CopyValue(to, nullptr, value[i]);
      to.End();
      return;
    case PropertyType::kMap:
      add([&](auto... n) { to.BeginMap(n...); });
      CopyMembers(to, value);
      to.End();
      return;
  }
}

}  // namespace

void CopyMembers(PropertyMapBuilder& to, const PropertyView& map) {
  for (std::size_t i = 0; i < map.size(); ++i) {
    const std::string_view name = map.name(i);
    CopyValue(to, &name, map[i]);
  }
}

Result<std::string> Patched(std::string_view bytes, const PropertyPatch& patch) {
  PLEXUS_ASSIGN(const PropertyMap map, PropertyMap::Read(bytes));
  PropertyMapBuilder made;
  const PropertyView root = map.root();
  const auto is_set = [](const auto& list, std::string_view name) {
    return std::ranges::any_of(list, [&](const auto& member) { return member.first == name; });
  };
  for (std::size_t i = 0; i < root.size(); ++i) {
    const std::string_view name = root.name(i);
    if (!is_set(patch.strings, name) && !is_set(patch.ints, name) && !is_set(patch.doubles, name) &&
        std::ranges::find(patch.removed, name) == patch.removed.end())
      CopyValue(made, &name, root[i]);
  }
  for (const auto& [name, value] : patch.strings) made.String(name, value);
  for (const auto& [name, value] : patch.ints) made.Int(name, value);
  for (const auto& [name, value] : patch.doubles) made.Double(name, value);
  return made.Finish();
}

}  // namespace plexus::memory::internal
