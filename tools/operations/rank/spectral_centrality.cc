// katz, eigenvector, hits: who is pointed at, who by important ones, who points well.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/centrality/centrality.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/kind_direction.h"
#include "tools/operations/rank/scored_columns.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

// What the three take in common: the most steps, when to stop, whether weights count.
template <class Options>
Status TakeIteration(const Workspace& workspace, const Request& request, Options& options) {
  PLEXUS_TRY(Select(workspace, request, options));
  if (request.Has("direction")) {
    if constexpr (requires { options.direction; }) {
      PLEXUS_ASSIGN(options.direction, AskedDirection(workspace, request));
    }
  }
  options.max_iterations = static_cast<int>(request.Count("iterations"));
  options.tolerance = request.Number("tolerance");
  options.weighted = !request.Flag("unweighted");
  return {};
}

std::string Stopped(const Request& request, bool truncated) {
  return truncated ? "truncated: not converged when the budget or " + request.Name("iterations") +
                         " (default 1000) ran out; these are the scores of the last step made\n"
                   : "";
}

std::string Steps(int iterations, double step, bool converged) {
  return std::to_string(iterations) + " iterations, last step " + Number(step, 3) +
         (converged ? "" : ", not converged") + "\n";
}

Result<Reply> RunKatz(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  centrality::KatzOptions options;
  PLEXUS_TRY(TakeIteration(workspace, request, options));
  if (const auto alpha = request.MaybeNumber("alpha")) {
    if (!(*alpha > 0)) return Invalid(request.Name("alpha"), " is above 0");
    options.alpha = *alpha;
  }
  PLEXUS_ASSIGN(centrality::KatzResult result, centrality::Katz(snapshot, options));
  std::vector<double> normal = result.scores;
  for (double& x : normal) x = result.norm > 0 ? x / result.norm : 0;
  PLEXUS_ASSIGN(auto top, Best(workspace, result.scores, request.Count("top")));
  std::string closing = "alpha " + Number(result.alpha, 4) + ", spectral radius at most " +
                        Number(result.radius, 4) + ", " + std::to_string(result.iterations) +
                        " iterations, " +
                        (std::isfinite(result.error)
                             ? "no score off by more than " + Number(result.error * 100, 3) + " %"
                             : std::string("not known to converge")) +
                        "\n" + Stopped(request, result.truncated);
  Reply reply([snapshot, top = std::move(top), normal = std::move(normal),
               result = std::move(result)](ReplyWriter& json) {
    json.Field("alpha", result.alpha);
    json.Field("radius", result.radius);
    json.Field("iterations", result.iterations);
    json.Field("error", result.error);
    json.Field("converged", result.converged);
    json.Field("truncated", result.truncated);
    WriteScored(json, snapshot, top, {{"score", &result.scores}, {"normalized", &normal}});
  });
  reply.closing = std::move(closing);
  return reply;
}

Result<Reply> RunEigenvector(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  centrality::EigenvectorOptions options;
  PLEXUS_TRY(TakeIteration(workspace, request, options));
  PLEXUS_ASSIGN(centrality::EigenvectorResult result, centrality::Eigenvector(snapshot, options));
  PLEXUS_ASSIGN(auto top, Best(workspace, result.scores, request.Count("top")));
  std::string closing =
      result.acyclic ? "no edges form a cycle: the eigenvalue is 0 and no node has a score; katz, "
                       "or " +
                           request.Name("direction", "both") + ", ranks such a graph\n"
                     : "eigenvalue " + Number(result.eigenvalue, 6) + ", " +
                           Steps(result.iterations, result.step, result.converged) +
                           Stopped(request, result.truncated);
  Reply reply([snapshot, top = std::move(top), result = std::move(result)](ReplyWriter& json) {
    json.Field("eigenvalue", result.eigenvalue);
    json.Field("acyclic", result.acyclic);
    json.Field("iterations", result.iterations);
    json.Field("step", result.step);
    json.Field("converged", result.converged);
    json.Field("truncated", result.truncated);
    WriteScored(json, snapshot, top, {{"score", &result.scores}});
  });
  reply.closing = std::move(closing);
  return reply;
}

