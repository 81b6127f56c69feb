// similar: nodes that share neighbours: near one node, of given pairs, of the whole graph.
#include <string>
#include <utility>
#include <vector>

#include "algorithms/similarity/similarity.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"

namespace plexus::tools {
namespace {

similarity::SimilarityMeasure MeasureNamed(const std::string& name) {
  if (name == "jaccard") return similarity::SimilarityMeasure::kJaccard;
  if (name == "overlap") return similarity::SimilarityMeasure::kOverlap;
  if (name == "adamic-adar") return similarity::SimilarityMeasure::kAdamicAdar;
  return name == "resource" ? similarity::SimilarityMeasure::kResourceAllocation
                            : similarity::SimilarityMeasure::kCommon;
}

Result<Reply> NodesReply(const Workspace& workspace, NodeId of,
                         similarity::SimilarityOptions options) {
  const Snapshot& snapshot = workspace.snapshot();
  const std::size_t top = options.top;
  if (workspace.shown()) options.top = 0;
  PLEXUS_ASSIGN(similarity::SimilarNodesResult result,
                similarity::SimilarNodes(snapshot, of, options));
  KeepShown(workspace, result.hits, &similarity::SimilarNeighbor::node);
  if (top > 0 && result.hits.size() > top) result.hits.resize(top);
  const bool counted = options.measure == similarity::SimilarityMeasure::kJaccard ||
                       options.measure == similarity::SimilarityMeasure::kOverlap;
  std::string headline = Grouped(result.candidates) + " nodes share some of " +
                         Grouped(result.neighbors) + " neighbours" +
                         (result.truncated ? "; not all were looked at" : "") + "\n";
  Reply reply([snapshot, counted, result = std::move(result)](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    json.Field("neighbors", result.neighbors);
    json.Field("candidates", result.candidates);
    json.Objects("results", result.hits, [&](const similarity::SimilarNeighbor& node) {
      json.Node("key", snapshot, node.node);
      json.Field("score", node.score);
      json.Field("shared", node.shared);
      if (counted) json.Field("neighbors", node.neighbors);
    });
  });
  reply.headline = std::move(headline);
  return reply;
}

Reply PairsReply(const Snapshot& snapshot, std::vector<similarity::PairSimilarity> pairs,
                 bool truncated) {
  Reply reply([snapshot, pairs = std::move(pairs), truncated](ReplyWriter& json) {
    json.Field("truncated", truncated);
    json.Objects("pairs", pairs, [&](const similarity::PairSimilarity& pair) {
      json.Node("a", snapshot, pair.a);
      json.Node("b", snapshot, pair.b);
      json.Field("score", pair.score);
      json.Field("shared", pair.shared);
      json.Field("neighbors_a", pair.neighbors_a);
      json.Field("neighbors_b", pair.neighbors_b);
    });
  });
  if (truncated) reply.closing = "not all pairs were looked at\n";
  return reply;
}

Result<Reply> RunSimilar(Workspace& workspace, const Request& request) {
  if (request.Given("with") && !request.Given("of"))
    return Invalid(request.Name("with"), " needs ", request.Name("of"),
                   ": which node is compared?");
  for (const char* shows : {"show_kinds", "show_where"}) {
    PLEXUS_TRY(Needs(request, shows, "of"));
    PLEXUS_TRY(NotTogether(request, "with", shows));
  }
  PLEXUS_TRY(NotTogether(request, "with", "least"));
  PLEXUS_TRY(NotTogether(request, "with", "top"));
  const std::uint64_t least = request.Count("least");
  if (least == 0)
    return Invalid(request.Name("least"), " is 1 or more: who shares nothing is never listed");
  const Snapshot& snapshot = workspace.snapshot();
  similarity::SimilarityOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  options.measure = MeasureNamed(request.Text("measure"));
  PLEXUS_ASSIGN(options.direction, AskedDirection(workspace, request));
  options.top = request.Count("top");
  options.min_shared = least;
  if (!request.Given("of")) {
    PLEXUS_ASSIGN(similarity::SimilarPairsResult result,
                  similarity::SimilarPairs(snapshot, options));
    return PairsReply(snapshot, std::move(result.pairs), result.truncated);
  }
  PLEXUS_ASSIGN(const NodeId of, FindAliveNode(snapshot, request.Text("of")));
  PLEXUS_ASSIGN(std::vector<NodeId> named, FindAliveNodes(snapshot, request.List("with")));
  std::vector<NodePair> pairs;
  for (const NodeId other : named) pairs.push_back({of, other});
  named.insert(named.begin(), of);
  NoteIndexNodes(workspace.notes(), snapshot, named, options.filter.kinds);
  if (pairs.empty()) return NodesReply(workspace, of, options);
  PLEXUS_ASSIGN(similarity::PairSimilaritiesResult result,
                similarity::PairSimilarities(snapshot, pairs, options));
  return PairsReply(snapshot, std::move(result.pairs), result.truncated);
}

}  // namespace

void AddSimilar(Rows& rows) {
  rows.push_back(
      {.name = "similar",
       .group = "Ask",
       .title = "Shared neighbours",
       .summary =
           "Find nodes that share neighbours with one, or the pairs of the graph that share most",
       .parameters =
           Parameters{
               Optional(Text("of", "KEY",
                             "nodes similar to this one (default: pairs of the whole graph)")
                            .Named(Means::kKey)
                            .OrPositional()),
               Repeated("with", "KEY",
                        "compare 'of' with this node only, without 'least' and 'top'; repeatable")
                   .Named(Means::kKey),
               Choice("measure", {"jaccard", "overlap", "adamic-adar", "resource", "common"},
                      "how shared neighbours count"),
               DirectionParameter({"both", "out", "in"},
                                  "out: shared targets; in: shared sources; both: either"),
               KindsParameter(
                   "only these edge kinds, such as has_tag for shared tags (default: all facts)"),
               ValidAtParameter(),
               Count("least", "N", "leave out nodes that share fewer than N")
                   .Default(std::uint64_t{1}),
               MaxEdges(), Top(20, "the K best; 0 = all")} +
           ShownParameters(),
       .reply = "truncated:b, neighbors?:n, candidates?:n, "
                "results?:[{key:k, score:x, shared:n, neighbors?:n}], "
                "pairs?:[{a:k, b:k, score:x, shared:n, neighbors_a:n, neighbors_b:n}]",
       .tables = "results: score.4, shared, key; pairs: score.4, shared, a = one, "
                 "b = other",
       .examples =
           {{"plexus similar --db g --of alice --top 10",
             "nodes that know the same nodes as alice"},
            {"plexus similar --db g --measure adamic-adar --kinds has_tag --direction out --json",
             "the pairs of facts with the rarest tags in common"}},
       .run = RunSimilar});
}

}  // namespace plexus::tools
