// path: the shortest ways between two nodes, by edges or by weights.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "algorithms/paths/paths.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

Result<paths::ShortestPathOptions> Options(const Workspace& workspace, const Request& request) {
  paths::ShortestPathOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  const bool weighted = request.Flag("weighted"), costed = request.Given("cost");
  const std::string& cost = request.Text("cost");
  if (request.Given("column") && (weighted || costed))
    return Invalid(request.Name(weighted ? "weighted" : "cost"), " and ", request.Name("column"),
                   " exclude each other");
  if (weighted && costed && cost != "log")
    return Invalid(request.Name("weighted"), " is ", request.Name("cost", "log"), " and excludes ",
                   request.Name("cost", cost));
  if (weighted || cost == "log") options.cost = paths::PathCost::kLogWeight;
  if (cost == "length") options.cost = paths::PathCost::kWeight;
  if (const auto name = request.MaybeText("column")) {
    const auto column = workspace.schema().FindColumn(*name);
    if (!column) {
      std::vector<std::string> names;
      for (const plexus::Column& known : workspace.schema().columns()) names.push_back(known.name);
      return Invalid("no column ", Quoted(*name), DidYouMean(*name, names));
    }
    options.cost = paths::PathCost::kColumn;
    options.column = *column;
  }
  options.count = static_cast<int>(request.Count("count"));
  if (const auto hops = request.MaybeCount("hops")) {
    if (options.cost != paths::PathCost::kHops)
      return Invalid(request.Name("hops"), " goes with ", request.Name("cost", "hops"),
                     "; 'traverse' has ", request.Name("hops"),
                     " for the best products of weights");
    options.max_hops = static_cast<std::uint32_t>(*hops);
  }
  PLEXUS_ASSIGN(options.direction, AskedDirection(workspace, request));
  return options;
}

// Ways that there are, but not at this cost: -ln 0 is infinite. Empty when that is not so.
Result<std::string> WhyTooCostly(const Snapshot& snapshot, const Request& request,
                                 paths::ShortestPathOptions options, NodeId from, NodeId to) {
  if (options.cost != paths::PathCost::kLogWeight) return std::string();
  options.cost = paths::PathCost::kHops;
  options.count = 1;
  PLEXUS_ASSIGN(const paths::ShortestPathResult any,
                paths::ShortestPath(snapshot, from, to, options));
  if (any.paths.empty()) return std::string();
  const auto& edges = any.paths[0].edges;
  const auto zero = std::ranges::find_if(edges, [](const PathEdge& e) { return e.weight == 0; });
  if (zero == edges.end()) return std::string();
  return "every way leads over an edge of weight 0, whose cost -ln 0 is infinite: " +
         ShownKey(snapshot, zero->source) + " " + snapshot.schema().edge_kind(zero->kind).name +
         " " + ShownKey(snapshot, zero->target) + "; without " + request.Name("weighted") + " (" +
         request.Name("cost", "hops") + ") there is one of " + std::to_string(edges.size()) +
         (edges.size() == 1 ? " edge" : " edges");
}

// Why there can be none: an index node at an end that no edge of the kinds followed touches.
// Empty when that is not so.
std::string WhyNone(const Snapshot& snapshot, const Request& request,
                    const EdgeKinds& followed_kinds, NodeId from, NodeId to) {
  const ArcFilter followed = ArcFilter::Kinds(snapshot.schema(), followed_kinds);
  for (NodeId end : {from, to}) {
    if (snapshot.is_fact(end)) continue;
    bool touched = false;
    std::set<EdgeKindId> kinds;
    snapshot.ForEachArc(Direction::kBoth, end, ArcFilter::All(), [&](const Arc& arc) {
      kinds.insert(arc.kind);
      touched = touched || followed.allows(arc.kind);
    });
    if (touched) continue;
    std::string why = ShownKey(snapshot, end) + " is an index node and no " +
                      (!followed_kinds.given() ? "edge between facts" : "edge of the kinds named") +
                      " touches it";
    if (!kinds.empty()) why += "; name kinds that do with " + request.Name("kinds") + ": ";
    for (const char* between = ""; EdgeKindId kind : kinds) {
      why += between + snapshot.schema().edge_kind(kind).name;
      between = ",";
    }
    return why;
  }
  return "";
}

