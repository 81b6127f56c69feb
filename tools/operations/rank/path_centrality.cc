// betweenness, closeness: who connects, and who is near, by shortest paths.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/centrality/centrality.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/names.h"
#include "tools/operations/rank/scored_columns.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

template <class Options>
void TakeMaxHops(const Request& request, Options& options) {
  const auto hops = request.MaybeCount("max_hops");
  if (hops && *hops < options.max_hops) options.max_hops = static_cast<std::uint32_t>(*hops);
}

Result<Reply> RunBetweenness(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  centrality::BetweennessOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  options.undirected = !request.Flag("directed");
  if (!options.undirected)  // The nodes between are the same backward.
    PLEXUS_TRY(IsBackward(workspace.schema(), request.List("kinds")));
  options.samples = request.MaybeCount("samples").value_or(0);
  options.seed = request.Count("seed");
  TakeMaxHops(request, options);
  PLEXUS_ASSIGN(centrality::BetweennessResult result, centrality::Betweenness(snapshot, options));
  PLEXUS_ASSIGN(auto top, Best(workspace, result.scores, request.Count("top")));
  std::string closing = result.exact
                            ? "exact, from all " + Grouped(result.sources) + " nodes\n"
                            : "estimated from " + Grouped(result.sources) + " of " +
                                  Grouped(result.nodes) + " nodes: no share is off by more than " +
                                  Number(result.bound * 100, 3) + " %, with probability 0.9\n";
  closing += Truncated(result.truncated, "from the nodes that were searched by then");
  Reply reply([snapshot, top = std::move(top), result = std::move(result)](ReplyWriter& json) {
    json.Field("exact", result.exact);
    json.Field("sources", result.sources);
    json.Field("bound", result.bound);
    json.Field("truncated", result.truncated);
    WriteScored(json, snapshot, top, {{"score", &result.scores}, {"share", &result.shares}});
  });
  reply.closing = std::move(closing);
  return reply;
}

std::string ClosenessClosing(const Request& request, const centrality::ClosenessResult& result,
                             bool asked) {
  std::string text;
  if (result.exact)
    text = "exact, " + Grouped(result.nodes) + " nodes\n";
  else if (!asked)
    text = "estimated from " + Grouped(result.sources) + " of " + Grouped(result.nodes) +
           " nodes: with probability 0.9 no harmonic is off by more than " +
           Number(result.bound * static_cast<double>(result.nodes - 1), 3) +
           ", no closeness by more than " + Number(result.closeness_bound, 3) + "\n";
  return text + Truncated(result.truncated,
                          asked ? "the later nodes of " + request.Name("of") + " were not measured"
                                : "from a smaller sample than was asked for");
}

Result<Reply> RunCloseness(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(NotTogether(request, "of", "samples"));
  PLEXUS_TRY(NotTogether(request, "of", "seed"));
  const Snapshot& snapshot = workspace.snapshot();
  centrality::ClosenessOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  PLEXUS_ASSIGN(options.direction, AskedDirection(workspace, request));
  options.scaled = !request.Flag("unscaled");
  TakeMaxHops(request, options);
  options.samples = request.MaybeCount("samples").value_or(0);
  options.seed = request.Count("seed");
  PLEXUS_ASSIGN(options.of, FindAliveNodes(snapshot, request.List("of")));
  PLEXUS_ASSIGN(centrality::ClosenessResult result, centrality::Closeness(snapshot, options));
  const bool harmonic = request.Flag("harmonic"), asked = !options.of.empty();
  const std::vector<double>& scores = harmonic ? result.harmonic : result.closeness;
  Ranked top;
  if (asked) {
    // Those that were asked for and measured, each once, those that score 0 too.
    PLEXUS_ASSIGN(const NodeSubset measured,
                  NodeSubset::Of(snapshot, std::span(options.of).first(result.sources)));
    const std::uint64_t count = request.Given("top") ? request.Count("top") : 0;
    PLEXUS_ASSIGN(top, BestOf(workspace, scores, measured, count));
  } else {
    PLEXUS_ASSIGN(top, Best(workspace, scores, request.Count("top")));
  }
  std::string closing = ClosenessClosing(request, result, asked);
  Reply reply(
      [snapshot, harmonic, top = std::move(top), result = std::move(result)](ReplyWriter& json) {
        json.Field("exact", result.exact);
        json.Field("sources", result.sources);
        json.Field("bound", result.bound);
        json.Field("closeness_bound", result.closeness_bound);
        json.Field("truncated", result.truncated);
        const ScoredColumn closeness{"closeness", &result.closeness},
            sum{"harmonic", &result.harmonic}, reached{"reached", &result.reached};
        if (harmonic)
          WriteScored(json, snapshot, top, {sum, closeness, reached});
        else
          WriteScored(json, snapshot, top, {closeness, sum, reached});
      });
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace

void AddPathCentrality(Rows& rows) {
  rows.push_back(
      {.name = "betweenness",
       .group = "Ask",
       .title = "Betweenness",
       .summary = "Rank nodes by the shortest paths that pass through them",
       .parameters =
           Parameters{
               Count("samples", "N",
                     "search from N nodes (default: all up to 100,000, else 1,024)"),
               Count("seed", "S", "of the sample").Default(std::uint64_t{1}),
               Count("max_hops", "H", "only paths of at most H edges (default: no limit)"),
               Flag("directed", "paths follow the edges' directions (default: either way)"),
               MaxEdges("stop after N edges, and search from as many nodes as that allows")} +
           RankedParameters(),
       .reply = "exact:b, sources:n, bound:x, truncated:b, "
                "total:n, results:[{key:k, score:x, share:x}]",
       .tables = "results: score, share.3 percent = of all pairs, key",
       .examples = {{"plexus betweenness --db g --top 10", "the ten nodes that connect most"},
                    {"plexus betweenness --db g --samples 256 --json",
                     "an estimate from 256 nodes, with its bound"}},
       .run = RunBetweenness});
  rows.push_back(
      {.name = "closeness",
       .group = "Ask",
       .title = "Closeness",
       .summary = "Rank nodes by how near they are to all others",
       .parameters =
           Parameters{
               Flag("harmonic", "rank by the sum of 1 / distance"),
               Flag("unscaled", "do not scale closeness by the share of nodes that are reached"),
               DirectionParameter({"both", "out", "in"},
                                  "distances from a node, to it, or either way"),
               Count("max_hops", "H", "what is farther away is not reached (default: no limit)"),
               Count("samples", "N",
                     "distances to N nodes (default: all up to 20,000, else 1,024)"),
               Count("seed", "S", "of the sample").Default(std::uint64_t{1}),
               Repeated("of", "KEY", "only this node, exactly; repeatable").Named(Means::kKey),
               MaxEdges("stop after N edges, and search from as many nodes as that allows")} +
           RankedParameters(),
       .reply = "exact:b, sources:n, bound:x, closeness_bound:x, truncated:b, total:n, "
                "results:[{key:k, closeness:x, harmonic:x, reached:x}]",
       .tables = "results: closeness, harmonic, reached = reaches, key",
       .examples = {{"plexus closeness --db g --harmonic --top 10",
                     "the ten nodes nearest to all others"},
                    {"plexus closeness --db g --of alice --of bob --direction out --json",
                     "of two nodes, exactly"}},
       .run = RunCloseness});
}

}  // namespace plexus::tools
