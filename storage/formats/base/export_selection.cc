// Names in a first pass over all maps, cells in a second.

#include <algorithm>
#include <limits>
#include <map>

#include "engine/properties/json_writer.h"
#include "engine/properties/properties.h"
#include "engine/properties/split_properties.h"
#include "storage/formats/base/export_selection.h"
#include "storage/formats/base/text.h"

namespace plexus::formats::internal {

namespace {

using TypedNames = std::map<std::string, std::string_view, std::less<>>;

std::string_view TypeOf(const PropertyView& value) {
  switch (value.type()) {
    case PropertyType::kBool:
      return "boolean";
    case PropertyType::kInt:
      return "long";
    case PropertyType::kUint:
      return *value.AsUint() <= std::numeric_limits<std::int64_t>::max() ? "long" : "string";
    case PropertyType::kDouble:
      return "double";
    default:
      return "string";
  }
}

// Of values of one type and of the other.
std::string_view Merged(std::string_view a, std::string_view b) {
  const auto number = [](std::string_view type) { return type == "long" || type == "double"; };
  return a == b ? a : number(a) && number(b) ? "double" : "string";
}

Status AddNames(const Snapshot& s, PayloadRef ref, const TakenNames& taken, TypedNames& names) {
  PLEXUS_ASSIGN(const std::string bytes, s.PayloadOrEmpty(ref));
  PLEXUS_ASSIGN(const PropertyMap map, PropertyMap::Read(bytes));
  for (std::size_t i = 0; i < map.root().size(); ++i) {
    if (taken.Has(map.root().name(i))) continue;
    const std::string_view type = TypeOf(map.root()[i]);
    const auto [at, is_new] = names.try_emplace(std::string(map.root().name(i)), type);
    if (!is_new) at->second = Merged(at->second, type);
  }
  return {};
}

PropertyColumns ColumnsOf(const TypedNames& names) {
  PropertyColumns columns;
  for (const auto& [name, type] : names) {
    columns.names.push_back(name);
    columns.types.push_back(type);
  }
  return columns;
}

}  // namespace

bool TakenNames::Has(std::string_view name) const {
  return std::ranges::find(names, in_any_case ? Lower(name) : name) != names.end();
}

Result<PropertyColumns> PropertyColumns::OfNodes(const Snapshot& s, const ExportOptions& options,
                                                 const TakenNames& taken) {
  TypedNames names;
  if (options.property_columns)
    for (NodeId v = 0; v < s.node_count(); ++v)
      if (Included(s, options, v))
        PLEXUS_TRY(AddNames(s, s.payload_ref(v, NodeField::kProperties), taken, names));
  return ColumnsOf(names);
}

Result<PropertyColumns> PropertyColumns::OfEdges(const Snapshot& s, const ExportOptions& options,
                                                 ExportSink& sink, const TakenNames& taken) {
  TypedNames names;
  if (options.property_columns)
    PLEXUS_TRY(ForEachSelected(
        s, options, sink, [&](const Edge& e) { return AddNames(s, e.properties, taken, names); }));
  return ColumnsOf(names);
}

Result<SpreadProperties> Spread(const Snapshot& s, PayloadRef ref, const PropertyColumns& columns) {
  SpreadProperties spread;
  spread.cells.resize(columns.names.size());
  PLEXUS_ASSIGN(const std::string bytes, s.PayloadOrEmpty(ref));
  PLEXUS_ASSIGN(const PropertyMap map, PropertyMap::Read(bytes));
  std::string rest = "{";
  for (std::size_t i = 0; i < map.root().size(); ++i) {
    const PropertyView value = map.root()[i];
    const auto at = std::ranges::lower_bound(columns.names, map.root().name(i));
    if (at == columns.names.end() || *at != map.root().name(i)) {
      engine_internal::AppendJsonKey(rest, map.root().name(i));
      engine_internal::AppendJson(rest, value);
    } else if (const auto text = value.AsString()) {
      spread.cells[static_cast<std::size_t>(at - columns.names.begin())] = *text;
    } else {
      engine_internal::AppendJson(
          spread.cells[static_cast<std::size_t>(at - columns.names.begin())], value);
    }
  }
  if (rest.size() > 1) spread.rest = rest + "}";
  return spread;
}

}  // namespace plexus::formats::internal
