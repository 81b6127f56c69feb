// Replies under a tool's own names: members of an operation's reply renamed, left out or split.
#pragma once

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

// Without blanks at its two ends: one item of a list in a table.
std::string_view Trimmed(std::string_view text);

}  // namespace plexus::tools::server
