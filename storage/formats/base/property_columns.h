// Properties as columns of their own, for tables and drawing programs. Internal to storage/formats.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "engine/snapshot.h"
#include "storage/formats/base/export_sink.h"
#include "storage/formats/export.h"

namespace plexus::formats::internal {

// Names that no property's column may have.
struct TakenNames {
  std::vector<std::string> names;
  bool in_any_case = false;  // Then `names` are in lower case.

  bool Has(std::string_view name) const;
};

// The properties of what is exported, by name. Of a name that is taken none is a column.
struct PropertyColumns {
  std::vector<std::string> names;
  // Of all its values: boolean, long, double, else string.
  std::vector<std::string_view> types;

  static Result<PropertyColumns> OfNodes(const Snapshot& s, const ExportOptions& options,
                                         const TakenNames& taken);
  static Result<PropertyColumns> OfEdges(const Snapshot& s, const ExportOptions& options,
                                         ExportSink& sink, const TakenNames& taken);
};

struct SpreadProperties {
  std::vector<std::string> cells;  // As the columns; "": none. Texts as they are, the rest as JSON.
  std::string rest;                // What is no column, as JSON; "": nothing.
};
Result<SpreadProperties> Spread(const Snapshot& s, PayloadRef ref, const PropertyColumns& columns);

}  // namespace plexus::formats::internal
