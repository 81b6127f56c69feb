// Files whose contents a parameter takes.
#pragma once

#include <string>

#include "algorithms/common/common.h"
#include "engine/error.h"

namespace plexus::tools {

// The whole file, pipe or device; "-" is standard input. kNotFound, kIo: it cannot be opened or
// read. kInvalidArgument: it is longer than kMaxRequestBytes (request_json.h). kCancelled: the
// budget ended it, of a pipe, also without a writer.
Result<std::string> ReadText(const std::string& file, const Budget& budget);

}  // namespace plexus::tools
