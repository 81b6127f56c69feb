// Files whose contents a parameter takes.
#pragma once

#include <cstddef>
#include <string>

#include "algorithms/common/budget.h"
#include "engine/error.h"

namespace plexus::tools {

// As a request as JSON.
inline constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;

// The whole file, pipe or device; "-" is standard input. kNotFound, kIo: it cannot be opened or
// read. kInvalidArgument: it goes on behind kMaxTextBytes. kCancelled: the budget ended it, of a
// pipe, also while nobody writes to it.
Result<std::string> ReadText(const std::string& file, const Budget& budget);

}  // namespace plexus::tools
