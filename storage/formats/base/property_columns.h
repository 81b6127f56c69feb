// Properties as columns of their own, for tables and drawing programs. Internal to storage/formats.
#pragma once

#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/snapshot.h"
#include "storage/formats/base/export_sink.h"
#include "storage/formats/export.h"

namespace plexus::formats::internal {

// The properties of what is exported, by name. Of a name that is `taken` none is a column.
struct PropertyColumns {
  std::vector<std::string> names;

  static Result<PropertyColumns> OfNodes(const Snapshot& s, const ExportOptions& options,
                                         const std::vector<std::string>& taken);
  static Result<PropertyColumns> OfEdges(const Snapshot& s, const ExportOptions& options,
                                         ExportSink& sink, const std::vector<std::string>& taken);
};

struct SpreadProperties {
  std::vector<std::string> cells;  // As the columns; "": none. Texts as they are, the rest as JSON.
  std::string rest;                // What is no column, as JSON; "": nothing.
};
Result<SpreadProperties> Spread(const Snapshot& s, PayloadRef ref, const PropertyColumns& columns);

}  // namespace plexus::formats::internal
