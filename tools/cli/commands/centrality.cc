// closeness, katz, eigenvector, hits: who is near, who is pointed at, who points well.
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/centrality/closeness.h"
#include "algorithms/centrality/hits.h"
#include "algorithms/centrality/katz.h"
#include "algorithms/common/score_ranking.h"
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

// The nodes that were asked for and measured, each once, those that score 0 too; all unless --top
// is given.
Result<std::vector<ScoredNode>> Asked(const Snapshot& snapshot, const std::vector<double>& scores,
                                      std::span<const NodeId> of, const RankedSelection& given) {
  PLEXUS_ASSIGN(const NodeSubset asked, NodeSubset::Of(snapshot, of));
  return TopScores(scores, asked, given.top.value_or(0));
}

struct Column {
  const char* name;     // of the JSON member
  const char* heading;  // of the table
  const std::vector<double>* values;
};

// Rows of `nodes`; the first column is the score.
void WriteNodes(JsonWriter& json, const Snapshot& snapshot, const std::vector<ScoredNode>& nodes,
                const std::vector<Column>& columns) {
  json.BeginArray("nodes");
  for (const ScoredNode& node : nodes) {
    json.BeginObject();
    json.Field("key", snapshot.key(node.node));
    for (const Column& column : columns) json.Field(column.name, (*column.values)[node.node]);
    json.EndObject();
  }
  json.EndArray();
}
void PrintNodes(const Globals& globals, const Snapshot& snapshot,
                const std::vector<ScoredNode>& nodes, const std::vector<Column>& columns) {
  Table table;
  for (const Column& column : columns) table.Column(column.heading, Table::Align::kRight);
  AddNodeColumns(table, globals, 60);
  for (const ScoredNode& node : nodes) {
    std::vector<std::string> row;
    for (const Column& column : columns) row.push_back(Number((*column.values)[node.node], 6));
    AddNodeCells(row, globals, snapshot, node.node);
    table.Row(row);
  }
  table.Print(Out());
}

// --iterations: the most steps that katz, eigenvector and hits take.
template <class Options>
Status TakeIterations(const std::optional<std::uint64_t>& given, Options& options) {
  if (!given) return {};
  if (*given < 1 || *given > 1'000'000)
    return Fail(ErrorCode::kInvalidArgument, "--iterations is 1 to 1000000");
  options.max_iterations = static_cast<int>(*given);
  return {};
}
Command& AddIterations(Command& command, std::optional<std::uint64_t>& iterations) {
  return command.Option("--iterations", "N", iterations,
                        "at most N, then say truncated (default 1000)");
}

// An iteration that was stopped, by the budget or by the most steps that it takes.
void PrintStopped(bool truncated) {
  if (truncated)
    Out() << "truncated: not converged when the budget or --iterations (default 1000) ran out; "
             "these are the scores of the last step made\n";
}

struct ClosenessArguments : RankedSelection {
  std::string direction = "both";
  bool harmonic = false, unscaled = false;
  std::optional<std::uint64_t> samples, seed, max_hops;
  std::vector<std::string> of;
};

Result<int> RunCloseness(const Globals& globals, const ClosenessArguments& given) {
  PLEXUS_TRY(NotTogether(!given.of.empty(), "--of", given.samples.has_value(), "--samples"));
  PLEXUS_TRY(NotTogether(!given.of.empty(), "--of", given.seed.has_value(), "--seed"));
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  ClosenessOptions options;
  PLEXUS_TRY(Select(*session, given, options));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  PLEXUS_ASSIGN(options.direction, ParseDirection(given.direction));
  options.scaled = !given.unscaled;
  if (given.max_hops && *given.max_hops < options.max_hops)
    options.max_hops = static_cast<std::uint32_t>(*given.max_hops);
  options.samples = given.samples.value_or(0);
  options.seed = given.seed.value_or(1);
  for (const std::string& key : given.of) {
    PLEXUS_ASSIGN(const NodeId node, FindAliveNode(snapshot, key));
    options.of.push_back(node);
  }
  PLEXUS_ASSIGN(const ClosenessResult result, Closeness(snapshot, options));
  const Column closeness{"closeness", "closeness", &result.closeness},
      harmonic{"harmonic", "harmonic", &result.harmonic},
      reached{"reached", "reaches", &result.reached};
  std::vector<Column> columns = {closeness, harmonic, reached};
  if (given.harmonic) columns = {harmonic, closeness, reached};
  std::vector<ScoredNode> top;
  if (options.of.empty()) {
    PLEXUS_ASSIGN(top, Best(*columns[0].values, given));
  } else {
    PLEXUS_ASSIGN(top, Asked(snapshot, *columns[0].values,
                             std::span(options.of).first(result.sources), given));
  }
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("exact", result.exact);
    json.Field("sources", result.sources);
    json.Field("bound", result.bound);
    json.Field("closeness_bound", result.closeness_bound);
    json.Field("truncated", result.truncated);
    WriteNodes(json, snapshot, top, columns);
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  PrintNodes(globals, snapshot, top, columns);
  if (result.exact)
    Out() << "exact, " << Grouped(result.nodes) << " nodes\n";
  else if (options.of.empty())
    Out() << "estimated from " << Grouped(result.sources) << " of " << Grouped(result.nodes)
          << " nodes: with probability 0.9 no harmonic is off by more than "
          << Number(result.bound * static_cast<double>(result.nodes - 1), 3)
          << ", no closeness by more than " << Number(result.closeness_bound, 3) << '\n';
  PrintTruncated(result.truncated, options.of.empty()
                                       ? "from a smaller sample than was asked for"
                                       : "the later nodes of --of were not measured");
  return kDone;
}