// What is below the paths, or instead of them.
std::string Closing(const Snapshot& snapshot, const Request& request,
                    const paths::ShortestPathOptions& options,
                    const paths::ShortestPathResult& result, const std::string& why, NodeId from,
                    NodeId to) {
  if (result.truncated) return "truncated: the budget ran out\n";
  if (!result.paths.empty())
    return options.cost == paths::PathCost::kLogWeight
               ? "best product of weights " + Number(std::exp(-result.paths[0].cost), 4) + "\n"
               : "";
  std::string text = "no path from " + Escaped(ShownKey(snapshot, from)) + " to " +
                     Escaped(ShownKey(snapshot, to));
  if (!why.empty())
    text += ": " + Escaped(why);
  else if (request.Given("hops"))
    text += " of at most " + std::to_string(options.max_hops) +
            (options.max_hops == 1 ? " edge" : " edges");
  else if (options.direction != Direction::kBoth)
    text += "; " + request.Name("direction", "both") + " walks edges either way";
  return text + "\n";
}

Result<Reply> RunPath(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const NodeId from, FindAliveNode(snapshot, request.Text("from")));
  PLEXUS_ASSIGN(const NodeId to, FindAliveNode(snapshot, request.Text("to")));
  PLEXUS_ASSIGN(paths::ShortestPathOptions options, Options(workspace, request));
  PLEXUS_ASSIGN(paths::ShortestPathResult result, paths::ShortestPath(snapshot, from, to, options));
  std::string why;
  if (result.paths.empty() && !result.truncated) {
    why = WhyNone(snapshot, request, options.filter.kinds, from, to);
    if (why.empty()) PLEXUS_SET(why, WhyTooCostly(snapshot, request, options, from, to));
  }
  std::string closing = Closing(snapshot, request, options, result, why, from, to);
  EdgeProperties properties;
  for (const paths::FoundPath& path : result.paths)
    PLEXUS_TRY(properties.Read(snapshot, path.edges));
  Reply reply([snapshot, why, result = std::move(result),
               properties = std::move(properties)](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    if (!why.empty()) json.Field("why", why);
    json.Objects("paths", result.paths, [&](const paths::FoundPath& path) {
      json.Field("cost", path.cost);
      json.Field("hops", path.edges.size());
      WritePath(json, "edges", snapshot, path.edges, properties);
    });
  });
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace

void AddPath(Rows& rows) {
  rows.push_back(
      {.name = "path",
       .group = "Ask",
       .title = "Shortest paths",
       .summary = "Find the shortest paths between two nodes",
       .parameters =
           Parameters{Text("from", "A", "the first node's key").Named(Means::kKey).OrPositional(),
                      Text("to", "B", "the last node's key").Named(Means::kKey).OrPositional(),
                      Choice("cost", {"hops", "length", "log"},
                             "of an edge: 1, its weight as a length, or -ln of its weight"),
                      Flag("weighted", "the best product of weights: the same as cost log"),
                      Text("column", "NAME", "cost = this column of the nodes stepped into"),
                      Count("count", "K", "the K best paths, 1 to 1000")
                          .Between(1, 1000)
                          .Default(std::uint64_t{1}),
                      Count("hops", "H", "at most H edges, by cost hops (default: no limit)")
                          .Between(0, 1e9),
                      DirectionParameter({"out", "in", "both"}, "which way to walk")} +
           EdgeParameters() + Parameters{MaxNodes(), MaxEdges()},
       .reply = "truncated:b, why?:s, paths:[{cost:x, hops:n, edges:[E]}]",
       .tables = "paths: hops = edges, cost, edges steps",
       .examples = {{"plexus path --db g --from alice --to dave",
                     "the fewest edges from alice to dave"},
                    {"plexus path --db g alice dave --hops 5 --direction both",
                     "whether at most five edges connect them, either way"},
                    {"plexus path --db g --from alice --to dave --weighted --count 3 --json",
                     "the three best products of weights, for a script"},
                    {"plexus path --db roads --from home --to work --cost length",
                     "the shortest way by road"}},
       .run = RunPath});
}

}  // namespace plexus::tools
