// The lenses of `frontier` beyond rare: likely, surface, bridge, divergent (algorithms/memory).
#pragma once

#include <string>
#include <string_view>

#include "engine/error.h"
#include "tools/operations/framework/operation.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/reply.h"

namespace plexus::tools {

// The parameters that they have and rare does not.
Parameters LensParameters();
// The lens of the request is rare, or what was left to choose comes to it. Errors: those of
// LedgerIndex::Of.
Result<bool> AsksRare(Workspace& workspace, const Request& request);
// kInvalidArgument: one of these was given.
Status CheckRare(const Request& request);
// Answers by the lens that the request names.
Result<Reply> AskLens(Workspace& workspace, const Request& request);
// The reply beyond rare's, as members of a shape.
std::string_view LensReplyShape();

}  // namespace plexus::tools
