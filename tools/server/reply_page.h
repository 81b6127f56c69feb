// A page of a reply: part of its list, and the cursor of the next one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/error.h"

namespace plexus::tools::server {

// "p20" is 20: a cursor is a place in the list, as the graph is then. kInvalidArgument: none.
Result<std::uint64_t> PlaceOfCursor(std::string_view cursor);

// The reply with at most `most` elements of its member `list`, a list, from number `from` on, and
// at most `chars` bytes of them, but one; where others follow, "next_cursor" is its last member.
// All other bytes stay as they are. `first_is_long`: whether the first of them has more bytes; may
// be null. kInternal: there is no such list.
Result<std::string> PageOfReply(std::string_view json, std::string_view list, std::uint64_t from,
                                std::uint64_t most, std::uint64_t chars,
                                bool* first_is_long = nullptr);

}  // namespace plexus::tools::server
