// The decisions of a request: nodes of kind decision, inside scope and where; or what node_kinds
// names.
#pragma once

#include "algorithms/memory/decision_status.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/workspace.h"

namespace plexus::tools {

// `decisions` becomes the request's and must outlive the options.
inline Result<DecisionOptions> ReadDecisionOptions(const Workspace& workspace,
                                                   const Request& request, NodeSubset& decisions) {
  DecisionOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  if (request.Given("node_kinds") && workspace.scope()) {
    decisions = *workspace.scope();
  } else {
    PLEXUS_ASSIGN(decisions, Decisions(workspace.snapshot(), workspace.scope()));
  }
  options.now_ms = workspace.now_ms();
  options.subset = &decisions;
  return options;
}

}  // namespace plexus::tools
