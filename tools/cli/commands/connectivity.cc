// forest, cuts, dominators, flow: what holds the graph together, and what it hangs by.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/connectivity/biconnectivity.h"
#include "algorithms/connectivity/dominators.h"
#include "algorithms/connectivity/max_flow.h"
#include "algorithms/connectivity/spanning_forest.h"
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

// What the four commands share.
struct Given : EdgeSelection, BudgetOption {
  std::optional<std::uint64_t> top;

  // The first `top` of a list of `count`, all when 0; by default 100, with --json all.
  std::size_t Shown(const Globals& globals, std::size_t count) const {
    const std::uint64_t wanted = top.value_or(globals.json ? 0 : 100);
    return wanted == 0 ? count : std::min<std::size_t>(wanted, count);
  }
};

template <class Options>
Status Fill(Session& session, const Given& given, Options& options) {
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  return Select(session, given, options);
}

Command& AddGiven(Command& command, Given& given) {
  return AddMaxSeconds(AddSelection(command, given), given);
}

void PrintMore(std::size_t shown, std::size_t count) {
  if (shown < count) Out() << "... " << Grouped(count - shown) << " more\n";
}

// One edge a line; keys, or texts with --names.
void PrintEdges(const Globals& globals, const Snapshot& snapshot, std::span<const PathEdge> edges,
                std::size_t shown) {
  Table table;
  table.Column("weight", Table::Align::kRight)
      .Column("from", Table::Align::kLeft, 50)
      .Column("kind");
  table.Column("to", Table::Align::kLeft, 50);
  const auto name = [&](NodeId v) {
    return globals.names ? ShownName(snapshot, v) : ShownKey(snapshot, v);
  };
  for (const PathEdge& e : edges.first(shown))
    table.Row({Number(static_cast<double>(e.weight)), name(e.source),
               snapshot.schema().edge_kind(e.kind).name, name(e.target)});
  table.Print(Out());
  PrintMore(shown, edges.size());
}

struct ForestArguments : Given {
  bool maximum = false, unweighted = false;
};

Result<int> RunForest(const Globals& globals, const ForestArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  SpanningForestOptions options;
  PLEXUS_TRY(Fill(*session, given, options));
  options.maximum = given.maximum;
  options.weighted = !given.unweighted;
  PLEXUS_ASSIGN(SpanningForestResult forest, SpanningForest(snapshot, options));
  if (options.weighted)
    std::stable_sort(forest.edges.begin(), forest.edges.end(),
                     [&](const PathEdge& a, const PathEdge& b) {
                       return given.maximum ? a.weight > b.weight : a.weight < b.weight;
                     });
  const std::size_t shown = given.Shown(globals, forest.edges.size());
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("truncated", forest.truncated);
    json.Field("weight", forest.weight);
    json.Field("trees", forest.trees);
    json.Field("nodes", forest.nodes);
    json.Field("count", forest.edges.size());
    WritePath(json, "edges", snapshot,
              {forest.edges.begin(), forest.edges.begin() + static_cast<std::ptrdiff_t>(shown)});
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  Out() << Grouped(forest.edges.size()) << " edges of weight " << Number(forest.weight) << " join "
        << Grouped(forest.nodes) << " nodes into " << Grouped(forest.trees) << " trees\n";
  PrintEdges(globals, snapshot, forest.edges, shown);
  PrintTruncated(forest.truncated, given.maximum ? "these are the heaviest edges alone"
                                                 : "these are the lightest edges alone");
  return kDone;
}

struct CutsArguments : Given {
  bool blocks = false;
};

void WriteCuts(const Globals& globals, const Snapshot& snapshot, const CutPointsResult& cuts,
               const CutsArguments& given) {
  const auto first = [&](const auto& list) {
    return std::span(list).first(given.Shown(globals, list.size()));
  };
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("truncated", cuts.truncated);
  json.Field("articulation_points", cuts.points.size());
  json.Field("bridges", cuts.bridges.size());
  json.Field("blocks", cuts.blocks);
  json.Field("largest_block", cuts.largest_block);
  json.BeginArray("nodes");
  for (const NodeId v : first(cuts.points)) {
    json.BeginObject();
    json.Field("key", snapshot.key(v));
    json.EndObject();
  }
  json.EndArray();
  const auto edges = first(cuts.bridges);
  WritePath(json, "edges", snapshot, {edges.begin(), edges.end()});
  if (given.blocks) {
    json.BeginArray("components");
    for (std::size_t b = 0; b < given.Shown(globals, cuts.blocks); ++b) {
      json.BeginArray();
      for (std::uint64_t i = cuts.block_begins[b]; i < cuts.block_begins[b + 1]; ++i)
        json.Value(snapshot.key(cuts.block_nodes[i]));
      json.EndArray();
    }
    json.EndArray();
  }
  json.EndObject();
  Out() << '\n';
}

