// Names in a first pass over all maps, cells in a second.
#include "storage/formats/base/property_columns.h"

#include <algorithm>
#include <set>

#include "engine/properties/json_writer.h"
#include "engine/properties/properties.h"
#include "engine/properties/split_properties.h"
#include "storage/formats/base/export_selection.h"

namespace plexus::formats::internal {

namespace {

Status AddNames(const Snapshot& s, PayloadRef ref, const std::vector<std::string>& taken,
                std::set<std::string>& names) {
  PLEXUS_ASSIGN(const std::string bytes, PayloadOrNone(s, ref));
  PLEXUS_ASSIGN(const PropertyMap map, PropertyMap::Read(bytes));
  for (std::size_t i = 0; i < map.root().size(); ++i)
    if (std::ranges::find(taken, map.root().name(i)) == taken.end())
      names.emplace(map.root().name(i));
  return {};
}

}  // namespace

Result<PropertyColumns> PropertyColumns::OfNodes(const Snapshot& s, const ExportOptions& options,
                                                 const std::vector<std::string>& taken) {
  std::set<std::string> names;
  if (options.property_columns)
    for (NodeId v = 0; v < s.node_count(); ++v)
      if (Included(s, options, v))
        PLEXUS_TRY(AddNames(s, s.payload_ref(v, NodeField::kProperties), taken, names));
  return PropertyColumns{{names.begin(), names.end()}};
}

Result<PropertyColumns> PropertyColumns::OfEdges(const Snapshot& s, const ExportOptions& options,
                                                 ExportSink& sink,
                                                 const std::vector<std::string>& taken) {
  std::set<std::string> names;
  if (options.property_columns)
    PLEXUS_TRY(ForEachSelected(s, options, sink, [&](const Edge& e) {
      return AddNames(s, e.properties, taken, names);
    }));
  return PropertyColumns{{names.begin(), names.end()}};
}

Result<SpreadProperties> Spread(const Snapshot& s, PayloadRef ref, const PropertyColumns& columns) {
  SpreadProperties spread;
  spread.cells.resize(columns.names.size());
  PLEXUS_ASSIGN(const std::string bytes, PayloadOrNone(s, ref));
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
