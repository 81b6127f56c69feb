// flow: the most that gets from one node to another, and the edges that limit it.
#include <string>
#include <utility>

#include "algorithms/connectivity/connectivity.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

Result<Reply> RunFlow(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const NodeId from, FindAliveNode(snapshot, request.Text("from")));
  PLEXUS_ASSIGN(const NodeId to, FindAliveNode(snapshot, request.Text("to")));
  connectivity::MaxFlowOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  options.unit_capacities = request.Text("capacity") == "unit";
  options.undirected = request.Text("direction") == "both";
  if (!options.undirected) {
    PLEXUS_ASSIGN(const bool backward, IsBackward(workspace.schema(), request.List("kinds")));
    if (backward)
      return Invalid(request.Name("kinds"), " names edges by their inverse names: swap ",
                     request.Name("from"), " and ", request.Name("to"),
                     " and name the kinds, or say ", request.Name("direction", "both"));
  }
  PLEXUS_ASSIGN(connectivity::MaxFlowResult result,
                connectivity::MaxFlow(snapshot, from, to, options));
  const NodeId ends[] = {from, to};
  NoteIndexNodes(workspace.notes(), snapshot, ends, options.filter.kinds);
  const std::uint64_t top = request.Count("top");
  std::string headline, closing = Truncated(result.truncated, "the flow is not known");
  if (!result.truncated) {
    headline = "flow " + Number(result.flow, 9);
    if (result.error > 0) headline += " (off by " + Number(result.error, 2) + " at most)";
    headline += ", cut by " + Grouped(result.cut.size()) +
                (result.cut.size() == 1 ? " edge" : " edges") + "; " + Grouped(result.nodes) +
                " nodes lie between\n";
    closing = More(result.cut.size(), top);
  }
  EdgeProperties properties;
  PLEXUS_TRY(properties.Read(snapshot, First(result.cut, top)));
  Reply reply([snapshot, top, result = std::move(result),
               properties = std::move(properties)](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    json.Field("flow", result.flow);
    json.Field("error", result.error);
    json.Field("nodes", result.nodes);
    json.Field("pairs", result.pairs);
    json.Field("source_side", result.source_side);
    json.Field("total", result.cut.size());
    WritePath(json, "cut", snapshot, First(result.cut, top), properties);
  });
  reply.headline = std::move(headline);
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace

void AddFlow(Rows& rows) {
  rows.push_back(
      {.name = "flow",
       .group = "Ask",
       .title = "Maximum flow",
       .summary = "Find the maximum flow and the minimum cut between two nodes",
       .parameters =
           Parameters{Text("from", "A", "the source's key").Named(Means::kKey).OrPositional(),
                      Text("to", "B", "the sink's key").Named(Means::kKey).OrPositional()} +
           EdgeParameters() +
           Parameters{Choice("capacity", {"weight", "unit"}, "of an edge: its weight, or 1"),
                      DirectionParameter({"out", "both"}, "edges carry one way, or either"),
                      TopForPeople("list the first K edges of the cut; 0 = all")},
       .reply = "truncated:b, flow:x, error:x, nodes:n, pairs:n, source_side:n, total:n, cut:[E]",
       .tables = std::string("cut: ") + kEdgeColumns,
       .examples = {{"plexus flow --db pipes --from spring --to town",
                     "the largest flow, and the edges that limit it"},
                    {"plexus flow --db g --from alice --to dave --capacity unit --direction both "
                     "--json",
                     "how many paths without a common edge join alice and dave"}},
       .run = RunFlow});
}

}  // namespace plexus::tools
