// forest, cuts, dominators: what holds the graph together, and what it hangs by.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/connectivity/connectivity.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

Result<Reply> RunForest(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  connectivity::SpanningForestOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  const bool maximum = request.Flag("maximum");
  options.maximum = maximum;
  options.weighted = !request.Flag("unweighted");
  PLEXUS_ASSIGN(connectivity::SpanningForestResult forest,
                connectivity::SpanningForest(snapshot, options));
  if (options.weighted)
    std::stable_sort(forest.edges.begin(), forest.edges.end(),
                     [&](const PathEdge& a, const PathEdge& b) {
                       return maximum ? a.weight > b.weight : a.weight < b.weight;
                     });
  const std::uint64_t top = request.Count("top");
  std::string headline = Grouped(forest.edges.size()) + " edges of weight " +
                         Number(forest.weight) + " join " + Grouped(forest.nodes) + " nodes into " +
                         Grouped(forest.trees) + " trees\n";
  std::string closing = More(forest.edges.size(), top) +
                        Truncated(forest.truncated, maximum ? "these are only the heaviest edges"
                                                            : "these are only the lightest edges");
  EdgeProperties properties;
  PLEXUS_TRY(properties.Read(snapshot, First(forest.edges, top)));
  Reply reply([snapshot, top, forest = std::move(forest),
               properties = std::move(properties)](ReplyWriter& json) {
    json.Field("truncated", forest.truncated);
    json.Field("weight", forest.weight);
    json.Field("trees", forest.trees);
    json.Field("nodes", forest.nodes);
    json.Field("total", forest.edges.size());
    WritePath(json, "results", snapshot, First(forest.edges, top), properties);
  });
  reply.headline = std::move(headline);
  reply.closing = std::move(closing);
  return reply;
}

// Blocks, for people: the first nodes of each.
std::string ShownBlocks(const Snapshot& snapshot, const connectivity::CutPointsResult& cuts,
                        std::uint64_t top) {
  constexpr std::uint64_t kShownNodes = 12;
  const std::uint64_t shown = top == 0 ? cuts.blocks : std::min<std::uint64_t>(top, cuts.blocks);
  std::string text;
  for (std::uint64_t b = 0; b < shown; ++b) {
    const std::uint64_t begin = cuts.block_begins[b], end = cuts.block_begins[b + 1];
    text += "block of " + Grouped(end - begin) + ":";
    for (std::uint64_t i = begin; i < std::min(end, begin + kShownNodes); ++i)
      text += " " + Escaped(ShownKey(snapshot, cuts.block_nodes[i]));
    text += end - begin > kShownNodes ? " ...\n" : "\n";
  }
  return text;
}

Result<Reply> RunCuts(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  connectivity::CutPointsOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  const bool blocks = request.Flag("blocks");
  options.list_blocks = blocks;
  PLEXUS_ASSIGN(connectivity::CutPointsResult cuts, connectivity::CutPoints(snapshot, options));
  const std::uint64_t top = request.Count("top");
  const std::size_t points = cuts.points.size();
  KeepShown(workspace, cuts.points);
  std::string headline = Grouped(points) + " articulation points and " +
                         Grouped(cuts.bridges.size()) + " bridges among " + Grouped(cuts.nodes) +
                         " nodes; " + Grouped(cuts.blocks) + " blocks, the largest of " +
                         Grouped(cuts.largest_block) + " nodes\n";
  std::string closing = More(std::max(cuts.points.size(), cuts.bridges.size()), top);
  if (blocks) closing += ShownBlocks(snapshot, cuts, top);
  closing += Truncated(cuts.truncated, "what is listed is certain, the rest is not known");
  EdgeProperties properties;
  PLEXUS_TRY(properties.Read(snapshot, First(cuts.bridges, top)));
  Reply reply([snapshot, top, blocks, points, cuts = std::move(cuts),
               properties = std::move(properties)](ReplyWriter& json) {
    json.Field("truncated", cuts.truncated);
    json.Field("articulation_points", points);
    json.Field("bridges", cuts.bridges.size());
    json.Field("blocks", cuts.blocks);
    json.Field("largest_block", cuts.largest_block);
    json.Objects("nodes", First(cuts.points, top),
                 [&](NodeId v) { json.Node("key", snapshot, v); });
    WritePath(json, "edges", snapshot, First(cuts.bridges, top), properties);
    if (!blocks) return;
    const std::uint64_t shown = top == 0 ? cuts.blocks : std::min<std::uint64_t>(top, cuts.blocks);
    json.BeginArray("components");
    for (std::uint64_t b = 0; b < shown; ++b) {
      json.BeginArray();
      for (std::uint64_t i = cuts.block_begins[b]; i < cuts.block_begins[b + 1]; ++i)
        json.Node(snapshot, cuts.block_nodes[i]);
      json.EndArray();
    }
    json.EndArray();
  });
  reply.headline = std::move(headline);
  reply.closing = std::move(closing);
  return reply;
}