struct KatzArguments : RankedSelection {
  std::string direction = "out";
  bool unweighted = false;
  std::optional<double> alpha, tolerance;
  std::optional<std::uint64_t> iterations;
};

Result<int> RunKatz(const Globals& globals, const KatzArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  KatzOptions options;
  PLEXUS_TRY(Select(*session, given, options));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  PLEXUS_ASSIGN(options.direction, ParseDirection(given.direction));
  if (given.alpha && !(*given.alpha > 0))
    return Fail(ErrorCode::kInvalidArgument, "--alpha is above 0");
  options.alpha = given.alpha.value_or(0);
  PLEXUS_TRY(TakeIterations(given.iterations, options));
  options.tolerance = given.tolerance.value_or(options.tolerance);
  options.weighted = !given.unweighted;
  PLEXUS_ASSIGN(const KatzResult result, Katz(snapshot, options));
  std::vector<double> normal = result.scores;
  for (double& x : normal) x = result.norm > 0 ? x / result.norm : 0;
  const std::vector<Column> columns = {{"score", "score", &result.scores},
                                       {"normalized", "of norm 1", &normal}};
  PLEXUS_ASSIGN(const std::vector<ScoredNode> top, Best(result.scores, given));
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("alpha", result.alpha);
    json.Field("radius", result.radius);
    json.Field("iterations", result.iterations);
    json.Field("error", result.error);
    json.Field("converged", result.converged);
    json.Field("truncated", result.truncated);
    WriteNodes(json, snapshot, top, columns);
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  PrintNodes(globals, snapshot, top, columns);
  Out() << "alpha " << Number(result.alpha, 4) << ", spectral radius at most "
        << Number(result.radius, 4) << ", " << result.iterations << " iterations, "
        << (std::isfinite(result.error)
                ? "no score off by more than " + Number(result.error * 100, 3) + " %"
                : std::string("not known to converge"))
        << '\n';
  PrintStopped(result.truncated);
  return kDone;
}

struct EigenvectorArguments : RankedSelection {
  std::string direction = "out";
  bool unweighted = false;
  std::optional<double> tolerance;
  std::optional<std::uint64_t> iterations;
};

Result<int> RunEigenvector(const Globals& globals, const EigenvectorArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  EigenvectorOptions options;
  PLEXUS_TRY(Select(*session, given, options));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  PLEXUS_ASSIGN(options.direction, ParseDirection(given.direction));
  PLEXUS_TRY(TakeIterations(given.iterations, options));
  options.tolerance = given.tolerance.value_or(options.tolerance);
  options.weighted = !given.unweighted;
  PLEXUS_ASSIGN(const EigenvectorResult result, Eigenvector(snapshot, options));
  const std::vector<Column> columns = {{"score", "score", &result.scores}};
  PLEXUS_ASSIGN(const std::vector<ScoredNode> top, Best(result.scores, given));
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("eigenvalue", result.eigenvalue);
    json.Field("acyclic", result.acyclic);
    json.Field("iterations", result.iterations);
    json.Field("step", result.step);
    json.Field("converged", result.converged);
    json.Field("truncated", result.truncated);
    WriteNodes(json, snapshot, top, columns);
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  if (result.acyclic) {
    Out() << "no edges form a cycle: the eigenvalue is 0 and no node has a score; katz, "
             "or --direction both, ranks such a graph\n";
    return kDone;
  }
  PrintNodes(globals, snapshot, top, columns);
  Out() << "eigenvalue " << Number(result.eigenvalue, 6) << ", " << result.iterations
        << " iterations, last step " << Number(result.step, 3)
        << (result.converged ? "" : ", not converged") << '\n';
  PrintStopped(result.truncated);
  return kDone;
}

struct HitsArguments : RankedSelection {
  bool hubs = false, unweighted = false;
  std::optional<double> tolerance;
  std::optional<std::uint64_t> iterations;
};

