// Which format a file is in: by the extension of its name, else by its first bytes.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "engine/error.h"
#include "storage/formats/import.h"

namespace plexus::formats::internal {

inline constexpr std::size_t kSniffBytes = 65536;

// `head`: what the file begins with, kSniffBytes of it at most. Of JSON objects the first line that
// is a record of some format decides, whatever is before it. A table has a key or both ends in
// its header, by their names or as `columns` says. An edge list without a name that says so is one
// of numbers: two words on a line may be any text. kInvalidArgument when nothing fits, with why,
// kUnsupported for what is recognised but has no reader.
Result<FileFormat> SniffFormat(std::string_view name, std::string_view head,
                               const std::vector<ColumnName>& columns = {});

// Whether the file is one JSON array of objects, and not lines of which the first is damaged. Its
// elements are records of the detected format.
bool IsJsonArray(std::string_view head);

}  // namespace plexus::formats::internal
