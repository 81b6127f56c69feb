// topo: nodes in an order that every edge follows, or the cycles that forbid it.
#include "algorithms/connectivity/connectivity.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

// What is below the order.
std::string Closing(const Snapshot& snapshot, const connectivity::TopologicalOrderResult& result,
                    std::uint64_t top) {
  std::string text = More(result.order.size(), top);
  constexpr std::size_t kShownCycles = 20, kShownNodes = 12;
  for (std::size_t i = 0; i < std::min(kShownCycles, result.cycles.size()); ++i) {
    const connectivity::OrderCycle& cycle = result.cycles[i];
    text += "cycle: ";
    for (std::size_t k = 0; k < std::min(kShownNodes, cycle.nodes.size()); ++k)
      text += Escaped(ShownKey(snapshot, cycle.nodes[k])) + " -> ";
    if (cycle.nodes.size() > kShownNodes) text += "... -> ";
    text += Escaped(ShownKey(snapshot, cycle.nodes[0]));
    if (cycle.size > cycle.nodes.size())
      text += "  (one of " + Grouped(cycle.size) + " nodes that reach each other)";
    text += '\n';
  }
  if (result.cycles.size() > kShownCycles)
    text += "... " + Grouped(result.cycles.size() - kShownCycles) + " more cycles\n";
  return text + Truncated(result.truncated,
                          "this is how the order begins; what follows, and its cycles, are not "
                          "known");
}

Result<Reply> RunTopologicalOrder(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  connectivity::TopologicalOrderOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  PLEXUS_ASSIGN(const bool backward, IsBackward(workspace.schema(), request.List("kinds")));
  options.reverse = request.Flag("reverse") != backward;
  PLEXUS_ASSIGN(connectivity::TopologicalOrderResult result,
                connectivity::TopologicalOrder(snapshot, options));
  const std::uint64_t top = request.Count("top");
  const bool any = result.truncated || !result.order.empty();
  KeepShown(workspace, result.order, &connectivity::OrderedNode::node);
  std::string closing = any ? Closing(snapshot, result, top) : "no edges to order by\n";
  const bool cyclic = !result.cycles.empty();
  Reply reply([snapshot, top, result = std::move(result)](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    if (!result.truncated || !result.cycles.empty()) json.Field("acyclic", result.cycles.empty());
    json.Field("total", result.order.size());
    json.Objects("results", First(result.order, top), [&](const auto& place) {
      json.Node("key", snapshot, place.node);
      json.Field("level", place.level);
    });
    json.Objects("cycles", result.cycles, [&](const connectivity::OrderCycle& cycle) {
      json.Field("size", cycle.size);
      json.Nodes("nodes", snapshot, cycle.nodes);
    });
  });
  reply.closing = std::move(closing);
  if (cyclic) reply.failure = Error{ErrorCode::kFailedPrecondition, ""};
  return reply;
}

}  // namespace

void AddTopologicalOrder(Rows& rows) {
  rows.push_back(
      {.name = "topo",
       .group = "Ask",
       .title = "Topological order",
       .summary = "Order nodes so that every edge points forward; list the cycles (exit code 1)",
       .parameters =
           Parameters{KindsParameter("order by these edge kinds (default: those declared acyclic)"),
                      Flag("reverse", "targets first: dependencies before their dependents"),
                      ValidAtParameter(), TopForPeople()} +
           ShownParameters(),
       .reply = "truncated:b, acyclic?:b, total:n, results:[{key:k, level:n}], "
                "cycles:[{size:n, nodes:[k]}]",
       .tables = "results: level, key",
       .examples = {{"plexus topo --db g --reverse",
                     "the order in which to do tasks that depend on each other"},
                    {"plexus topo --db g --kinds supersedes --json",
                     "versions, newest first; cycles, if there are any"}},
       .run = RunTopologicalOrder});
}

}  // namespace plexus::tools
