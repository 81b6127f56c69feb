// pagerank: which nodes matter, in general or as seen from seeds.
#include "algorithms/pagerank/pagerank.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/common/common.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/rank/pagerank_sets.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

// kind_weight, decay, half_life.
Result<EdgeWeighting> Weights(const View& view, const Request& request, const EdgeKinds& followed) {
  const Schema& schema = view.snapshot.schema();
  EdgeWeighting weights;
  const std::string name = request.Name("kind_weight");
  for (const std::string& text : request.List("kind_weight")) {
    const WeightedKey factor = SplitWeight(text);
    if (factor.key == text) return Invalid(name, " is KIND=F, e.g. supports=2; got ", Quoted(text));
    PLEXUS_ASSIGN(const auto kinds, FindEdgeKinds(schema, std::span(&factor.key, 1)));
    if (!ArcFilter::Kinds(schema, followed).allows(kinds[0]))
      return Invalid(name, ": edge kind ", Quoted(factor.key), " is not followed; name it with ",
                     request.Name("kinds"), ", too");
    weights.factors.push_back({kinds[0], factor.weight});
  }
  if (request.Given("half_life"))
    PLEXUS_SET(weights.half_life_ms, ParseDuration(request.Text("half_life")));
  if (request.Flag("decay") || request.Given("half_life")) weights.now_ms = view.now_ms;
  return weights;
}

// Of an edge that is named by its inverse name the source is the stored target; --reverse turns
// what --kinds names.
Result<std::vector<EdgeKindId>> Reversed(const Schema& schema, const Request& request) {
  PLEXUS_ASSIGN(const EdgeKinds turned, FindEdgeKinds(schema, request.List("reverse")));
  std::vector<EdgeKindId> reversed(turned.begin(), turned.end());
  std::map<EdgeKindId, std::string> named;
  for (const std::string& name : request.List("kinds")) {
    PLEXUS_ASSIGN(const Schema::EdgeKindMatch match, FindEdgeKind(schema, name));
    const auto [first, is_new] = named.emplace(match.kind, name);
    if (first->second != name)
      return Invalid(Quoted(first->second), " and ", Quoted(name), " are the same edges");
    if (!is_new || !match.reversed) continue;
    if (std::erase(reversed, match.kind) == 0) reversed.push_back(match.kind);
  }
  return reversed;
}

Status CheckTogether(const Request& request) {
  constexpr std::pair<const char*, const char*> kPairs[] = {{"iterations", "tolerance"},
                                                            {"unweighted", "kind_weight"},
                                                            {"unweighted", "decay"},
                                                            {"unweighted", "half_life"},
                                                            {"push", "iterations"},
                                                            {"push", "tolerance"},
                                                            {"sets", "seed"},
                                                            {"sets", "push"},
                                                            {"from_as_of", "sets"},
                                                            {"from_as_of", "push"},
                                                            {"from_as_of", "iterations"}};
  for (const auto& [one, other] : kPairs) PLEXUS_TRY(NotTogether(request, one, other));
  if (request.Text("precision") == "f32")
    for (const char* one : {"push", "from_as_of"})
      if (request.Given(one))
        return Invalid(request.Name(one), " cannot go with ", request.Name("precision", "f32"));
  return Needs(request, "max_nodes", "push");
}

// Of the view, which may be an earlier one.
Result<pagerank::PageRankOptions> Options(const Workspace& workspace, const View& view,
                                          const Request& request) {
  pagerank::PageRankOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  options.filter.subset = view.scope ? &*view.scope : nullptr;
  PLEXUS_ASSIGN(options.filter.kinds, FindEdgeKinds(view.snapshot.schema(), request.List("kinds")));
  if (request.Text("valid_at") == "now") options.filter.valid_at = view.now_ms;
  if (const auto iterations = request.MaybeCount("iterations"))
    options.iterations = static_cast<int>(*iterations);
  options.damping = request.Number("damping");
  const bool sets = request.Given("sets");
  if (sets || request.Text("precision") == "f32") {
    options.precision = pagerank::Precision::kF32;
    options.tolerance = 1e-5;
  }
  const double least = sets ? pagerank::LeastBatchTolerance(options.damping)
                            : pagerank::LeastTolerance(options.precision, options.damping);
  options.tolerance = request.MaybeNumber("tolerance").value_or(std::max(options.tolerance, least));
  options.weighted = !request.Flag("unweighted");
  PLEXUS_ASSIGN(options.seeds, FindSeeds(view.snapshot, request.List("seed")));
  PLEXUS_ASSIGN(options.reversed, Reversed(view.snapshot.schema(), request));
  PLEXUS_ASSIGN(options.arc_weights, Weights(view, request, options.filter.kinds));
  return options;
}

