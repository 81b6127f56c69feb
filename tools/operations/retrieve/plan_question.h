// A question answered by a retrieval plan: what `retrieve` does, for whoever has its parameters.
#pragma once

#include "engine/error.h"
#include "tools/operations/framework/operation.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/reply/reply.h"

namespace plexus::tools {

// words, vector, space, from, plan, top, hops, kinds, max_nodes, max_edges, max_seconds,
// include_superseded.
Parameters PlanParameters();

// Runs the plan for the request and makes the reply: the hits with their terms, and what each stage
// did. Errors: kInvalidArgument, a plan that is none (the message names the place), a question that
// has nothing for its seeds; kNotFound, a key or a space that is not there; those of Retrieve.
Result<Reply> AnswerByPlan(Workspace& workspace, const Request& request);

}  // namespace plexus::tools
