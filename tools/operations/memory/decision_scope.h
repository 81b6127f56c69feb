// The decisions of a request: nodes of kind decision, inside scope and where; or what node_kinds
// names.
#pragma once

#include <span>
#include <string>

#include "algorithms/memory/decisions/decisions.h"
#include "engine/vocabulary.h"
#include "tools/operations/framework/workspace.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {

// `decisions` becomes the request's and must outlive the options.
inline Result<memory::DecisionOptions> ReadDecisionOptions(const Workspace& workspace,
                                                           const Request& request,
                                                           NodeSubset& decisions) {
  memory::DecisionOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  if (request.Given("node_kinds") && workspace.scope())
    decisions = *workspace.scope();
  else
    PLEXUS_SET(decisions, memory::Decisions(workspace.snapshot(), workspace.scope(),
                                            workspace.keeps_orders()));
  options.now_ms = workspace.now_ms();
  options.subset = &decisions;
  options.inside = workspace.scope();
  return options;
}

// kInvalidArgument, with what the node is: one that is none of the decisions.
inline Status CheckDecisions(const Snapshot& snapshot, const NodeSubset& decisions,
                             std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) {
    if (decisions.contains(node)) continue;
    const NodeKindId kind = snapshot.node_kind(node);
    const std::string is =
        kind == builtin::kDecision ? "" : " (" + snapshot.schema().node_kind(kind).name + ")";
    return Invalid(Quoted(ShownKey(snapshot, node)), is,
                   " is not one of the decisions asked about");
  }
  return {};
}

}  // namespace plexus::tools
