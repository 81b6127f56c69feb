// Which format a file is in: by the extension of its name, else by its first bytes.
#pragma once

#include <cstddef>
#include <string_view>

#include "engine/error.h"
#include "storage/formats/import.h"

namespace plexus::formats_internal {

inline constexpr std::size_t kSniffBytes = 65536;

// `head`: what the file begins with, kSniffBytes of it at most. kInvalidArgument when
// nothing fits, kUnsupported for what is recognised but has no reader.
Result<FileFormat> SniffFormat(std::string_view name, std::string_view head);

}  // namespace plexus::formats_internal
