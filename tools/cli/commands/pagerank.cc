// pagerank: which nodes matter, in general or as seen from seeds.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/common/score_ranking.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/pagerank/pagerank_batch.h"
#include "algorithms/pagerank/pagerank_push.h"
#include "algorithms/pagerank/refresh_pagerank.h"
#include "tools/cli/arguments.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/commands/pagerank_batch.h"
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

struct PageRankArguments : EdgeSelection, BudgetOption {
  std::optional<std::uint64_t> top, iterations;
  std::optional<double> damping, tolerance, push;
  std::vector<std::string> seeds, reversed, factors;
  std::string precision = "f64", half_life, sets, from_as_of;
  bool unweighted = false, decay = false;
};

// --kind-weight, --decay, --half-life.
Result<EdgeWeighting> Weights(Session& session, std::span<const EdgeKindId> followed,
                              const PageRankArguments& given) {
  EdgeWeighting weights;
  for (const std::string& text : given.factors) {
    const WeightedKey factor = SplitWeight(text);
    if (factor.key == text)
      return Fail(ErrorCode::kInvalidArgument,
                  "--kind-weight is KIND=F, e.g. supports=2; got '" + text + "'");
    PLEXUS_ASSIGN(const auto kinds, FindEdgeKinds(session.schema(), std::span(&factor.key, 1)));
    if (!ArcFilter::Kinds(session.schema(), followed).allows(kinds[0]))
      return Fail(ErrorCode::kInvalidArgument, "--kind-weight: edge kind '" + factor.key +
                                                   "' is not followed; name it with --kinds, too");
    weights.factors.push_back({kinds[0], factor.weight});
  }
  if (!given.half_life.empty()) {
    PLEXUS_ASSIGN(weights.half_life_ms, ParseDuration(given.half_life));
  }
  if (given.decay || !given.half_life.empty()) weights.now_ms = session.now_ms();
  return weights;
}

Status CheckTogether(const PageRankArguments& given) {
  const bool sets = !given.sets.empty(), push = given.push.has_value(),
             from = !given.from_as_of.empty();
  const bool f32 = given.precision == "f32";
  PLEXUS_TRY(NotTogether(given.iterations.has_value(), "--iterations", given.tolerance.has_value(),
                         "--tolerance"));
  PLEXUS_TRY(
      NotTogether(given.unweighted, "--unweighted", !given.factors.empty(), "--kind-weight"));
  PLEXUS_TRY(NotTogether(given.unweighted, "--unweighted", given.decay, "--decay"));
  PLEXUS_TRY(
      NotTogether(given.unweighted, "--unweighted", !given.half_life.empty(), "--half-life"));
  PLEXUS_TRY(NotTogether(push, "--push", given.iterations.has_value(), "--iterations"));
  PLEXUS_TRY(NotTogether(push, "--push", given.tolerance.has_value(), "--tolerance"));
  PLEXUS_TRY(NotTogether(push, "--push", f32, "--precision f32"));
  PLEXUS_TRY(Needs(given.max_nodes.has_value(), "--max-nodes", push, "--push"));
  PLEXUS_TRY(NotTogether(sets, "--sets", !given.seeds.empty(), "--seed"));
  PLEXUS_TRY(NotTogether(sets, "--sets", push, "--push"));
  PLEXUS_TRY(NotTogether(from, "--from-as-of", sets, "--sets"));
  PLEXUS_TRY(NotTogether(from, "--from-as-of", push, "--push"));
  PLEXUS_TRY(NotTogether(from, "--from-as-of", given.iterations.has_value(), "--iterations"));
  return NotTogether(from, "--from-as-of", f32, "--precision f32");
}

