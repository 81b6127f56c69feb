// path: the shortest ways between two nodes, by edges or by weights.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algorithms/paths/shortest_path.h"
#include "tools/cli/arguments.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/edge_options.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/names.h"
#include "tools/operations/reply.h"

namespace plexus::tools {
namespace {

struct PathArguments : EdgeSelection, BudgetOption {
  std::string from, to, cost, column;
  bool weighted = false;
  std::optional<std::uint64_t> count;
  std::string direction = "out";
};

Result<ShortestPathOptions> Options(Session& session, const PathArguments& given) {
  ShortestPathOptions options;
  if (!given.column.empty() && (given.weighted || !given.cost.empty()))
    return Fail(ErrorCode::kInvalidArgument, std::string(given.weighted ? "--weighted" : "--cost") +
                                                 " and --column exclude each other");
  if (given.weighted && !given.cost.empty() && given.cost != "log")
    return Fail(ErrorCode::kInvalidArgument,
                "--weighted is --cost log and excludes --cost " + given.cost);
  if (given.weighted || given.cost == "log") options.cost = PathCost::kLogWeight;
  if (given.cost == "length") options.cost = PathCost::kWeight;
  if (!given.column.empty()) {
    const auto column = session.schema().FindColumn(given.column);
    if (!column) {
      std::vector<std::string> names;
      for (const Column& known : session.schema().columns()) names.push_back(known.name);
      return Fail(ErrorCode::kInvalidArgument,
                  "no column '" + given.column + "'" + DidYouMean(given.column, names));
    }
    options.cost = PathCost::kColumn;
    options.column = *column;
  }
  const std::uint64_t count = given.count.value_or(1);
  if (count < 1 || count > 1000) return Fail(ErrorCode::kInvalidArgument, "--count is 1 to 1000");
  options.count = static_cast<int>(count);
  PLEXUS_ASSIGN(options.direction, ParseDirection(given.direction));
  PLEXUS_TRY(Select(session, given, options));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  return options;
}

// Ways that there are, but not at this cost: -ln 0 is infinite. Empty when that is not so.
Result<std::string> WhyTooCostly(const Snapshot& snapshot, ShortestPathOptions options, NodeId from,
                                 NodeId to) {
  if (options.cost != PathCost::kLogWeight) return std::string();
  options.cost = PathCost::kHops;
  options.count = 1;
  PLEXUS_ASSIGN(const ShortestPathResult any, ShortestPath(snapshot, from, to, options));
  if (any.paths.empty()) return std::string();
  const auto& edges = any.paths[0].edges;
  const auto zero = std::ranges::find_if(edges, [](const PathEdge& e) { return e.weight == 0; });
  if (zero == edges.end()) return std::string();
  return "every way leads over an edge of weight 0, whose cost -ln 0 is infinite: " +
         ShownKey(snapshot, zero->source) + " " + snapshot.schema().edge_kind(zero->kind).name +
         " " + ShownKey(snapshot, zero->target) +
         "; without --weighted (--cost hops) there is one of " + std::to_string(edges.size()) +
         (edges.size() == 1 ? " edge" : " edges");
}

// Why there can be none: an index node at an end that no edge of the kinds followed touches.
// Empty when that is not so.
std::string WhyNone(const Snapshot& snapshot, const ShortestPathOptions& options, NodeId from,
                    NodeId to) {
  const ArcFilter followed = ArcFilter::Kinds(snapshot.schema(), options.filter.kinds);
  for (NodeId end : {from, to}) {
    if (snapshot.is_fact(end)) continue;
    bool touched = false;
    std::set<EdgeKindId> kinds;
    snapshot.ForEachArc(Direction::kBoth, end, ArcFilter::All(), [&](const Arc& arc) {
      kinds.insert(arc.kind);
      touched = touched || followed.allows(arc.kind);
    });
    if (touched) continue;
    std::string why =
        ShownKey(snapshot, end) + " is an index node and no " +
        (options.filter.kinds.empty() ? "edge between facts" : "edge of the kinds named") +
        " touches it";
    if (!kinds.empty()) why += "; name kinds that do with --kinds: ";
    for (const char* between = ""; EdgeKindId kind : kinds) {
      why += between + snapshot.schema().edge_kind(kind).name;
      between = ",";
    }
    return why;
  }
  return "";
}

void WritePaths(const Snapshot& snapshot, const ShortestPathResult& result,
                const std::string& why) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("truncated", result.truncated);
  if (!why.empty()) json.Field("why", why);
  json.BeginArray("paths");
  for (const FoundPath& path : result.paths) {
    json.BeginObject();
    json.Field("cost", path.cost);
    json.Field("hops", path.edges.size());
    WritePath(json, "edges", snapshot, path.edges);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  Out() << '\n';
}

// One node a line, so that long names stay readable.
void PrintPath(const Globals& globals, const Snapshot& snapshot, const FoundPath& path,
               bool weighted) {
  Out() << path.edges.size() << (path.edges.size() == 1 ? " edge" : " edges") << ", cost "
        << Number(path.cost);
  if (weighted) Out() << " (product of weights " << Number(std::exp(-path.cost), 4) << ")";
  Out() << '\n';
  for (std::size_t i = 0; i < path.nodes.size(); ++i) {
    const NodeId node = path.nodes[i];
    if (i > 0) {
      const PathEdge& edge = path.edges[i - 1];
      const EdgeKind& kind = snapshot.schema().edge_kind(edge.kind);
      const std::string words =
          kind.name + (edge.weight == 1.0f ? "" : " " + Number(edge.weight, 3));
      const bool forward = edge.source == path.nodes[i - 1];
      Out() << "    " << (kind.symmetric || forward ? "--" : "<--") << Escaped(words)
            << (kind.symmetric || !forward ? "--" : "-->") << '\n';
    }
    const std::string shown = globals.names
                                  ? ShownName(snapshot, node)
                                  : ShownKey(snapshot, node) + "  " + TextHead(snapshot, node);
    Out() << "  " << Cut(Escaped(shown), 100) << '\n';
  }
}

Result<int> RunPath(const Globals& globals, const PathArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(const NodeId from, FindAliveNode(snapshot, given.from));
  PLEXUS_ASSIGN(const NodeId to, FindAliveNode(snapshot, given.to));
  PLEXUS_ASSIGN(const ShortestPathOptions options, Options(*session, given));
  PLEXUS_ASSIGN(const ShortestPathResult result, ShortestPath(snapshot, from, to, options));
  std::string why;
  if (result.paths.empty() && !result.truncated) {
    why = WhyNone(snapshot, options, from, to);
    if (why.empty()) {
      PLEXUS_ASSIGN(why, WhyTooCostly(snapshot, options, from, to));
    }
  }
  if (globals.json) {
    WritePaths(snapshot, result, why);
    return kDone;
  }
  for (std::size_t i = 0; i < result.paths.size(); ++i) {
    if (i > 0) Out() << '\n';
    PrintPath(globals, snapshot, result.paths[i], options.cost == PathCost::kLogWeight);
  }
  if (result.truncated) {
    Out() << "truncated: the budget ran out\n";
  } else if (result.paths.empty()) {
    const auto name = [&](NodeId node) {
      return Escaped(globals.names ? ShownName(snapshot, node) : ShownKey(snapshot, node));
    };
    Out() << "no path from " << name(from) << " to " << name(to);
    if (!why.empty())
      Out() << ": " << Escaped(why);
    else if (options.direction != Direction::kBoth)
      Out() << "; --direction both walks edges either way";
    Out() << '\n';
  }
  return kDone;
}

}  // namespace

void AddPath(Cli& cli) {
  static PathArguments given;
  Command& command = cli.Add("Ask", "path", "Find the shortest paths between two nodes",
                             [](const Globals& globals) { return RunPath(globals, given); });
  AddMaxSeconds(AddMaxEdges(AddMaxNodes(command, given), given), given)
      .Option("--from", "A", given.from, "the first node's key")
      .Required()
      .Option("--to", "B", given.to, "the last node's key")
      .Required()
      .Choice("--cost", given.cost, {"hops", "length", "log"},
              "of an edge: 1, its weight as a length, or -ln of its weight (default hops)")
      .Flag("--weighted", given.weighted, "the best product of weights: the same as --cost log")
      .Option("--column", "NAME", given.column, "cost = this column of the nodes stepped into")
      .Option("--count", "K", given.count, "the K best paths, 1 to 1000 (default 1)")
      .Choice("--direction", given.direction, {"out", "in", "both"},
              "which way to walk (default out)")
      .List("--kinds", "A,B", given.kinds, "only these edge kinds (default: all facts)")
      .Option("--valid-at", "TIME", given.valid_at,
              "follow only edges valid then, or now (default: all)")
      .Example("plexus path --db g --from alice --to dave", "the fewest edges from alice to dave")
      .Example("plexus path --db g --from alice --to dave --weighted --count 3 --json",
               "the three best products of weights, for a script")
      .Example("plexus path --db roads --from home --to work --cost length",
               "the shortest way by road");
}

}  // namespace plexus::tools