// from_as_of: the scores of an earlier state, from which a refresh begins.
struct Earlier {
  Sequence sequence = 0;
  pagerank::PageRankResult result;
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
Result<Earlier> RankEarlier(Workspace& workspace, const Request& request, const Budget& budget) {
  PLEXUS_ASSIGN(const View view,
                workspace.ViewAt(request.Text("from_as_of"),
                                 request.Without("show_kinds").Without("show_where")));
  const Sequence sequence = view.snapshot.sequence();
  if (sequence > workspace.snapshot().sequence())
    return Invalid(request.Name("from_as_of"), " is sequence ", sequence, ", later than the ",
                   workspace.snapshot().sequence(), " that is asked for");
  PLEXUS_ASSIGN(pagerank::PageRankOptions options, At(sequence, Options(workspace, view, request)));
  options.run.budget = budget;
  PLEXUS_ASSIGN(pagerank::PageRankResult result,
                At(sequence, pagerank::PageRank(view.snapshot, options)));
  return Earlier{sequence, std::move(result)};
}

std::string Closing(const pagerank::PageRankResult& result, const std::optional<Earlier>& earlier) {
  std::string text = Grouped(result.nodes.count()) + " nodes, " + Grouped(result.edges) +
                     " arcs, " + std::to_string(result.iterations) + " iterations, error " +
                     Number(result.error, 3) +
                     (result.truncated ? ", stopped before it had converged" : "") + "\n";
  if (earlier)
    text += "begun at the scores of sequence " + std::to_string(earlier->sequence) +
            ", which took " + std::to_string(earlier->result.iterations) + " iterations, error " +
            Number(earlier->result.error, 3) + "\n";
  if (result.stats.layout_bytes > 0)
    text += "arcs laid out again in " + Bytes(result.stats.layout_bytes) + ", made in " +
            Number(result.stats.preparation_ms, 3) + " ms, repaid after " +
            std::to_string(result.stats.break_even_iterations) + " iterations\n";
  return text;
}

Result<Reply> RunPush(const Workspace& workspace, const Request& request,
                      pagerank::PageRankOptions& options) {
  pagerank::PageRankPushOptions push;
  PLEXUS_TRY(Select(workspace, request, push));
  push.damping = options.damping;
  push.max_error = request.Number("push");
  push.top = request.Count("top");
  push.listed = workspace.shown();
  push.weighted = options.weighted;
  push.reversed = options.reversed;
  push.arc_weights = options.arc_weights;
  push.run.budget = options.run.budget;
  PLEXUS_ASSIGN(pagerank::PageRankPushResult result,
                pagerank::PageRankPush(workspace.snapshot(), options.seeds, push));
  std::string closing = Grouped(result.nodes) + " nodes touched, " + Grouped(result.edges) +
                        " arcs, " + Bytes(result.bytes) + ", " + Number(result.error, 3) +
                        " of the mass not placed" +
                        (result.certain_top ? "; no other node can be among these" : "") +
                        (result.whole ? "; the whole graph was ranked, which costs less" : "") +
                        (result.truncated ? "; stopped early" : "") + "\n";
  Reply reply([snapshot = workspace.snapshot(), result = std::move(result)](ReplyWriter& json) {
    json.Field("sequence", snapshot.sequence());
    json.Field("error", result.error);
    json.Field("converged", result.converged);
    json.Field("truncated", result.truncated);
    json.Field("certain_top", result.certain_top);
    json.Field("whole", result.whole);
    json.Field("nodes_touched", result.nodes);
    json.Field("edges", result.edges);
    json.Field("bytes", result.bytes);
    json.Objects("nodes", result.top, [&](const ScoredNode& node) {
      json.Node("key", snapshot, node.node);
      json.Field("score", node.score);
    });
  });
  reply.closing = std::move(closing);
  return reply;
}

Result<Reply> RunPagerank(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(CheckTogether(request));
  const View view{workspace.snapshot(),
                  workspace.now_ms(),
                  workspace.scope() ? std::optional(*workspace.scope()) : std::nullopt,
                  {}};
  PLEXUS_ASSIGN(pagerank::PageRankOptions options, Options(workspace, view, request));
  if (request.Given("sets")) return RankSets(workspace, request, options);
  if (request.Given("push")) return RunPush(workspace, request, options);
  std::optional<Earlier> earlier;
  if (request.Given("from_as_of"))
    PLEXUS_SET(earlier, RankEarlier(workspace, request, options.run.budget));
  PLEXUS_ASSIGN(pagerank::PageRankResult result,
                earlier ? pagerank::RefreshPageRank(view.snapshot,
                                                    {.scores = earlier->result.scores}, options)
                        : pagerank::PageRank(view.snapshot, options));
  PLEXUS_ASSIGN(auto top, BestOf(workspace, result.scores, result.nodes, request.Count("top")));
  PLEXUS_ASSIGN(auto scaled, ScaleByMaximum(result.scores, result.nodes));
  PLEXUS_ASSIGN(auto percentiles, PercentileRanks(result.scores, result.nodes));
  std::string closing = Closing(result, earlier);
  Reply reply([snapshot = view.snapshot, result = std::move(result), top = std::move(top),
               scaled = std::move(scaled), percentiles = std::move(percentiles),
               earlier = std::move(earlier)](ReplyWriter& json) {
    json.Field("sequence", snapshot.sequence());
    json.Field("iterations", result.iterations);
    json.Field("error", result.error);
    json.Field("converged", result.converged);
    json.Field("truncated", result.truncated);
    json.Field("edges", result.edges);
    json.Field("bytes_per_iteration", result.stats.bytes_per_iteration);
    json.Field("layout_bytes", result.stats.layout_bytes);
    json.Field("layout_pays_after", result.stats.break_even_iterations);
    if (earlier) {
      json.BeginObject("from");
      json.Field("sequence", earlier->sequence);
      json.Field("iterations", earlier->result.iterations);
      json.Field("error", earlier->result.error);
      json.EndObject();
    }
    json.Field("total", top.total);
    json.Objects("nodes", top.nodes, [&](const ScoredNode& node) {
      json.Node("key", snapshot, node.node);
      json.Field("score", node.score);
      json.Field("scaled", scaled[node.node]);
      json.Field("percentile", percentiles[node.node]);
    });
  });
  reply.closing = std::move(closing);
  return reply;
}

Parameters RankParameters() {
  return ShownParameters() +
         Parameters{
             MaxEdges(),
             MaxNodes("of push: stop after N nodes and say truncated"),
             Top(20, "the K best; 0 = all"),
             Number("damping", "D", "in [0, 1)").Default(0.85),
             Count("iterations", "N", "exactly N iterations").Between(1, 1'000'000),
             Number(
                 "tolerance", "T",
                 "stop within T of the answer, L1 (default 1e-9; f32: 1e-5; or the least that the "
                 "damping leaves reachable)"),
             Repeated("seed", "KEY[=W]", "restart here, with weight W (default 1); repeatable")
                 .Named(Means::kWeightedKey),
             Text("sets", "FILE",
                  "a ranking for each line, 4096 at most: KEY[=W] between tabs; 16 a sweep, in "
                  "f32; - is "
                  "stdin")
                 .Lines()
                 .MayBeEmpty(),
             Text("from_as_of", "SEQ|TIME", "refresh: start from the scores of that earlier state")
                 .Named(Means::kMoment),
             KindsParameter(),
             List("reverse", "A,B", "of these kinds rank flows from target to source")
                 .Named(Means::kEdgeKind),
             Repeated("kind_weight", "KIND=F",
                      "edges of the kind count F times their weight; repeatable"),
             Flag("decay",
                  "edges lose weight with age, by the half-lives of their kinds, up to now"),
             Text("half_life", "T", "as --decay, and T (30d, 12h) for kinds without a half-life"),
             ValidAtParameter(),
             Number("push", "E",
                    "only near the seeds, with an error of at most E of the mass (1e-9 to 1)"),
             Choice("precision", {"f64", "f32"}, "of the scores"),
             Flag("unweighted", "every edge counts 1")};
}

}  // namespace