Result<PageRankOptions> Options(Session& session, const PageRankArguments& given) {
  PageRankOptions options;
  if (given.iterations) {
    if (*given.iterations < 1 || *given.iterations > 1'000'000)
      return Fail(ErrorCode::kInvalidArgument, "--iterations is 1 to 1000000");
    options.iterations = static_cast<int>(*given.iterations);
  }
  if (given.damping) options.damping = *given.damping;
  const bool sets = !given.sets.empty();
  if (sets || given.precision == "f32") {
    options.precision = Precision::kF32;
    options.tolerance = 1e-5;
  }
  const double least = sets ? LeastBatchTolerance(options.damping)
                            : LeastTolerance(options.precision, options.damping);
  options.tolerance = given.tolerance.value_or(std::max(options.tolerance, least));
  options.weighted = !given.unweighted;
  PLEXUS_ASSIGN(options.seeds, FindSeeds<NodeWeight>(session.snapshot(), given.seeds));
  PLEXUS_TRY(Select(session, given, options));
  PLEXUS_ASSIGN(options.reversed, FindEdgeKinds(session.schema(), given.reversed));
  PLEXUS_ASSIGN(options.arc_weights, Weights(session, options.filter.kinds, given));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));
  return options;
}

// --from-as-of: the scores of an earlier state, from which a refresh begins.
struct Earlier {
  Sequence sequence = 0;
  PageRankResult result;
};

// What an earlier state refuses, the present one might not.
template <class T>
Result<T> At(Sequence sequence, Result<T> result) {
  if (!result)
    result.error().message =
        "at sequence " + std::to_string(sequence) + ": " + result.error().message;
  return result;
}

// The same question at that state, with its nodes, kinds, scopes and clock.
Result<Earlier> RankEarlier(const Globals& globals, const Session& now,
                            const PageRankArguments& given, const Budget& budget) {
  Globals then = globals;
  then.as_of = given.from_as_of;
  then.quiet = true;  // what there is to note is noted of the present state
  PLEXUS_ASSIGN(const auto session, Session::Open(then, Access::kRead));
  const Sequence sequence = session->snapshot().sequence();
  if (sequence > now.snapshot().sequence())
    return Fail(ErrorCode::kInvalidArgument,
                "--from-as-of is sequence " + std::to_string(sequence) + ", later than the " +
                    std::to_string(now.snapshot().sequence()) + " that is asked for");
  PLEXUS_ASSIGN(PageRankOptions options, At(sequence, Options(*session, given)));
  options.run.budget = budget;
  options.run.executor = &session->executor();
  PLEXUS_ASSIGN(PageRankResult result, At(sequence, PageRank(session->snapshot(), options)));
  return Earlier{sequence, std::move(result)};
}

void WriteRanks(const Snapshot& snapshot, const PageRankResult& result,
                const std::vector<ScoredNode>& top, const std::vector<double>& scaled,
                const std::vector<double>& percentiles, const Earlier* earlier) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("sequence", snapshot.sequence());
  json.Field("iterations", result.iterations);
  json.Field("error", result.error);
  json.Field("converged", result.converged);
  json.Field("truncated", result.truncated);
  json.Field("edges", result.edges);
  json.Field("bytes_per_iteration", result.bytes_per_iteration);
  json.Field("layout_bytes", result.layout_bytes);
  json.Field("layout_pays_after", result.layout_pays_after);
  if (earlier) {
    json.BeginObject("from");
    json.Field("sequence", earlier->sequence);
    json.Field("iterations", earlier->result.iterations);
    json.Field("error", earlier->result.error);
    json.EndObject();
  }
  json.BeginArray("nodes");
  for (const ScoredNode& node : top) {
    json.BeginObject();
    json.Field("key", snapshot.key(node.node));
    json.Field("score", node.score);
    json.Field("scaled", scaled[node.node]);
    json.Field("percentile", percentiles[node.node]);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  Out() << '\n';
}