Result<Reply> RunHits(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  centrality::HitsOptions options;
  PLEXUS_TRY(TakeIteration(workspace, request, options));
  PLEXUS_ASSIGN(centrality::HitsResult result, centrality::Hits(snapshot, options));
  PLEXUS_ASSIGN(const bool backward, IsBackward(workspace.schema(), request.List("kinds")));
  if (backward) std::swap(result.hubs, result.authorities);
  const bool hubs = request.Flag("hubs");
  PLEXUS_ASSIGN(auto top,
                Best(workspace, hubs ? result.hubs : result.authorities, request.Count("top")));
  std::string closing =
      Steps(result.iterations, result.step, result.converged) + Stopped(request, result.truncated);
  Reply reply(
      [snapshot, hubs, top = std::move(top), result = std::move(result)](ReplyWriter& json) {
        json.Field("iterations", result.iterations);
        json.Field("step", result.step);
        json.Field("converged", result.converged);
        json.Field("truncated", result.truncated);
        const ScoredColumn authority{"authority", &result.authorities}, hub{"hub", &result.hubs};
        if (hubs)
          WriteScored(json, snapshot, top, {hub, authority});
        else
          WriteScored(json, snapshot, top, {authority, hub});
      });
  reply.closing = std::move(closing);
  return reply;
}

Parameters IterationParameters(const char* edges, const char* tolerance) {
  return Parameters{
             Count("iterations", "N",
                   "at most N (of katz those that find alpha come besides), then say truncated")
                 .Between(1, 1'000'000)
                 .Default(std::uint64_t{1000}),
             MaxEdges(edges), Number("tolerance", "T", tolerance).Default(1e-9),
             Flag("unweighted", "every edge counts 1")} +
         RankedParameters();
}

Parameter Walks() {
  return DirectionParameter({"out", "in", "both"},
                            "along the edges (to rank targets), against them, or either way");
}

constexpr const char* kOnce = "follow N edges, all of them once an iteration, and say truncated";
constexpr const char* kTwice = "follow N edges, all of them twice an iteration, and say truncated";
constexpr const char* kStep = "stop when a step changes less, L1";

}  // namespace

void AddSpectralCentrality(Rows& rows) {
  rows.push_back(
      {.name = "katz",
       .group = "Ask",
       .title = "Katz centrality",
       .summary = "Rank nodes by the walks that lead to them, long ones counting less",
       .parameters =
           Parameters{Number("alpha", "A",
                             "factor for each step of a walk (default: half of what converges, and "
                             "of what arcs and walks of up to 8 arcs weigh)"),
                      Walks()} +
           IterationParameters(kOnce, "stop when no score is off by more than this share"),
       .reply = "alpha:x, radius:x, iterations:n, error:x, converged:b, truncated:b, "
                "total:n, results:[{key:k, score:x, normalized:x}]",
       .tables = "results: score, normalized = of norm 1, key",
       .examples = {{"plexus katz --db g --top 10", "the ten nodes most walks lead to"},
                    {"plexus katz --db g --alpha 0.01 --kinds cites --json",
                     "with a given attenuation, over one kind"}},
       .run = RunKatz});
  rows.push_back({.name = "eigenvector",
                  .group = "Ask",
                  .title = "Eigenvector centrality",
                  .summary = "Rank nodes by the rank of those that point at them",
                  .parameters = Parameters{Walks()} + IterationParameters(kOnce, kStep),
                  .reply = "eigenvalue:x, acyclic:b, iterations:n, step:x, converged:b, "
                           "truncated:b, total:n, results:[{key:k, score:x}]",
                  .tables = "results: score, key",
                  .examples = {{"plexus eigenvector --db g --direction both",
                                "nodes whose neighbours are central"},
                               {"plexus eigenvector --db g --kinds cites --json",
                                "nodes that are cited by cited nodes"}},
                  .run = RunEigenvector});
  rows.push_back(
      {.name = "hits",
       .group = "Ask",
       .title = "Hubs and authorities",
       .summary = "Rank nodes as authorities that good hubs point at, and as hubs",
       .parameters = Parameters{Flag("hubs", "rank by hub")} + IterationParameters(kTwice, kStep),
       .reply = "iterations:n, step:x, converged:b, truncated:b, "
                "total:n, results:[{key:k, authority:x, hub:x}]",
       .tables = "results: authority, hub, key",
       .examples = {{"plexus hits --db g --top 10", "the ten best authorities"},
                    {"plexus hits --db g --hubs --kinds cites --json", "the best citing nodes"}},
       .run = RunHits});
}

}  // namespace plexus::tools
