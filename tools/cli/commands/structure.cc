// triangles, kcore, betweenness: how the graph is knit, and who holds it together.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/centrality/betweenness.h"
#include "algorithms/common/score_ranking.h"
#include "algorithms/community/kcore.h"
#include "algorithms/community/triangles.h"
#include "tools/cli/arguments.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/rank_options.h"
#include "tools/cli/session.h"
#include "tools/cli/table.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/names.h"
#include "tools/operations/reply.h"

namespace plexus::tools {
namespace {

struct TrianglesArguments : RankedSelection {
  bool total = false, directed = false;
};

Result<int> RunTriangles(const Globals& globals, const TrianglesArguments& given) {
  PLEXUS_TRY(NotTogether(given.total, "--total", given.directed, "--directed"));
  PLEXUS_TRY(NotTogether(given.total, "--total", given.top.has_value(), "--top"));
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  TrianglesOptions options;
  PLEXUS_TRY(Select(*session, given, options));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  PLEXUS_ASSIGN(const TrianglesResult counted, Triangles(snapshot, options));
  ClusteringResult nodes;
  std::vector<ScoredNode> top;
  if (!given.total) {
    ClusteringOptions wanted;
    wanted.directed = given.directed;
    PLEXUS_TRY(Select(*session, given, wanted));
    wanted.run.budget = options.run.budget;
    PLEXUS_ASSIGN(nodes, Clustering(snapshot, wanted));
    const std::vector<double> scores(nodes.triangles.begin(), nodes.triangles.end());
    PLEXUS_ASSIGN(top, Best(scores, given));
  }
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("triangles", counted.triangles);
    json.Field("nodes_total", counted.nodes);
    json.Field("edges", counted.edges);
    json.Field("wedges", counted.wedges);
    json.Field("transitivity", counted.transitivity);
    json.Field("truncated", counted.truncated);
    if (!given.total) {
      json.Field("average_clustering", nodes.average);
      json.BeginArray("nodes");
      for (const ScoredNode& node : top) {
        json.BeginObject();
        json.Field("key", snapshot.key(node.node));
        json.Field("triangles", nodes.triangles[node.node]);
        json.Field("neighbors", nodes.degrees[node.node]);
        json.Field("clustering", nodes.coefficients[node.node]);
        json.EndObject();
      }
      json.EndArray();
    }
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  Out() << Grouped(counted.triangles) << " triangles among " << Grouped(counted.nodes)
        << " nodes and " << Grouped(counted.edges) << " pairs of neighbours, transitivity "
        << Number(counted.transitivity, 4);
  if (!given.total) Out() << ", average clustering " << Number(nodes.average, 4);
  if (counted.truncated) Out() << "; at least: not all edges were looked at (truncated)";
  Out() << '\n';
  if (given.total) return kDone;
  Table table;
  const auto right = Table::Align::kRight;
  table.Column("triangles", right).Column("neighbours", right).Column("clustering", right);
  AddNodeColumns(table, globals, 60);
  for (const ScoredNode& node : top) {
    std::vector<std::string> row = {Grouped(nodes.triangles[node.node]),
                                    Grouped(nodes.degrees[node.node]),
                                    Number(nodes.coefficients[node.node], 4)};
    AddNodeCells(row, globals, snapshot, node.node);
    table.Row(row);
  }
  table.Print(Out());
  return kDone;
}

struct KCoreArguments : RankedSelection {
  std::optional<std::uint64_t> least;
};

Result<int> RunKCore(const Globals& globals, const KCoreArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  KCoreOptions options;
  PLEXUS_TRY(Select(*session, given, options));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  PLEXUS_ASSIGN(const KCoreResult result, KCore(snapshot, options));
  const std::uint64_t least = given.least.value_or(0);
  const auto wanted = [&](NodeId v) {
    return result.cores[v] != KCoreResult::kNotSelected && result.cores[v] >= least;
  };
  std::uint64_t found = 0;
  for (NodeId v = 0; v < snapshot.node_count(); ++v) found += wanted(v);
  const std::vector<double> scores(result.cores.begin(), result.cores.end());
  PLEXUS_ASSIGN(const std::vector<ScoredNode> top, Best(scores, given, wanted));
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("degeneracy", result.degeneracy);
    json.Field("truncated", result.truncated);
    json.BeginArray("cores");  // how many nodes have which core number
    for (std::size_t k = 0; k < result.sizes.size(); ++k) {
      if (result.sizes[k] == 0) continue;
      json.BeginObject();
      json.Field("core", k);
      json.Field("nodes", result.sizes[k]);
      json.EndObject();
    }
    json.EndArray();
    json.Field("found", found);
    json.BeginArray("nodes");
    for (const ScoredNode& node : top) {
      json.BeginObject();
      json.Field("key", snapshot.key(node.node));
      json.Field("core", result.cores[node.node]);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  Out() << "the densest core is the " << result.degeneracy << "-core; " << Grouped(found)
        << " nodes stand in the " << least << "-core"
        << (result.truncated ? "; at least: not all edges were followed (truncated)" : "") << '\n';
  Table table;
  table.Column("core", Table::Align::kRight);
  AddNodeColumns(table, globals, 60);
  for (const ScoredNode& node : top) {
    std::vector<std::string> row = {std::to_string(result.cores[node.node])};
    AddNodeCells(row, globals, snapshot, node.node);
    table.Row(row);
  }
  table.Print(Out());
  return kDone;
}

struct BetweennessArguments : RankedSelection {
  std::optional<std::uint64_t> samples, seed, max_hops;
  bool directed = false;
};

Result<int> RunBetweenness(const Globals& globals, const BetweennessArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  BetweennessOptions options;
  PLEXUS_TRY(Select(*session, given, options));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  options.undirected = !given.directed;
  options.samples = given.samples.value_or(0);
  options.seed = given.seed.value_or(1);
  if (given.max_hops && *given.max_hops < options.max_hops)
    options.max_hops = static_cast<std::uint32_t>(*given.max_hops);
  PLEXUS_ASSIGN(const BetweennessResult result, Betweenness(snapshot, options));
  PLEXUS_ASSIGN(const std::vector<ScoredNode> top, Best(result.scores, given));
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("exact", result.exact);
    json.Field("sources", result.sources);
    json.Field("bound", result.bound);
    json.Field("truncated", result.truncated);
    json.BeginArray("nodes");
    for (const ScoredNode& node : top) {
      json.BeginObject();
      json.Field("key", snapshot.key(node.node));
      json.Field("score", node.score);
      json.Field("share", result.shares[node.node]);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  Table table;
  const auto right = Table::Align::kRight;
  table.Column("score", right).Column("of all pairs", right);
  AddNodeColumns(table, globals, 60);
  for (const ScoredNode& node : top) {
    std::vector<std::string> row = {Number(node.score, 6),
                                    Number(result.shares[node.node] * 100, 3) + " %"};
    AddNodeCells(row, globals, snapshot, node.node);
    table.Row(row);
  }
  table.Print(Out());
  if (result.exact)
    Out() << "exact, from all " << Grouped(result.sources) << " nodes\n";
  else
    Out() << "estimated from " << Grouped(result.sources) << " of " << Grouped(result.nodes)
          << " nodes: no share is off by more than " << Number(result.bound * 100, 3)
          << " %, with probability 0.9\n";
  PrintTruncated(result.truncated, "from the nodes that were searched by then");
  return kDone;
}

}  // namespace

void AddStructure(Cli& cli) {
  static TrianglesArguments triangles;
  AddRanked(
      cli.Add("Ask", "triangles", "Count triangles; tell how closely a node's neighbours are knit",
              [](const Globals& globals) { return RunTriangles(globals, triangles); })
          .Flag("--total", triangles.total, "the counts alone, which is faster")
          .Option("--max-edges", "N", triangles.max_edges,
                  "look at N edges and say truncated (default: no limit)")
          .Flag("--directed", triangles.directed,
                "clustering counts directions (LDBC Graphalytics' LCC)"),
      triangles)
      .Example("plexus triangles --db g", "how many, and the nodes that are in most of them")
      .Example("plexus triangles --db g --kinds knows --top 0 --json",
               "the clustering coefficient of all who are in a triangle");

  static KCoreArguments cores;
  AddRanked(cli.Add("Ask", "kcore", "Tell how deep in the dense part of the graph nodes stand",
                    [](const Globals& globals) { return RunKCore(globals, cores); })
                .Option("--max-nodes", "N", cores.max_nodes,
                        "take N nodes away and say truncated (default: no limit)")
                .Option("--max-edges", "N", cores.max_edges,
                        "follow N edges and say truncated (default: no limit)")
                .Option("--least", "K", cores.least, "only nodes of the K-core"),
            cores, "")
      .Example("plexus kcore --db g --top 10", "ten of the nodes deepest in")
      .Example("plexus kcore --db g --least 3 --top 0 --json",
               "the 3-core, each node with its core number");

  static BetweennessArguments between;
  AddRanked(cli.Add("Ask", "betweenness", "Rank nodes by the shortest paths that lead over them",
                    [](const Globals& globals) { return RunBetweenness(globals, between); })
                .Option("--samples", "N", between.samples,
                        "search from N nodes (default: all up to 100,000, else 1,024)")
                .Option("--seed", "S", between.seed, "of the sample (default 1)")
                .Option("--max-hops", "H", between.max_hops,
                        "only paths of at most H edges (default: no limit)")
                .Flag("--directed", between.directed,
                      "paths follow the edges' directions (default: either way)"),
            between)
      .Example("plexus betweenness --db g --top 10", "the ten nodes that connect most")
      .Example("plexus betweenness --db g --samples 256 --json",
               "an estimate from 256 nodes, with its bound");
}

}  // namespace plexus::tools
