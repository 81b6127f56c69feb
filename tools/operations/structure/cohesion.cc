// triangles, kcore: how the graph is knit.
#include <string>
#include <utility>
#include <vector>

#include "algorithms/community/community.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

Result<Reply> RunTriangles(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(NotTogether(request, "total", "directed"));
  PLEXUS_TRY(NotTogether(request, "total", "top"));
  const Snapshot& snapshot = workspace.snapshot();
  community::TrianglesOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  PLEXUS_ASSIGN(community::TrianglesResult counted, community::Triangles(snapshot, options));
  const bool total = request.Flag("total");
  community::ClusteringResult nodes;
  Ranked top;
  if (!total) {
    community::ClusteringOptions wanted;
    PLEXUS_TRY(Select(workspace, request, wanted));
    wanted.directed = request.Flag("directed");
    wanted.run.budget = options.run.budget;
    PLEXUS_ASSIGN(nodes, community::Clustering(snapshot, wanted));
    counted.truncated |= nodes.truncated;
    const std::vector<double> scores(nodes.triangles.begin(), nodes.triangles.end());
    PLEXUS_ASSIGN(top, Best(workspace, scores, request.Count("top")));
  }
  std::string headline = Grouped(counted.triangles) + " triangles among " + Grouped(counted.nodes) +
                         " nodes and " + Grouped(counted.edges) +
                         " pairs of neighbours, transitivity " + Number(counted.transitivity, 4);
  if (!total) headline += ", average clustering " + Number(nodes.average, 4);
  if (counted.truncated) headline += "; at least: not all edges were looked at (truncated)";
  Reply reply([snapshot, total, counted, top = std::move(top),
               nodes = std::move(nodes)](ReplyWriter& json) {
    json.Field("triangles", counted.triangles);
    json.Field("nodes_total", counted.nodes);
    json.Field("edges", counted.edges);
    json.Field("wedges", counted.wedges);
    json.Field("transitivity", counted.transitivity);
    json.Field("truncated", counted.truncated);
    if (total) return;
    json.Field("average_clustering", nodes.average);
    json.Field("total", top.total);
    json.Objects("results", top.nodes, [&](const ScoredNode& node) {
      json.Node("key", snapshot, node.node);
      json.Field("triangles", nodes.triangles[node.node]);
      json.Field("neighbors", nodes.degrees[node.node]);
      json.Field("clustering", nodes.coefficients[node.node]);
    });
  });
  reply.headline = headline + "\n";
  return reply;
}

Result<Reply> RunKCore(Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  community::KCoreOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  PLEXUS_ASSIGN(community::KCoreResult result, community::KCore(snapshot, options));
  const std::uint64_t least = request.Count("least");
  const auto wanted = [&](NodeId v) {
    return result.cores[v] != community::KCoreResult::kNotSelected && result.cores[v] >= least;
  };
  const std::vector<double> scores(result.cores.begin(), result.cores.end());
  PLEXUS_ASSIGN(auto top, Best(workspace, scores, request.Count("top"), wanted));
  std::string headline =
      "the densest core is the " + std::to_string(result.degeneracy) + "-core; " +
      Grouped(top.total) + " nodes stand in the " + std::to_string(least) + "-core" +
      (result.truncated ? "; at least: not all edges were followed (truncated)" : "") + "\n";
  Reply reply([snapshot, top = std::move(top), result = std::move(result)](ReplyWriter& json) {
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
    json.Field("total", top.total);
    json.Objects("results", top.nodes, [&](const ScoredNode& node) {
      json.Node("key", snapshot, node.node);
      json.Field("core", result.cores[node.node]);
    });
  });
  reply.headline = std::move(headline);
  return reply;
}

}  // namespace

void AddCohesion(Rows& rows) {
  rows.push_back(
      {.name = "triangles",
       .group = "Ask",
       .title = "Triangles and clustering",
       .summary = "Count triangles; the clustering coefficient per node",
       .parameters =
           Parameters{Flag("total", "only the counts, which is faster"),
                      MaxEdges("look at N edges and say truncated"),
                      Flag("directed", "clustering counts directions (LDBC Graphalytics' LCC)")} +
           RankedParameters(),
       .reply = "triangles:n, nodes_total:n, edges:n, wedges:n, transitivity:x, truncated:b, "
                "average_clustering?:x, "
                "total?:n, results?:[{key:k, triangles:n, neighbors:n, clustering:x}]",
       .tables = "results: triangles, neighbors = neighbours, clustering.4, key",
       .examples = {{"plexus triangles --db g", "how many, and the nodes that are in most of them"},
                    {"plexus triangles --db g --kinds knows --top 0 --json",
                     "the clustering coefficient of all who are in a triangle"}},
       .run = RunTriangles});
  rows.push_back(
      {.name = "kcore",
       .group = "Ask",
       .title = "Cores",
       .summary = "List the core number of each node, the highest first",
       .parameters =
           Parameters{MaxNodes("take N nodes away and say truncated"),
                      MaxEdges("follow N edges and say truncated"),
                      Count("least", "K", "only nodes of the K-core").Default(std::uint64_t{0})} +
           RankedParameters(""),
       .reply = "degeneracy:n, truncated:b, cores:[{core:n, nodes:n}], total:n, "
                "results:[{key:k, core:n}]",
       .tables = "results: core, key",
       .examples = {{"plexus kcore --db g --top 10", "ten nodes with the highest core numbers"},
                    {"plexus kcore --db g --least 3 --top 0 --json",
                     "the 3-core, each node with its core number"}},
       .run = RunKCore});
}

}  // namespace plexus::tools
