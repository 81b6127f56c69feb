// Which format a file is in: by the extension of its name, else by its first bytes.
#pragma once

#include <string_view>

#include "engine/error.h"
#include "storage/text/import.h"

namespace plexus::text {

// `head`: what the file begins with, 64 KiB of it at most. kInvalidArgument when
// nothing fits, kUnsupported for what is recognised but has no reader.
Result<Format> SniffFormat(std::string_view name, std::string_view head);

}  // namespace plexus::text
