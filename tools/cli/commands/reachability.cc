// ancestors, descendants, distances: everything that leads here or follows from here.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/paths/distances.h"
#include "algorithms/traversal/bfs.h"
#include "tools/cli/arguments.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/edge_options.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/cli/table.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/names.h"
#include "tools/operations/reply.h"

namespace plexus::tools {
namespace {

struct ReachArguments : EdgeSelection, BudgetOption {
  std::string key;
  std::optional<std::string> resume;
  std::optional<std::uint64_t> depth, top;
};

Result<int> RunReach(const Globals& globals, const ReachArguments& given, Direction direction) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(const NodeId start, FindAliveNode(snapshot, given.key));
  BfsOptions options;
  if (given.depth && *given.depth < kUnreached)
    options.max_depth = static_cast<std::uint32_t>(*given.depth);
  options.direction = direction;
  PLEXUS_TRY(Select(*session, given, options));
  options.resume = given.resume.value_or("");
  // The start is not among its own ancestors, whatever cycles there are.
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  if (options.run.budget.nodes < Budget::kUnlimited - 1 && !given.resume)
    ++options.run.budget.nodes;
  PLEXUS_ASSIGN(BfsResult result, Bfs(snapshot, {&start, 1}, options));
  NoteIndexNodes(globals, snapshot, {&start, 1}, options.filter.kinds);
  result.nodes.erase(result.nodes.begin());
  const std::uint64_t top = given.top.value_or(globals.json ? 0 : 100);
  const std::size_t shown =
      top == 0 ? result.nodes.size() : std::min<std::size_t>(top, result.nodes.size());
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("truncated", result.truncated);
    if (result.truncated) json.Field("resume", result.resume);
    json.Field("count", result.nodes.size());
    json.BeginArray("nodes");
    for (std::size_t i = 0; i < shown; ++i) {
      json.BeginObject();
      json.Field("key", snapshot.key(result.nodes[i].node));
      json.Field("distance", result.nodes[i].depth);
      json.Field("via", snapshot.key(result.nodes[i].parent));
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  Out() << Grouped(result.nodes.size())
        << (direction == Direction::kIn ? " ancestors" : " descendants")
        << (result.truncated ? ", and more (truncated)" : "") << '\n';
  PrintByDepth(globals, snapshot, "distance", std::span(result.nodes).first(shown));
  if (shown < result.nodes.size())
    Out() << "... " << Grouped(result.nodes.size() - shown) << " more\n";
  if (result.truncated) Out() << "go on with --resume " << result.resume << '\n';
  return kDone;
}

struct DistancesArguments : EdgeSelection, BudgetOption {
  std::string from, cost = "hops", direction = "out";
  std::optional<double> within;
  std::optional<std::uint64_t> top;
};

Result<int> RunDistances(const Globals& globals, const DistancesArguments& given) {
  if (given.within && !(*given.within >= 0))
    return Fail(ErrorCode::kInvalidArgument, "--within is 0 or more");
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(const NodeId from, FindAliveNode(snapshot, given.from));
  DistancesOptions options;
  options.cost = given.cost == "hops"     ? PathCost::kHops
                 : given.cost == "length" ? PathCost::kWeight
                                          : PathCost::kLogWeight;
  PLEXUS_ASSIGN(options.direction, ParseDirection(given.direction));
  PLEXUS_TRY(Select(*session, given, options));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  PLEXUS_ASSIGN(const DistancesResult result, Distances(snapshot, from, options));
  NoteIndexNodes(globals, snapshot, {&from, 1}, options.filter.kinds);
  std::vector<NodeId> nodes;
  const double within = given.within.value_or(INFINITY);
  for (NodeId v = 0; v < snapshot.node_count(); ++v)
    if (std::isfinite(result.distances[v]) && result.distances[v] <= within) nodes.push_back(v);
  const std::size_t found = nodes.size();
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](NodeId a, NodeId b) { return result.distances[a] < result.distances[b]; });
  const std::uint64_t top = given.top.value_or(100);
  if (top > 0 && nodes.size() > top) nodes.resize(top);
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("truncated", result.truncated);
    json.Field("reached", result.reached);
    json.Field("found", found);
    json.BeginArray("nodes");
    for (NodeId node : nodes) {
      json.BeginObject();
      json.Field("key", snapshot.key(node));
      json.Field("distance", result.distances[node]);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  Out() << Grouped(result.reached) << " nodes reached\n";
  Table table;
  table.Column("distance", Table::Align::kRight);
  AddNodeColumns(table, globals, 60);
  for (NodeId node : nodes) {
    std::vector<std::string> row = {Number(result.distances[node])};
    AddNodeCells(row, globals, snapshot, node);
    table.Row(row);
  }
  table.Print(Out());
  PrintTruncated(result.truncated, "these distances are certain, farther nodes are not known");
  return kDone;
}

void AddOneWay(Cli& cli, const std::string& name, const std::string& description,
               ReachArguments& given, Direction direction, const std::string& first,
               const std::string& second) {
  Command& command = AddSelection(
      cli.Add("Ask", name, description,
              [&given, direction](const Globals& globals) {
                return RunReach(globals, given, direction);
              })
          .Positional("KEY", given.key, "of this node")
          .Option("--depth", "D", given.depth, "at most D edges away (default: no limit)"),
      given);
  AddMaxSeconds(AddMaxEdges(AddMaxNodes(command, given), given), given)
      .Option("--resume", "TOKEN", given.resume,
              "go on where a truncated reply of the same question stopped")
      .Option("--top", "K", given.top, "list the first K; 0 = all (default 100, with --json all)")
      .Example("plexus " + name + " --db g m1 --kinds depends_on", first)
      .Example("plexus " + name + " --db g m1 --depth 2 --json", second);
}

}  // namespace

void AddReach(Cli& cli) {
  static ReachArguments ancestors, descendants;
  AddOneWay(cli, "ancestors", "List every node from which edges lead here, nearest first",
            ancestors, Direction::kIn, "all that depends on m1, directly or not",
            "what points at m1, and what points at that");
  AddOneWay(cli, "descendants", "List every node that edges lead to from here, nearest first",
            descendants, Direction::kOut, "all that m1 depends on, directly or not",
            "what m1 points at, and what that points at");

  static DistancesArguments given;
  Command& command = AddSelection(
      cli.Add("Ask", "distances", "Tell what the cheapest path from one node to every other costs",
              [](const Globals& globals) { return RunDistances(globals, given); })
          .Option("--from", "KEY", given.from, "the node to start from")
          .Required()
          .Choice("--cost", given.cost, {"hops", "length", "log"},
                  "of an edge: 1, its weight as a length, or -ln of its weight (default hops)")
          .Choice("--direction", given.direction, {"out", "in", "both"},
                  "which way to walk (default out)"),
      given);
  AddMaxSeconds(command, given)
      .Option("--within", "X", given.within, "list only nodes at a distance of at most X")
      .Option("--top", "K", given.top, "list the K nearest; 0 = all (default 100)")
      .Example("plexus distances --db roads --from home --cost length --within 10",
               "what is within 10 of home")
      .Example("plexus distances --db g --from alice --cost log --direction both --top 0 --json",
               "everything reachable from alice, best product of weights first");
}

}  // namespace plexus::tools
