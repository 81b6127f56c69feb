// bfs, ancestors, descendants: what can be reached, nearest first.
#include "algorithms/traversal/traversal.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

std::uint32_t DepthOf(const Request& request) {
  const auto depth = request.MaybeCount("depth");
  return depth && *depth < traversal::kUnreached ? static_cast<std::uint32_t>(*depth)
                                                 : traversal::BfsOptions().max_depth;
}

// Level sizes of many searches; more than 64 go 64 at a time.
Result<Reply> RunEach(Workspace& workspace, const Request& request,
                      const std::vector<NodeId>& sources) {
  const Snapshot& snapshot = workspace.snapshot();
  traversal::MultiBfsOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  options.max_depth = DepthOf(request);
  PLEXUS_ASSIGN(options.direction, AskedDirection(workspace, request));
  std::vector<std::vector<std::uint64_t>> levels;
  bool truncated = false;
  for (std::size_t first = 0; first < sources.size(); first += traversal::kBfsLanes) {
    const auto some =
        std::span(sources).subspan(first, std::min(traversal::kBfsLanes, sources.size() - first));
    PLEXUS_ASSIGN(traversal::MultiBfsResult result, traversal::MultiBfs(snapshot, some, options));
    truncated |= result.truncated;
    for (auto& sizes : result.levels) levels.push_back(std::move(sizes));
  }
  NoteIndexNodes(workspace.notes(), snapshot, sources, options.filter.kinds);
  Reply reply([snapshot, sources, levels = std::move(levels), truncated](ReplyWriter& json) {
    json.Field("truncated", truncated);
    json.BeginArray("sources");
    for (std::size_t i = 0; i < sources.size(); ++i) {
      json.BeginObject();
      json.Node("key", snapshot, sources[i]);
      json.Field("reached", std::accumulate(levels[i].begin(), levels[i].end(), std::uint64_t{0}));
      json.Values("levels", levels[i]);
      json.EndObject();
    }
    json.EndArray();
  });
  reply.closing = Truncated(truncated, "deeper levels may be missing");
  return reply;
}

Result<Reply> RunBfs(Workspace& workspace, const Request& request) {
  for (const char* lists : {"top", "show_kinds", "show_where"})
    PLEXUS_TRY(NotTogether(request, "each", lists));
  PLEXUS_TRY(NotTogether(request, "each", "resume"));
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const std::vector<NodeId> sources, FindAliveNodes(snapshot, request.List("from")));
  if (request.Flag("each")) return RunEach(workspace, request, sources);
  traversal::BfsOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  options.max_depth = DepthOf(request);
  PLEXUS_ASSIGN(options.direction, AskedDirection(workspace, request));
  options.resume = request.Text("resume");
  PLEXUS_ASSIGN(traversal::BfsResult result, traversal::Bfs(snapshot, sources, options));
  NoteIndexNodes(workspace.notes(), snapshot, sources, options.filter.kinds);
  std::vector<std::uint64_t> levels;
  for (const traversal::BfsNode& node : result.nodes) {
    if (node.depth >= levels.size()) levels.resize(node.depth + 1);
    ++levels[node.depth];
  }
  std::string headline = Grouped(result.nodes.size()) + " nodes reached; by depth:";
  for (std::uint64_t count : levels) headline += " " + Grouped(count);
  KeepShown(workspace, result.nodes, &traversal::BfsNode::node);
  const std::string resume = result.resume;
  const bool truncated = result.truncated;
  Reply reply([snapshot, levels = std::move(levels), result = std::move(result),
               top = request.Count("top")](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    if (result.truncated) json.Field("resume", result.resume);
    json.Field("total", result.nodes.size());
    json.Values("levels", levels);
    json.Objects("results", First(result.nodes, top), [&](const traversal::BfsNode& node) {
      json.Node("key", snapshot, node.node);
      json.Field("depth", node.depth);
      if (node.parent != kNoNode) json.Node("parent", snapshot, node.parent);
    });
  });
  reply.headline = headline + "\n";
  reply.closing = Truncated(truncated, "these are the nearest, there may be more");
  if (truncated) reply.closing += "go on with " + request.Name("resume", resume) + "\n";
  return reply;
}

