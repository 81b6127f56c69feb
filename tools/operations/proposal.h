// A proposal: JSON lines as one batch, and the graph that it would make.
//
// The lines are read as import reads them, into a copy in RAM; nothing is written to the graph.
#pragma once

#include <string>
#include <string_view>

#include "engine/error.h"
#include "engine/graph.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {

// `source` is in messages. `with_terms`: the texts' terms come along where the graph has terms.
// kInvalidArgument: a line that cannot be read or that the graph would refuse; kCancelled: the time
// of the request was up; as Preview.
Result<PreviewResult> ReadProposal(Workspace& workspace, const std::string& source,
                                   std::string_view lines, bool with_terms);

}  // namespace plexus::tools