Result<Reply> RunDominators(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const NodeId root, FindAliveNode(snapshot, request.Text("key")));
  connectivity::DominatorsOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  PLEXUS_ASSIGN(options.direction, AskedDirection(workspace, request));
  NodeId to = kNoNode;
  if (request.Given("to")) PLEXUS_SET(to, FindAliveNode(snapshot, request.Text("to")));
  PLEXUS_ASSIGN(connectivity::DominatorsResult result,
                connectivity::Dominators(snapshot, root, options));
  std::vector<NodeId> ends = {root};
  if (to != kNoNode && to != root) ends.push_back(to);
  NoteIndexNodes(workspace.notes(), snapshot, ends, options.filter.kinds);
  // With `to` the way down to one node, else all that is reached, whoever dominates most first.
  std::vector<NodeId> nodes;
  if (to != kNoNode && !result.truncated && (to == root || result.dominators[to] != kNoNode)) {
    for (NodeId v = to; v != kNoNode; v = result.dominators[v]) nodes.push_back(v);
    std::reverse(nodes.begin(), nodes.end());
  } else if (to == kNoNode) {
    for (NodeId v = 0; v < result.dominated.size(); ++v)
      if (v == root || result.dominators[v] != kNoNode) nodes.push_back(v);
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](NodeId a, NodeId b) { return result.dominated[a] > result.dominated[b]; });
  }
  KeepShown(workspace, nodes);
  const std::uint64_t top = request.Count("top");
  std::string headline = Grouped(result.reached) + " nodes reached\n";
  std::string closing =
      More(nodes.size(), top) + Truncated(result.truncated, "no dominators are known");
  Reply reply(
      [snapshot, top, nodes = std::move(nodes), result = std::move(result)](ReplyWriter& json) {
        json.Field("truncated", result.truncated);
        json.Field("reached", result.reached);
        json.Field("total", nodes.size());
        json.Objects("results", First(nodes, top), [&](NodeId v) {
          json.Node("key", snapshot, v);
          if (result.dominators[v] != kNoNode)
            json.Node("dominator", snapshot, result.dominators[v]);
          json.Field("dominated", result.dominated[v]);
        });
      });
  reply.headline = std::move(headline);
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace

void AddConnectivity(Rows& rows) {
  rows.push_back(
      {.name = "forest",
       .group = "Ask",
       .title = "Spanning forest",
       .summary =
           "Find a minimum spanning forest: the lightest edges that keep components connected",
       .parameters = EdgeParameters() + Parameters{Flag("maximum", "the heaviest edges instead"),
                                                   Flag("unweighted", "every edge weighs 1"),
                                                   TopForPeople("list the first K edges; 0 = all")},
       .reply = "truncated:b, weight:x, trees:n, nodes:n, total:n, results:[E]",
       .tables = std::string("results: ") + kEdgeColumns,
       .examples = {{"plexus forest --db roads --kinds road",
                     "the cheapest net that joins all towns"},
                    {"plexus forest --db g --kinds similar --maximum --json",
                     "only the strongest edges that keep similar nodes connected"}},
       .run = RunForest});
  rows.push_back(
      {.name = "cuts",
       .group = "Ask",
       .title = "Articulation points and bridges",
       .summary =
           "List articulation points and bridges: nodes and edges whose removal splits a component",
       .parameters = EdgeParameters() +
                     Parameters{Flag("blocks", "list the biconnected components, too"),
                                TopForPeople("list the first K of each; 0 = all")} +
                     ShownParameters(),
       .reply = "truncated:b, articulation_points:n, bridges:n, blocks:n, largest_block:n, "
                "nodes:[{key:k}], edges:[E], components?:[[k]]",
       .tables = "nodes: key; edges: " + std::string(kEdgeColumns),
       .examples = {{"plexus cuts --db g",
                     "articulation points and bridges, edges read either way"},
                    {"plexus cuts --db g --kinds depends_on --blocks --json",
                     "the same for one kind, and the biconnected components"}},
       .run = RunCuts});
  rows.push_back(
      {.name = "dominators",
       .group = "Ask",
       .title = "Dominators",
       .summary = "List dominators: the nodes that every path from a root passes",
       .parameters =
           Parameters{
               Text("key", "KEY", "the root").Named(Means::kKey).Positional(),
               Text("to", "B", "only what every path to B passes, in order").Named(Means::kKey)} +
           EdgeParameters() +
           Parameters{DirectionParameter({"out", "in"}, "paths from the root, or to it"),
                      TopForPeople("list the first K of those reached; 0 = all")} +
           ShownParameters(),
       .reply = "truncated:b, reached:n, total:n, results:[{key:k, dominator?:k, dominated:n}]",
       .tables = "results: dominated = cut off without it, dominator = hangs by, key",
       .examples = {{"plexus dominators --db g start --top 10",
                     "the nodes on the paths to most others"},
                    {"plexus dominators --db g premise --to conclusion --kinds supports,causes "
                     "--json",
                     "the steps that are on every path from premise to conclusion"}},
       .run = RunDominators});
}

}  // namespace plexus::tools
