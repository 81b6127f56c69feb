// What operations that write nodes and edges read of a request in the same way: kinds, times, tags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/error.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {

// A misspelt kind would quietly become a new one: notes say so.
void NoteNewNodeKind(Workspace& workspace, const std::string& kind);
void NoteNewEdgeKind(Workspace& workspace, const std::string& kind);

// The time of a parameter; none where it is not given. Warns of seconds.
Result<std::optional<std::int64_t>> GivenTime(Workspace& workspace, const Request& request,
                                              const char* name);
// valid_from and valid_until as they were given. What ends before it begins is a slip of the hand;
// `never`: what it would be.
Status CheckValidTimes(const Request& request, const std::optional<std::int64_t>& from,
                       const std::optional<std::int64_t>& until, const char* never);

// The names in `tags` can be tags.
Status CheckTags(const Request& request);

}  // namespace plexus::tools
