// The rank of a member edge: what a purge of the member leaves of its properties.
#pragma once

#include <string>
#include <string_view>

namespace plexus::engine_internal {

// Computes: the properties with nothing but "rank"; "" where they have none or cannot be read.
// Complexity: O(bytes). Throws std::bad_alloc.
std::string RankAlone(std::string_view properties);

}  // namespace plexus::engine_internal
