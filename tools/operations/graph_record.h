// Records that the program keeps in the graph about what it derived from texts.
//
// A record is an index node inscription:plexus.NAME whose properties say how something was made;
// the sequence of these properties says how far it reaches: texts of that sequence and earlier are
// covered. Exports carry records as any index node.
#pragma once

#include <boost/json/object.hpp>
#include <optional>
#include <string_view>

#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"

namespace plexus::tools {

struct GraphRecord {
  boost::json::object properties;
  Sequence covers = 0;
};

// nullopt: none exists. Errors: kCorruption, properties that are no map; the payload store's.
Result<std::optional<GraphRecord>> ReadRecord(const Snapshot& snapshot, std::string_view name);
// Says in `batch` that all texts of the graph it is applied to are covered. "runs" counts the
// times, so that the same properties are written again.
Status WriteRecord(WriteBatch& batch, std::string_view name, boost::json::object properties,
                   const std::optional<GraphRecord>& before);

}  // namespace plexus::tools