void PrintRanks(const Globals& globals, const Snapshot& snapshot, const PageRankResult& result,
                const std::vector<ScoredNode>& top, const std::vector<double>& scaled,
                const Earlier* earlier) {
  Table table;
  const auto right = Table::Align::kRight;
  table.Column("rank", right).Column("score", right).Column("of best", right);
  AddNodeColumns(table, globals, 60);
  for (std::size_t i = 0; i < top.size(); ++i) {
    std::vector<std::string> row = {std::to_string(i + 1), Number(top[i].score, 4),
                                    Number(scaled[top[i].node] * 100, 3) + " %"};
    AddNodeCells(row, globals, snapshot, top[i].node);
    table.Row(row);
  }
  table.Print(Out());
  Out() << Grouped(result.nodes.count()) << " nodes, " << Grouped(result.edges) << " arcs, "
        << result.iterations << " iterations, error " << Number(result.error, 3)
        << (result.truncated ? ", stopped before it had converged" : "") << '\n';
  if (earlier)
    Out() << "begun at the scores of sequence " << earlier->sequence << ", which took "
          << earlier->result.iterations << " iterations, error " << Number(earlier->result.error, 3)
          << '\n';
  if (result.layout_bytes > 0)
    Out() << "arcs laid out anew in " << Bytes(result.layout_bytes) << ", made in "
          << Number(result.preparation_ms, 3) << " ms, repaid after " << result.layout_pays_after
          << " iterations\n";
}

void WritePushed(const Snapshot& snapshot, const PageRankPushResult& result) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("sequence", snapshot.sequence());
  json.Field("error", result.error);
  json.Field("converged", result.converged);
  json.Field("truncated", result.truncated);
  json.Field("certain_top", result.certain_top);
  json.Field("nodes_touched", result.nodes);
  json.Field("edges", result.edges);
  json.Field("bytes", result.bytes);
  json.BeginArray("nodes");
  for (const ScoredNode& node : result.top) {
    json.BeginObject();
    json.Field("key", snapshot.key(node.node));
    json.Field("score", node.score);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  Out() << '\n';
}

void PrintPushed(const Globals& globals, const Snapshot& snapshot,
                 const PageRankPushResult& result) {
  Table table;
  const auto right = Table::Align::kRight;
  table.Column("rank", right).Column("at least", right);
  AddNodeColumns(table, globals, 60);
  for (std::size_t i = 0; i < result.top.size(); ++i) {
    std::vector<std::string> row = {std::to_string(i + 1), Number(result.top[i].score, 4)};
    AddNodeCells(row, globals, snapshot, result.top[i].node);
    table.Row(row);
  }
  table.Print(Out());
  Out() << Grouped(result.nodes) << " nodes touched, " << Grouped(result.edges) << " arcs, "
        << Bytes(result.bytes) << ", " << Number(result.error, 3) << " of the mass not placed"
        << (result.certain_top ? "; no other node can belong among these" : "")
        << (result.truncated ? "; stopped early" : "") << '\n';
}

Result<int> RunPush(const Globals& globals, const Session& session, const PageRankArguments& given,
                    const PageRankOptions& options) {
  PageRankPushOptions push;
  push.damping = options.damping;
  push.max_error = *given.push;
  push.top = given.top.value_or(20);
  push.weighted = options.weighted;
  push.filter.kinds = options.filter.kinds;
  push.reversed = options.reversed;
  push.filter.valid_at = options.filter.valid_at;
  push.arc_weights = options.arc_weights;
  push.run.budget = options.run.budget;
  push.filter.subset = options.filter.subset;
  PLEXUS_ASSIGN(const PageRankPushResult result,
                PageRankPush(session.snapshot(), options.seeds, push));
  if (globals.json)
    WritePushed(session.snapshot(), result);
  else
    PrintPushed(globals, session.snapshot(), result);
  return kDone;
}

