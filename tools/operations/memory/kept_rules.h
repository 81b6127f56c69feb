// Rules that the graph keeps, and writes that obey them.
//
// They lie in the record plexus.rules as they were given (guardrail_rules.h). A write that asks for
// it (--check) is previewed, judged and applied as one step: a writer between them makes it fail.
#pragma once

#include <optional>
#include <string>

#include "engine/error.h"
#include "engine/graph.h"
#include "engine/snapshot.h"
#include "engine/write_batch.h"
#include "tools/operations/framework/operation.h"
#include "tools/operations/framework/request.h"
#include "tools/operations/framework/workspace.h"

namespace plexus::tools {

// The rules as JSON, a list; nullopt: the graph keeps none.
Result<std::optional<std::string>> KeptRules(const Snapshot& snapshot);
// Says in `batch` which rules are kept from now on; "": none.
Status KeepRules(const Snapshot& snapshot, WriteBatch& batch, const std::string& json);

Parameter CheckParameter();
// Whether the request is of an operation that takes `check`, and says so.
bool IsChecked(const Request& request);
// kFailedPrecondition, with what the rules that block say. Warnings become notes.
Status ObeyRules(Workspace& workspace, const Request& request, const PreviewResult& proposal);

}  // namespace plexus::tools