Result<int> RunHits(const Globals& globals, const HitsArguments& given) {
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  HitsOptions options;
  PLEXUS_TRY(Select(*session, given, options));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  PLEXUS_TRY(TakeIterations(given.iterations, options));
  options.tolerance = given.tolerance.value_or(options.tolerance);
  options.weighted = !given.unweighted;
  PLEXUS_ASSIGN(const HitsResult result, Hits(snapshot, options));
  const Column authority{"authority", "authority", &result.authorities},
      hub{"hub", "hub", &result.hubs};
  std::vector<Column> columns = {authority, hub};
  if (given.hubs) columns = {hub, authority};
  PLEXUS_ASSIGN(const std::vector<ScoredNode> top, Best(*columns[0].values, given));
  if (globals.json) {
    JsonWriter json(Out());
    json.BeginObject();
    json.Field("iterations", result.iterations);
    json.Field("step", result.step);
    json.Field("converged", result.converged);
    json.Field("truncated", result.truncated);
    WriteNodes(json, snapshot, top, columns);
    json.EndObject();
    Out() << '\n';
    return kDone;
  }
  PrintNodes(globals, snapshot, top, columns);
  Out() << result.iterations << " iterations, last step " << Number(result.step, 3)
        << (result.converged ? "" : ", not converged") << '\n';
  PrintStopped(result.truncated);
  return kDone;
}

constexpr const char* kWalks =
    "along the edges (who is pointed at), against them, or either way (default out)";

}  // namespace

void AddCentrality(Cli& cli) {
  static ClosenessArguments closeness;
  AddRanked(cli.Add("Ask", "closeness", "Rank nodes by how near they are to all others",
                    [](const Globals& globals) { return RunCloseness(globals, closeness); })
                .Flag("--harmonic", closeness.harmonic, "rank by the sum of 1 / distance")
                .Flag("--unscaled", closeness.unscaled,
                      "closeness as if what a node reaches were all there is")
                .Choice("--direction", closeness.direction, {"out", "in", "both"},
                        "distances from a node, to it, or either way (default both)")
                .Option("--max-hops", "H", closeness.max_hops,
                        "what is farther away is not reached (default: no limit)")
                .Option("--samples", "N", closeness.samples,
                        "distances to N nodes (default: all up to 20,000, else 1,024)")
                .Option("--seed", "S", closeness.seed, "of the sample (default 1)")
                .Repeated("--of", "KEY", closeness.of, "only this node, exactly; repeatable"),
            closeness)
      .Example("plexus closeness --db g --harmonic --top 10", "the ten nodes nearest to all others")
      .Example("plexus closeness --db g --of alice --of bob --direction out --json",
               "of two nodes, exactly");

  static KatzArguments katz;
  AddRanked(
      AddIterations(cli.Add("Ask", "katz",
                            "Rank nodes by the walks that lead to them, long ones counting less",
                            [](const Globals& globals) { return RunKatz(globals, katz); }),
                    katz.iterations)
          .Option("--alpha", "A", katz.alpha,
                  "what a step leaves of a walk (default: half of what converges, and of what arcs "
                  "and walks of up to 8 arcs weigh)")
          .Option("--max-edges", "N", katz.max_edges,
                  "follow N edges, all of them once an iteration, and say truncated (default: no "
                  "limit)")
          .Option("--tolerance", "T", katz.tolerance,
                  "stop when no score is off by more than this share (default 1e-9)")
          .Choice("--direction", katz.direction, {"out", "in", "both"}, kWalks)
          .Flag("--unweighted", katz.unweighted, "every edge counts 1"),
      katz)
      .Example("plexus katz --db g --top 10", "the ten nodes most walks lead to")
      .Example("plexus katz --db g --alpha 0.01 --kinds cites --json",
               "with a given attenuation, over one kind");

  static EigenvectorArguments eigenvector;
  AddRanked(
      AddIterations(
          cli.Add("Ask", "eigenvector", "Rank nodes by the rank of those that point at them",
                  [](const Globals& globals) { return RunEigenvector(globals, eigenvector); }),
          eigenvector.iterations)
          .Option("--max-edges", "N", eigenvector.max_edges,
                  "follow N edges, all of them once an iteration, and say truncated (default: no "
                  "limit)")
          .Option("--tolerance", "T", eigenvector.tolerance,
                  "stop when a step changes less, L1 (default 1e-9)")
          .Choice("--direction", eigenvector.direction, {"out", "in", "both"}, kWalks)
          .Flag("--unweighted", eigenvector.unweighted, "every edge counts 1"),
      eigenvector)
      .Example("plexus eigenvector --db g --direction both", "whose neighbours are central")
      .Example("plexus eigenvector --db g --kinds cites --json",
               "who is cited by those who are cited");

  static HitsArguments hits;
  AddRanked(AddIterations(cli.Add("Ask", "hits",
                                  "Rank nodes as authorities that good hubs point at, and as hubs",
                                  [](const Globals& globals) { return RunHits(globals, hits); }),
                          hits.iterations)
                .Flag("--hubs", hits.hubs, "rank by hub")
                .Option("--max-edges", "N", hits.max_edges,
                        "follow N edges, all of them twice an iteration, and say truncated "
                        "(default: no limit)")
                .Option("--tolerance", "T", hits.tolerance,
                        "stop when a step changes less, L1 (default 1e-9)")
                .Flag("--unweighted", hits.unweighted, "every edge counts 1"),
            hits)
      .Example("plexus hits --db g --top 10", "the ten best authorities")
      .Example("plexus hits --db g --hubs --kinds cites --json", "who cites best");
}

}  // namespace plexus::tools
