// What the commands that read the vectors of `embed` ask about them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/error.h"
#include "engine/types.h"
#include "engine/write_batch.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {

// Says how many facts, of `subset` if it is given, have a text that is newer than their vector in
// the space, whoever made it; of a space of `embed` those without a vector, too. O(nodes). Errors:
// those of the record (graph_record.h).
Result<std::uint64_t> NoteOlderVectors(Workspace& workspace, const Request& request, SpaceId space,
                                       const NodeSubset* subset);

// Adds to a batch whose terms are complete the vectors of its node's text, in every space that
// `embed` made, as `embed` would make them now: of the graph as the batch leaves it. How many.
// Those of other texts stay as they are. O(nodes + has_term arcs) where there is such a space.
Result<std::size_t> AddTextVectors(const Workspace& workspace, const Request& request,
                                   WriteBatch& batch, NodeRef node, std::string_view key);

// The vector that `embed` would make of a question's terms in the space; empty where no text has
// one of them, none where the space is not `embed`'s.
Result<std::optional<std::vector<float>>> VectorOfTerms(const Workspace& workspace,
                                                        const Request& request, SpaceId space,
                                                        std::span<const std::string> terms);

}  // namespace plexus::tools
