// Trajectories of sessions out of a file: JSON lines, or a table with a header.
//
//   {"session_id":"s2","correction_of":"s1","reward":0.7,"skill":"debug","domain":"rust"}
//
// Only session_id is required. Other members and columns are passed over.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algorithms/memory/turns/turns.h"
#include "engine/error.h"

namespace plexus::tools {

// Empty lines are passed over. kInvalidArgument names source, line and reason.
Result<std::vector<memory::TurnTrajectory>> ParseTrajectories(const std::string& source,
                                                              std::string_view text);

}  // namespace plexus::tools
