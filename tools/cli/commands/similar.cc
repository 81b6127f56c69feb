// similar: nodes that share neighbours: near one node, of given pairs, of the whole graph.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/similarity/similarity.h"
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

struct SimilarArguments : EdgeSelection, BudgetOption {
  std::optional<std::string> of;
  std::vector<std::string> with;
  std::string measure = "jaccard", direction = "both";
  std::optional<std::uint64_t> top, least;
};

SimilarityMeasure MeasureNamed(const std::string& name) {
  if (name == "jaccard") return SimilarityMeasure::kJaccard;
  if (name == "overlap") return SimilarityMeasure::kOverlap;
  if (name == "adamic-adar") return SimilarityMeasure::kAdamicAdar;
  return name == "resource" ? SimilarityMeasure::kResourceAllocation : SimilarityMeasure::kCommon;
}

Result<int> ShowNodes(const Globals& globals, const Snapshot& snapshot, NodeId of,
                      const SimilarityOptions& options) {
  PLEXUS_ASSIGN(const SimilarNodesResult result, SimilarNodes(snapshot, of, options));
  const bool counted = options.measure == SimilarityMeasure::kJaccard ||
                       options.measure == SimilarityMeasure::kOverlap;
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("truncated", result.truncated);
    json.Field("neighbors", result.neighbors);
    json.Field("candidates", result.candidates);
    json.BeginArray("nodes");
    for (const SimilarNeighbor& node : result.nodes) {
      json.BeginObject();
      json.Field("key", snapshot.key(node.node));
      json.Field("score", node.score);
      json.Field("shared", node.shared);
      if (counted) json.Field("neighbors", node.neighbors);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  Out() << Grouped(result.candidates) << " nodes share some of " << Grouped(result.neighbors)
        << " neighbours" << (result.truncated ? "; not all were looked at" : "") << '\n';
  Table table;
  const auto right = Table::Align::kRight;
  table.Column("score", right).Column("shared", right);
  AddNodeColumns(table, globals, 60);
  for (const SimilarNeighbor& node : result.nodes) {
    std::vector<std::string> row = {Number(node.score, 4), Grouped(node.shared)};
    AddNodeCells(row, globals, snapshot, node.node);
    table.Row(row);
  }
  table.Print(Out());
  return kDone;
}

int ShowPairs(const Globals& globals, const Snapshot& snapshot,
              const std::vector<PairSimilarity>& pairs, bool truncated) {
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("truncated", truncated);
    json.BeginArray("pairs");
    for (const PairSimilarity& pair : pairs) {
      json.BeginObject();
      json.Field("a", snapshot.key(pair.a));
      json.Field("b", snapshot.key(pair.b));
      json.Field("score", pair.score);
      json.Field("shared", pair.shared);
      json.Field("neighbors_a", pair.neighbors_a);
      json.Field("neighbors_b", pair.neighbors_b);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  Table table;
  const auto right = Table::Align::kRight;
  table.Column("score", right)
      .Column("shared", right)
      .Column("one", Table::Align::kLeft, 50)
      .Column("other", Table::Align::kLeft, 50);
  for (const PairSimilarity& pair : pairs)
    table.Row({Number(pair.score, 4), Grouped(pair.shared),
               globals.names ? ShownName(snapshot, pair.a) : ShownKey(snapshot, pair.a),
               globals.names ? ShownName(snapshot, pair.b) : ShownKey(snapshot, pair.b)});
  table.Print(Out());
  if (truncated) Out() << "not all pairs were looked at\n";
  return kDone;
}

Result<int> RunSimilar(const Globals& globals, const SimilarArguments& given) {
  if (!given.with.empty() && !given.of)
    return Fail(ErrorCode::kInvalidArgument, "--with needs --of: which node is compared?");
  PLEXUS_TRY(NotTogether(!given.with.empty(), "--with", given.least.has_value(), "--least"));
  PLEXUS_TRY(NotTogether(!given.with.empty(), "--with", given.top.has_value(), "--top"));
  if (given.least && *given.least == 0)
    return Fail(ErrorCode::kInvalidArgument,
                "--least is 1 or more: who shares nothing is never listed");
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  SimilarityOptions options;
  options.measure = MeasureNamed(given.measure);
  PLEXUS_ASSIGN(options.direction, ParseDirection(given.direction));
  PLEXUS_TRY(Select(*session, given, options));
  options.top = given.top.value_or(20);
  options.least_shared = given.least.value_or(1);
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  if (!given.of) {
    PLEXUS_ASSIGN(const SimilarPairsResult result, SimilarPairs(snapshot, options));
    return ShowPairs(globals, snapshot, result.pairs, result.truncated);
  }
  PLEXUS_ASSIGN(const NodeId of, FindAliveNode(snapshot, *given.of));
  std::vector<NodeId> named = {of};
  for (const std::string& key : given.with) {
    PLEXUS_ASSIGN(const NodeId other, FindAliveNode(snapshot, key));
    named.push_back(other);
  }
  NoteIndexNodes(globals, snapshot, named, options.filter.kinds);
  if (given.with.empty()) return ShowNodes(globals, snapshot, of, options);
  std::vector<NodePair> pairs;
  for (const NodeId other : std::span(named).subspan(1)) pairs.push_back({of, other});
  PLEXUS_ASSIGN(const PairSimilaritiesResult result, PairSimilarities(snapshot, pairs, options));
  return ShowPairs(globals, snapshot, result.pairs, result.truncated);
}

}  // namespace

void AddSimilar(Cli& cli) {
  static SimilarArguments given;
  Command& command = cli.Add(
      "Ask", "similar",
      "Find nodes that share neighbours with one, or the pairs of the graph that share most",
      [](const Globals& globals) { return RunSimilar(globals, given); });
  command
      .Option("--of", "KEY", given.of,
              "nodes similar to this one (default: pairs of the whole graph)")
      .Repeated(
          "--with", "KEY", given.with,
          "compare with this node alone, --of beside it and neither --least nor --top; repeatable")
      .Choice("--measure", given.measure,
              {"jaccard", "overlap", "adamic-adar", "resource", "common"},
              "how what is shared counts (default jaccard)")
      .Choice("--direction", given.direction, {"out", "in", "both"},
              "share what both point at, what points at both, or either (default both)")
      .List("--kinds", "A,B", given.kinds,
            "only these edge kinds; has_tag, say, for shared tags (default: all facts)")
      .Option("--valid-at", "TIME", given.valid_at, "only edges valid then, or now (default: all)")
      .Option("--least", "N", given.least, "leave out who shares fewer than N (default 1)");
  AddMaxSeconds(AddMaxEdges(command, given), given)
      .Option("--top", "K", given.top, "the K best; 0 = all (default 20)")
      .Example("plexus similar --db g --of alice --top 10", "who knows whom alice knows")
      .Example("plexus similar --db g --measure adamic-adar --kinds has_tag --json",
               "the pairs of the whole graph with the rarest tags in common");
}

}  // namespace plexus::tools