Result<Reply> OneWay(Workspace& workspace, const Request& request, Direction direction) {
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const NodeId start, FindAliveNode(snapshot, request.Text("key")));
  traversal::BfsOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  options.max_depth = DepthOf(request);
  PLEXUS_ASSIGN(options.direction, AsStored(workspace.schema(), request.List("kinds"), direction));
  options.resume = request.Text("resume");
  // The start is not among its own ancestors, whatever cycles there are.
  Budget& budget = options.run.budget;
  if (budget.nodes < Budget::kUnlimited - 1 && !request.Given("resume")) ++budget.nodes;
  PLEXUS_ASSIGN(traversal::BfsResult result, traversal::Bfs(snapshot, {&start, 1}, options));
  NoteIndexNodes(workspace.notes(), snapshot, {&start, 1}, options.filter.kinds);
  result.nodes.erase(result.nodes.begin());
  const std::uint64_t top = request.Count("top");
  std::string headline = Grouped(result.nodes.size()) +
                         (direction == Direction::kIn ? " ancestors" : " descendants") +
                         (result.truncated ? ", and more (truncated)" : "") + "\n";
  KeepShown(workspace, result.nodes, &traversal::BfsNode::node);
  std::string closing = More(result.nodes.size(), top);
  if (result.truncated) closing += "go on with " + request.Name("resume", result.resume) + "\n";
  Reply reply([snapshot, top, result = std::move(result)](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    if (result.truncated) json.Field("resume", result.resume);
    json.Field("total", result.nodes.size());
    json.Objects("results", First(result.nodes, top), [&](const traversal::BfsNode& node) {
      json.Node("key", snapshot, node.node);
      json.Field("distance", node.depth);
      json.Node("via", snapshot, node.parent);
    });
  });
  reply.headline = std::move(headline);
  reply.closing = std::move(closing);
  return reply;
}

Result<Reply> RunAncestors(Workspace& workspace, const Request& request) {
  return OneWay(workspace, request, Direction::kIn);
}
Result<Reply> RunDescendants(Workspace& workspace, const Request& request) {
  return OneWay(workspace, request, Direction::kOut);
}

Operation OneWayRow(const char* name, const char* title, const char* summary, const char* first,
                    const char* second, Result<Reply> (*run)(Workspace&, const Request&)) {
  return {
      .name = name,
      .group = "Ask",
      .title = title,
      .summary = summary,
      .parameters = Parameters{Text("key", "KEY", "of this node").Named(Means::kKey).Positional(),
                               Count("depth", "D", "at most D edges away (default: no limit)")} +
                    EdgeParameters() +
                    Parameters{MaxNodes(), MaxEdges(), ResumeParameter(), TopForPeople()} +
                    ShownParameters(),
      .reply = "truncated:b, resume?:s, total:n, results:[{key:k, distance:n, via:k}]",
      .tables = "results: distance, key",
      .examples = {{"plexus " + std::string(name) + " --db g m1 --kinds depends_on", first},
                   {"plexus " + std::string(name) + " --db g m1 --depth 2 --json", second}},
      .run = run};
}

}  // namespace

void AddBfs(Rows& rows) {
  rows.push_back(
      {.name = "bfs",
       .group = "Ask",
       .title = "Breadth-first search",
       .summary = "List the nodes that can be reached, nearest first",
       .parameters =
           Parameters{
               Repeated("from", "KEY", "start here; repeatable").Named(Means::kKey).OrPositional(),
               Flag("each",
                    "one search from each start, 64 at once (limits hold for each 64): how many "
                    "nodes it reaches at each depth"),
               Count("depth", "D", "at most D edges away (default: no limit)"),
               DirectionParameter({"out", "in", "both"}, "which way to walk")} +
           EdgeParameters() + Parameters{MaxNodes(), MaxEdges(), ResumeParameter(), Top(100)} +
           ShownParameters(),
       .reply = "truncated:b, resume?:s, total?:n, levels?:[n], "
                "results?:[{key:k, depth:n, parent?:k}], sources?:[{key:k, reached:n, levels:[n]}]",
       .tables = "results: depth, key; sources: reached, levels = by depth, key",
       .examples = {{"plexus bfs --db g --from alice --depth 2", "everything two edges from alice"},
                    {"plexus bfs --db g --from alice --from bob --each",
                     "how many nodes each of them reaches"},
                    {"plexus bfs --db g --from m1 --direction in --kinds depends_on --top 0 --json",
                     "all that depends on m1, directly or not"}},
       .run = RunBfs});
  rows.push_back(OneWayRow("ancestors", "All that leads here",
                           "List every node from which edges lead here, nearest first",
                           "all that depends on m1, directly or not",
                           "what points at m1, and what points at that", RunAncestors));
  rows.push_back(OneWayRow("descendants", "All that follows from here",
                           "List every node that edges lead to from here, nearest first",
                           "all that m1 depends on, directly or not",
                           "what m1 points at, and what that points at", RunDescendants));
}

}  // namespace plexus::tools
