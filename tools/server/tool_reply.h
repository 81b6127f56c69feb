// What a tool makes of an operation's reply: members under names of its own, left out or split, and
// a page of a list with the cursor of the next one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/error.h"

namespace plexus::tools::server {

// The reply with members renamed as `names` says, each "PATH=NAME" behind a ';': the path is names
// of members with '.' between them, those of an array's elements too. NAME "" leaves the member
// out, "A|B" makes two of an array with two elements, "*" makes members of an array of names and
// values. All other bytes stay as they are.
// kInternal: `json` is no JSON.
Result<std::string> RenamedReply(std::string_view json, std::string_view names);

// The name that a member of the reply itself has then; "" where it is left out.
std::string_view RenamedMember(std::string_view name, std::string_view names);

// The first item of a list in a table, without blanks at its two ends; the rest is left in `list`.
std::string_view TakeItem(std::string_view& list, char separator);

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
