// The decisions of a request: nodes of kind decision, inside scope and where; or what node_kinds
// names.
#pragma once

#include "algorithms/memory/decision_status.h"
#include "tools/operations/workspace.h"

namespace plexus::tools {

inline Result<NodeSubset> RequestedDecisions(const Workspace& workspace, const Request& request) {
  if (request.Given("node_kinds") && workspace.scope()) return *workspace.scope();
  return Decisions(workspace.snapshot(), workspace.scope());
}

// `subset` must outlive the options.
inline DecisionOptions MakeDecisionOptions(const Workspace& workspace, const NodeSubset& subset,
                                           const Budget& budget) {
  DecisionOptions options;
  options.now_ms = workspace.now_ms();
  options.subset = &subset;
  options.run.budget = budget;
  options.run.executor = &workspace.executor();
  return options;
}

}  // namespace plexus::tools
