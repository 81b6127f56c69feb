// `plexus serve`: the words of the command line, and the life of the process.
#pragma once

#include "tools/cli/command_line.h"

namespace plexus::tools::server {

// The exit code. Returns when the server ends.
int RunServe(const CommandLine& line);

}  // namespace plexus::tools::server
