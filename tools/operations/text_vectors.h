// What the commands that read the vectors of `embed` ask about them.
#pragma once

#include <cstdint>
#include <string_view>

#include "algorithms/common/node_subset.h"
#include "engine/error.h"
#include "engine/snapshot.h"

namespace plexus::tools {

// Facts, of `subset` if it is given, whose text is newer than the vectors that `embed` made in the
// space; 0 where it made none. O(nodes). Errors: those of the record (graph_record.h).
Result<std::uint64_t> CountOlderVectors(const Snapshot& snapshot, std::string_view space,
                                        const NodeSubset* subset);

}  // namespace plexus::tools
