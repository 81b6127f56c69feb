// Files whose contents a parameter takes.
#pragma once

#include <cstddef>
#include <string>

#include "algorithms/common/budget.h"
#include "engine/error.h"

namespace plexus::tools {

// As much as a request may have.
inline constexpr std::size_t kMaxText = std::size_t{64} << 20;

// The whole file; "-" is standard input. kNotFound, kIo: it cannot be opened or read.
// kInvalidArgument: it is longer than kMaxText. kCancelled: the budget ended it, of a pipe,
// also while nobody writes to it.
Result<std::string> ReadText(const std::string& file, const Budget& budget);

}  // namespace plexus::tools