Result<int> RunCuts(const Globals& globals, const CutsArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  CutPointsOptions options;
  PLEXUS_TRY(Fill(*session, given, options));
  options.list_blocks = given.blocks;
  PLEXUS_ASSIGN(const CutPointsResult cuts, CutPoints(snapshot, options));
  if (globals.json) {
    WriteCuts(globals, snapshot, cuts, given);
    return kDone;
  }
  Out() << Grouped(cuts.points.size()) << " articulation points and "
        << Grouped(cuts.bridges.size()) << " bridges among " << Grouped(cuts.nodes) << " nodes; "
        << Grouped(cuts.blocks) << " blocks, the largest of " << Grouped(cuts.largest_block)
        << " nodes\n";
  const std::size_t points = given.Shown(globals, cuts.points.size());
  Table table;
  AddNodeColumns(table, globals, 60);
  for (const NodeId v : std::span(cuts.points).first(points)) {
    std::vector<std::string> row;
    AddNodeCells(row, globals, snapshot, v);
    table.Row(row);
  }
  table.Print(Out());
  PrintMore(points, cuts.points.size());
  PrintEdges(globals, snapshot, cuts.bridges, given.Shown(globals, cuts.bridges.size()));
  for (std::size_t b = 0; given.blocks && b < given.Shown(globals, cuts.blocks); ++b) {
    constexpr std::uint64_t kShownNodes = 12;
    const std::uint64_t begin = cuts.block_begins[b], end = cuts.block_begins[b + 1];
    Out() << "block of " << Grouped(end - begin) << ":";
    for (std::uint64_t i = begin; i < std::min(end, begin + kShownNodes); ++i)
      Out() << ' ' << Escaped(ShownKey(snapshot, cuts.block_nodes[i]));
    Out() << (end - begin > kShownNodes ? " ...\n" : "\n");
  }
  PrintTruncated(cuts.truncated, "what is listed is certain, the rest is not known");
  return kDone;
}

struct DominatorsArguments : Given {
  std::string key, to, direction = "out";
};

Result<int> RunDominators(const Globals& globals, const DominatorsArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(const NodeId root, FindAliveNode(snapshot, given.key));
  DominatorsOptions options;
  PLEXUS_TRY(Fill(*session, given, options));
  PLEXUS_ASSIGN(options.direction, ParseDirection(given.direction));
  NodeId to = kNoNode;
  if (!given.to.empty()) {
    PLEXUS_ASSIGN(to, FindAliveNode(snapshot, given.to));
  }
  PLEXUS_ASSIGN(const DominatorsResult result, Dominators(snapshot, root, options));
  std::vector<NodeId> ends = {root};
  if (to != kNoNode && to != root) ends.push_back(to);
  NoteIndexNodes(globals, snapshot, ends, options.filter.kinds);
  // With --to the way down to one node, else all that is reached, whoever dominates most first.
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
  const std::size_t shown = given.Shown(globals, nodes.size());
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("truncated", result.truncated);
    json.Field("reached", result.reached);
    json.Field("count", nodes.size());
    json.BeginArray("nodes");
    for (const NodeId v : std::span(nodes).first(shown)) {
      json.BeginObject();
      json.Field("key", snapshot.key(v));
      if (result.dominators[v] != kNoNode)
        json.Field("dominator", snapshot.key(result.dominators[v]));
      json.Field("dominated", result.dominated[v]);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  Out() << Grouped(result.reached) << " nodes reached\n";
  Table table;
  table.Column("cut off without it", Table::Align::kRight)
      .Column("hangs by", Table::Align::kLeft, 50);
  AddNodeColumns(table, globals, 60);
  for (const NodeId v : std::span(nodes).first(shown)) {
    const NodeId by = result.dominators[v];
    std::vector<std::string> row = {Grouped(result.dominated[v]), by == kNoNode ? ""
                                                                  : globals.names
                                                                      ? ShownName(snapshot, by)
                                                                      : ShownKey(snapshot, by)};
    AddNodeCells(row, globals, snapshot, v);
    table.Row(row);
  }
  table.Print(Out());
  PrintMore(shown, nodes.size());
  PrintTruncated(result.truncated, "no dominators are known");
  return kDone;
}

struct FlowArguments : Given {
  std::string from, to, capacity = "weight", direction = "out";
};

Result<int> RunFlow(const Globals& globals, const FlowArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(const NodeId from, FindAliveNode(snapshot, given.from));
  PLEXUS_ASSIGN(const NodeId to, FindAliveNode(snapshot, given.to));
  MaxFlowOptions options;
  PLEXUS_TRY(Fill(*session, given, options));
  options.unit_capacities = given.capacity == "unit";
  options.undirected = given.direction == "both";
  PLEXUS_ASSIGN(const MaxFlowResult result, MaxFlow(snapshot, from, to, options));
  const NodeId ends[] = {from, to};
  NoteIndexNodes(globals, snapshot, ends, options.filter.kinds);
  const std::size_t shown = given.Shown(globals, result.cut.size());
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("truncated", result.truncated);
    json.Field("flow", result.flow);
    json.Field("error", result.error);
    json.Field("nodes", result.nodes);
    json.Field("pairs", result.pairs);
    json.Field("source_side", result.source_side);
    json.Field("count", result.cut.size());
    WritePath(json, "cut", snapshot,
              {result.cut.begin(), result.cut.begin() + static_cast<std::ptrdiff_t>(shown)});
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  if (!result.truncated) {
    Out() << "flow " << Number(result.flow, 9);
    if (result.error > 0) Out() << " (off by " << Number(result.error, 2) << " at most)";
    Out() << ", cut by " << Grouped(result.cut.size())
          << (result.cut.size() == 1 ? " edge" : " edges") << "; " << Grouped(result.nodes)
          << " nodes lie between\n";
    PrintEdges(globals, snapshot, result.cut, shown);
  }
  PrintTruncated(result.truncated, "the flow is not known");
  return kDone;
}

}  // namespace