void AddPageRank(Rows& rows) {
  rows.push_back(
      {.name = "pagerank",
       .group = "Ask",
       .title = "PageRank",
       .summary = "Rank nodes by PageRank, in general or as seen from seeds",
       .parameters = RankParameters(),
       .reply = "sequence:n, iterations?:n, error?:x, converged:b, truncated:b, edges:n, "
                "certain_top?:b, whole?:b, nodes_touched?:n, bytes?:n, bytes_per_iteration?:n, "
                "layout_bytes?:n, "
                "layout_pays_after?:n, from?:{sequence:n, iterations:n, error:x}, "
                "total?:n, nodes?:[{key:k, score:x, scaled?:x, percentile?:x}], "
                "sets?:[{seeds:[k], error:x, nodes:[{key:k, score:x}]}]",
       .tables = "nodes: #, score.4, scaled.3 percent = of best, key; sets/nodes: seeds, "
                 "#, score.4, key",
       .examples =
           {{"plexus pagerank --db g --top 10", "the ten nodes that matter most"},
            {"plexus pagerank --db g --seed alice=2 --seed bob --kinds knows --json",
             "as seen from alice (twice as much) and bob, over knows edges"},
            {"plexus pagerank --db g --sets sessions.tsv --top 5 --json",
             "a ranking for each of many sessions"},
            {"plexus pagerank --db g --kinds depends_on,causes --reverse causes --half-life 30d",
             "salience: rank flows to dependencies and causes; old edges count less"}},
       .run = RunPagerank});
}

}  // namespace plexus::tools
