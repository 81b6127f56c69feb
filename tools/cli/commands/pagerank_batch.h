// pagerank --sets: one personalised PageRank a line of a file, 16 in a sweep.
#pragma once

#include <cstdint>
#include <string>

#include "algorithms/pagerank/pagerank.h"
#include "engine/error.h"
#include "tools/cli/cli.h"
#include "tools/cli/session.h"

namespace plexus::tools {

// `file`: a set a line, KEY[=W] between tabs; an empty line is the uniform teleport; "-" is
// standard input. The `top` best of each set, 0 = all that it reaches. Options without seeds, in
// f32.
Result<int> RunSets(const Globals& globals, const Session& session, const PageRankOptions& options,
                    const std::string& file, std::uint64_t top);

}  // namespace plexus::tools
