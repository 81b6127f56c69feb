// Files whose contents a parameter takes.
#pragma once

#include <string>

#include "engine/error.h"

namespace plexus::tools {

// The whole file; "-" is standard input. kNotFound, kIo: it cannot be opened or read.
Result<std::string> ReadText(const std::string& file);

}  // namespace plexus::tools
