// CheckJson: whether a text that is not read is JSON.
//
// What the tree (json_tree.h) cannot hold is none of its business: any number of values, strings of
// any length and with U+0000, numbers of any size, names that stand twice. What is nested deeper
// than kMaxDepth and an escape of half a character end the check. Internal to storage/formats.
#pragma once

#include <string_view>

#include "engine/error.h"

namespace plexus::formats::internal {

// kInvalidArgument says what is wrong and at which byte.
Status CheckJson(std::string_view text);

}  // namespace plexus::formats::internal