Result<int> RunPageRank(const Globals& globals, const PageRankArguments& given) {
  PLEXUS_TRY(CheckTogether(given));
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(PageRankOptions options, Options(*session, given));
  if (!given.sets.empty())
    return RunSets(globals, *session, options, given.sets, given.top.value_or(20));
  if (given.push) return RunPush(globals, *session, given, options);
  std::optional<Earlier> earlier;
  if (!given.from_as_of.empty()) {
    PLEXUS_ASSIGN(earlier, RankEarlier(globals, *session, given, options.run.budget));
  }
  PLEXUS_ASSIGN(const PageRankResult result,
                earlier ? RefreshPageRank(snapshot, {.scores = earlier->result.scores}, options)
                        : PageRank(snapshot, options));
  PLEXUS_ASSIGN(const auto top, TopScores(result.scores, result.nodes, given.top.value_or(20)));
  PLEXUS_ASSIGN(const auto scaled, ScaleByMaximum(result.scores, result.nodes));
  if (globals.json) {
    PLEXUS_ASSIGN(const auto percentiles, PercentileRanks(result.scores, result.nodes));
    WriteRanks(snapshot, result, top, scaled, percentiles, earlier ? &*earlier : nullptr);
  } else {
    PrintRanks(globals, snapshot, result, top, scaled, earlier ? &*earlier : nullptr);
  }
  return kDone;
}

}  // namespace

void AddPageRank(Cli& cli) {
  static PageRankArguments given;
  Command& command =
      cli.Add("Ask", "pagerank", "Rank nodes by PageRank, in general or as seen from seeds",
              [](const Globals& globals) { return RunPageRank(globals, given); });
  AddMaxSeconds(AddMaxEdges(command, given), given)
      .Option("--max-nodes", "N", given.max_nodes,
              "of --push: stop after N nodes and say truncated (default: no limit)")
      .Option("--top", "K", given.top, "the K best; 0 = all (default 20)")
      .Option("--damping", "D", given.damping, "in [0, 1) (default 0.85)")
      .Option("--iterations", "N", given.iterations, "exactly N iterations")
      .Option("--tolerance", "T", given.tolerance,
              "stop within T of the answer, L1 (default 1e-9; f32: 1e-5; or the least that the "
              "damping leaves reachable)")
      .Repeated("--seed", "KEY[=W]", given.seeds,
                "restart here, with weight W (default 1); repeatable")
      .Option("--sets", "FILE", given.sets,
              "a ranking for each line of FILE, 4096 at most: KEY[=W] between tabs; 16 a sweep, in "
              "f32; - is stdin")
      .Option("--from-as-of", "SEQ|TIME", given.from_as_of,
              "refresh: begin at the scores of that earlier state")
      .List("--kinds", "A,B", given.kinds, "only these edge kinds (default: all facts)")
      .List("--reverse", "A,B", given.reversed, "of these kinds rank flows from target to source")
      .Repeated("--kind-weight", "KIND=F", given.factors,
                "edges of the kind count F times their weight; repeatable")
      .Flag("--decay", given.decay,
            "edges lose weight with age, by the half-lives of their kinds, up to --now")
      .Option("--half-life", "T", given.half_life,
              "the same, and T (30d, 12h) for kinds without a half-life")
      .Option("--valid-at", "TIME", given.valid_at, "only edges valid then, or now (default: all)")
      .Option("--push", "E", given.push,
              "near the seeds only, until at most E of the mass is not placed (1e-9 to 1)")
      .Choice("--precision", given.precision, {"f64", "f32"}, "of the scores (default f64)")
      .Flag("--unweighted", given.unweighted, "every edge counts 1")
      .Example("plexus pagerank --db g --top 10", "the ten nodes that matter most")
      .Example("plexus pagerank --db g --seed alice=2 --seed bob --kinds knows --json",
               "as seen from alice (twice as much) and bob, over knows edges")
      .Example("plexus pagerank --db g --sets sessions.tsv --top 5 --json",
               "what matters to each of many sessions")
      .Example("plexus pagerank --db g --kinds depends_on,causes --reverse causes --half-life 30d",
               "salience: rank flows to what is depended on and to what causes, old edges counting "
               "less");
}

}  // namespace plexus::tools
