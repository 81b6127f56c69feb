// OpenText: an input of lines, as its parsers want them.
//
// A byte order mark at its head is taken off. Where the head has lines that end with a carriage
// only a return (as old Macs wrote them) and none that ends with a line feed, each return becomes a
// line feed. Internal to storage/formats.
#pragma once

#include <memory>

#include "storage/formats/pipeline/input.h"

namespace plexus::formats::internal {

Result<std::unique_ptr<ByteSource>> OpenText(const Input& input);

}  // namespace plexus::formats::internal
