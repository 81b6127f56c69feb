// import --follow: the parameters, and how it runs.
#pragma once

#include "engine/error.h"
#include "storage/formats/follow.h"
#include "tools/operations/framework/operation.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {

// follow, batch_records, batch_seconds, idle_seconds, position.
Parameters FollowParameters();
// Refuses what does not go with the flag, and what needs it.
Status CheckFollow(const Request& request);
// Imports what the request's file holds and will hold. A BatchProgress is told of each batch.
Result<formats::FollowReport> Follow(Workspace& workspace, const Request& request,
                                     const formats::ImportOptions& options);

}  // namespace plexus::tools
