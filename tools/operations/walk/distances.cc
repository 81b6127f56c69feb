// distances: what the cheapest path from one node to every other costs.
#include "algorithms/paths/paths.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

Result<Reply> RunDistances(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const NodeId from, FindAliveNode(snapshot, request.Text("from")));
  paths::DistancesOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  const std::string& cost = request.Text("cost");
  options.cost = cost == "hops"     ? paths::PathCost::kHops
                 : cost == "length" ? paths::PathCost::kWeight
                                    : paths::PathCost::kLogWeight;
  PLEXUS_ASSIGN(options.direction, AskedDirection(workspace, request));
  PLEXUS_ASSIGN(paths::DistancesResult result, paths::Distances(snapshot, from, options));
  NoteIndexNodes(workspace.notes(), snapshot, {&from, 1}, options.filter.kinds);
  std::vector<NodeId> nodes;
  const double within = request.MaybeNumber("within").value_or(INFINITY);
  for (NodeId v = 0; v < snapshot.node_count(); ++v)
    if (std::isfinite(result.distances[v]) && result.distances[v] <= within) nodes.push_back(v);
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](NodeId a, NodeId b) { return result.distances[a] < result.distances[b]; });
  KeepShown(workspace, nodes);
  std::string headline = Grouped(result.reached) + " nodes reached\n";
  std::string closing =
      Truncated(result.truncated, "these distances are certain, farther nodes are not known");
  Reply reply([snapshot, nodes = std::move(nodes), result = std::move(result),
               top = request.Count("top")](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    json.Field("reached", result.reached);
    json.Field("total", nodes.size());
    json.Objects("results", First(nodes, top), [&](NodeId node) {
      json.Node("key", snapshot, node);
      json.Field("distance", result.distances[node]);
    });
  });
  reply.headline = std::move(headline);
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace

void AddDistances(Rows& rows) {
  rows.push_back(
      {.name = "distances",
       .group = "Ask",
       .title = "Distances from a node",
       .summary = "List the cost of the cheapest path from one node to every other",
       .parameters =
           Parameters{
               Text("from", "KEY", "the node to start from").Named(Means::kKey).OrPositional(),
               Choice("cost", {"hops", "length", "log"},
                      "of an edge: 1, its weight as a length, or -ln of its weight"),
               DirectionParameter({"out", "in", "both"}, "which way to walk")} +
           EdgeParameters() +
           Parameters{
               Number("within", "X", "list only nodes at a distance of at most X").AtLeast(0),
               Top(100, "list the K nearest; 0 = all")} +
           ShownParameters(),
       .reply = "truncated:b, reached:n, total:n, results:[{key:k, distance:x}]",
       .tables = "results: distance, key",
       .examples = {{"plexus distances --db roads --from home --cost length --within 10",
                     "what is within 10 of home"},
                    {"plexus distances --db g --from alice --cost log --direction both --top 0 "
                     "--json",
                     "everything reachable from alice, best product of weights first"}},
       .run = RunDistances});
}

}  // namespace plexus::tools
