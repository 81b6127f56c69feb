// What the commands that read the vectors of `embed` ask about them.
#pragma once

#include <cstdint>

#include "algorithms/common/node_subset.h"
#include "engine/error.h"
#include "engine/types.h"
#include "tools/operations/request.h"
#include "tools/operations/workspace.h"

namespace plexus::tools {

// Says how many facts, of `subset` if it is given, have a text that is newer than their vector in
// the space, whoever made it; of a space of `embed` those without a vector, too. O(nodes). Errors:
// those of the record (graph_record.h).
Result<std::uint64_t> NoteOlderVectors(Workspace& workspace, const Request& request, SpaceId space,
                                       const NodeSubset* subset);

}  // namespace plexus::tools