void AddConnections(Cli& cli) {
  static ForestArguments forest;
  AddGiven(
      cli.Add("Ask", "forest",
              "Find the lightest edges that keep everything together (minimum spanning forest)",
              [](const Globals& globals) { return RunForest(globals, forest); }),
      forest)
      .Flag("--maximum", forest.maximum, "the heaviest edges instead")
      .Flag("--unweighted", forest.unweighted, "every edge weighs 1")
      .Option("--top", "K", forest.top,
              "list the first K edges; 0 = all (default 100, with --json all)")
      .Example("plexus forest --db roads --kinds road", "the cheapest net that joins all towns")
      .Example("plexus forest --db g --kinds similar --maximum --json",
               "the backbone of likeness: the strongest ties alone");

  static CutsArguments cuts;
  AddGiven(cli.Add("Ask", "cuts", "List the nodes and edges without which the graph falls apart",
                   [](const Globals& globals) { return RunCuts(globals, cuts); }),
           cuts)
      .Flag("--blocks", cuts.blocks, "list the biconnected components, too")
      .Option("--top", "K", cuts.top,
              "list the first K of each; 0 = all (default 100, with --json all)")
      .Example("plexus cuts --db g", "articulation points and bridges, edges read either way")
      .Example("plexus cuts --db g --kinds depends_on --blocks --json",
               "the same of one kind, and what holds together without them");

  static DominatorsArguments dominators;
  AddGiven(cli.Add("Ask", "dominators",
                   "Tell what everything that follows from a node has to pass through",
                   [](const Globals& globals) { return RunDominators(globals, dominators); })
               .Positional("KEY", dominators.key, "the root")
               .Option("--to", "B", dominators.to, "only what every path to B passes, in order"),
           dominators)
      .Choice("--direction", dominators.direction, {"out", "in"},
              "paths from the root, or to it (default out)")
      .Option("--top", "K", dominators.top,
              "list the first K of those reached; 0 = all (default 100, with --json all)")
      .Example("plexus dominators --db g start --top 10",
               "the nodes that most would be cut off without")
      .Example("plexus dominators --db g premise --to conclusion --kinds supports,causes --json",
               "the steps that no argument from premise to conclusion can leave out");

  static FlowArguments flow;
  AddGiven(cli.Add("Ask", "flow", "Find the maximum flow and the minimum cut between two nodes",
                   [](const Globals& globals) { return RunFlow(globals, flow); })
               .Option("--from", "A", flow.from, "the source's key")
               .Required()
               .Option("--to", "B", flow.to, "the sink's key")
               .Required(),
           flow)
      .Choice("--capacity", flow.capacity, {"weight", "unit"},
              "of an edge: its weight, or 1 (default weight)")
      .Choice("--direction", flow.direction, {"out", "both"},
              "edges carry one way, or either (default out)")
      .Option("--top", "K", flow.top,
              "list the first K edges of the cut; 0 = all (default 100, with --json all)")
      .Example("plexus flow --db pipes --from spring --to town",
               "how much gets through, and the bottleneck")
      .Example("plexus flow --db g --from alice --to dave --capacity unit --direction both --json",
               "how many paths without a common edge join alice and dave");
}

}  // namespace plexus::tools
