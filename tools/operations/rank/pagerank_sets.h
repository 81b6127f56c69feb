// pagerank of many seed sets at once.
#pragma once

#include "algorithms/pagerank/pagerank.h"
#include "engine/error.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {

// A ranking for each line of the parameter `sets`. Errors name the line.
Result<Reply> RankSets(const Workspace& workspace, const Request& request,
                       pagerank::PageRankOptions& options);

}  // namespace plexus::tools
