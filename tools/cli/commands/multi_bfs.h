// bfs --each: a search from every start by itself, up to 64 at once.
#pragma once

#include <span>

#include "algorithms/traversal/multi_bfs.h"
#include "engine/error.h"
#include "tools/cli/cli.h"
#include "tools/cli/session.h"

namespace plexus::tools {

// How many nodes each source reaches, level by level, in the order given.
Result<int> RunBfsEach(const Globals& globals, const Session& session,
                       std::span<const NodeId> sources, const MultiBfsOptions& options);

}  // namespace plexus::tools
