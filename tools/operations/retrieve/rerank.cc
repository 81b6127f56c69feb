// rerank: what is most like a vector or a node, reordered by how the candidates hang
// together in the graph.
#include "algorithms/retrieval/vectors.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/vectors/vector_view.h"
#include "storage/formats/import.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/lines.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/text_vectors.h"

namespace plexus::tools {
namespace {

Status CheckArguments(const Request& request) {
  if (request.Given("vector") == request.Given("like"))
    return Invalid("like what? either ", request.Name("vector"), " or ", request.Name("like"),
                   " KEY");
  if (request.Given("candidates") && request.Given("k"))
    return Invalid(request.Name("candidates"), " and ", request.Name("k"), " exclude each other");
  PLEXUS_TRY(NotTogether(request, "candidates", "prefilter"));
  return {};
}

// One key a line; empty lines are passed over.
Result<std::vector<NodeId>> ReadCandidates(const Snapshot& snapshot, const Request& request) {
  std::vector<NodeId> nodes;
  PLEXUS_TRY(ForEachLine(request.Source("candidates"), request.Text("candidates"),
                         [&](std::string_view key) -> Status {
                           if (key.empty()) return {};
                           PLEXUS_ASSIGN(
                               const NodeId node,
                               FindAliveNode(snapshot, key.substr(0, Limits::kMaxKeyBytes + 1)));
                           nodes.push_back(node);
                           return {};
                         }));
  return nodes;
}

struct Query {
  std::vector<float> values;
  NodeId node = kNoNode;  // that it was taken from
};

Result<Query> ReadQuery(const Snapshot& snapshot, SpaceId space, const Request& request) {
  Query query;
  if (request.Given("vector")) {
    PLEXUS_ASSIGN(query.values,
                  formats::ReadVector({request.Source("vector"), request.Text("vector")}));
    return query;
  }
  const std::string& like = request.Text("like");
  PLEXUS_ASSIGN(query.node, FindAliveNode(snapshot, like));
  PLEXUS_ASSIGN(const VectorView* vectors, snapshot.vectors(space));
  VectorBuffer buffer;
  const auto values = vectors->vector(query.node, buffer);
  if (values.empty())
    return NotFound("node ", Quoted(like), " has no vector in space '",
                    snapshot.schema().spaces()[space].name, "'");
  query.values.assign(values.begin(), values.end());
  return query;
}

// What was left out.
void AddNotes(Workspace& workspace, const retrieval::RerankResult& result) {
  const auto note = [&](std::uint64_t count, const std::string& text) {
    if (count > 0) workspace.notes().push_back({Grouped(count) + text, Note::kForPeople});
  };
  note(result.without_vector, " candidates have no vector and are left out");
  note(result.outside, " candidates are superseded, expired or out of scope and are left out");
}

Result<Reply> RunRerank(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(CheckArguments(request));
  const Snapshot& snapshot = workspace.snapshot();
  retrieval::RerankOptions options;
  PLEXUS_ASSIGN(const SpaceId space, FindSpace(workspace.schema(), request));
  PLEXUS_TRY(Select(workspace, request, options));
  if (request.Given("metric")) PLEXUS_SET(options.metric, ParseMetric(request.Text("metric")));
  PLEXUS_ASSIGN(const Query query, ReadQuery(snapshot, space, request));
  options.prefilter = ReadPrefilter(request);
  options.k = request.Count("k");
  options.top = request.Count("top");
  options.boost = request.Number("graph_boost");
  options.unit_similarity = request.Flag("unit_similarity");
  options.filter.valid_at = workspace.now_ms();
  options.skip = query.node;
  // Superseded, expired and not yet valid memories are left out unless asked for.
  PLEXUS_ASSIGN(NodeSubset subset, VisibleInScope(workspace, request));
  options.filter.subset = &subset;
  retrieval::RerankResult result;
  if (!request.Given("candidates")) {
    PLEXUS_ASSIGN(result, retrieval::Rerank(snapshot, space, query.values, options));
  } else {
    PLEXUS_ASSIGN(const std::vector<NodeId> nodes, ReadCandidates(snapshot, request));
    PLEXUS_ASSIGN(result,
                  retrieval::RerankCandidates(snapshot, space, query.values, nodes, options));
  }
  const VectorSpace& known = workspace.schema().spaces()[space];
  const Metric metric = options.metric.value_or(known.metric);
  PLEXUS_ASSIGN(const std::uint64_t older, NoteOlderVectors(workspace, request, space, &subset));
  AddNotes(workspace, result);
  std::string closing = result.hits.empty() ? "no candidates\n" : "";
  closing += Truncated(result.truncated, "not all was measured, or joined to the others");
  Reply reply([snapshot, name = known.name, metric, boost = options.boost, older,
               result = std::move(result)](ReplyWriter& json) {
    json.Field("space", name);
    json.Field("metric", MetricName(metric));
    json.Field("graph_boost", boost);
    json.Field("truncated", result.truncated);
    json.Field("total", result.candidates);
    json.Field("without_vector", result.without_vector);
    json.Field("left_out", result.outside);
    json.Field("older_than_text", older);
    json.Objects("results", result.hits, [&](const retrieval::RerankHit& hit) {
      json.Node("key", snapshot, hit.node);
      json.Field("score", hit.score);
      json.Field("similarity", hit.similarity);
      json.Field("graph", hit.graph);
      json.Field("measure", hit.measure);
      json.Field("degree", hit.degree);
    });
  });
  reply.closing = std::move(closing);
  return reply;
}

}  // namespace

void AddRerank(Rows& rows) {
  rows.push_back(
      {.name = "rerank",
       .group = "Ask",
       .title = "Nearest vectors, reordered by the graph",
       .summary = "Find the nodes most similar to a vector or a node, reordered by the graph",
       .parameters =
           Parameters{
               Text("vector", "FILE",
                    "the query: numbers, a JSON array, .npy, .fvecs or .f32; - is stdin")
                   .Lines()
                   .MayBeEmpty(),
               Optional(Text("like", "KEY",
                             "the query: this node's own vector; the node is not among the nearest")
                            .Named(Means::kKey)
                            .OrPositional()),
               Text("candidates", "FILE", "rank these, one key a line; - is stdin")
                   .Named(Means::kContent)
                   .MayBeEmpty(),
               Count("k", "N", "rank the N nearest").AtLeast(1).Default(std::uint64_t{30}),
               Top(0, "list the K best of them; 0 = all"),
               Number("graph_boost", "G", "score = (1 - G) * similarity + G * graph, G in [0, 1]")
                   .Default(0.3),
               KindsParameter("edges that count for the graph (default: all facts)"),
               Text("space", "NAME", "the vector space (default: default, or the only one)"),
               MaybeChoice("metric", MetricNames(), "how to measure (default: the space's own)"),
               Flag("unit_similarity", "map a cosine c to (1 + c) / 2"), IncludeSuperseded(),
               QuestionPrefilter()},
       .reply = "space:s, metric:s, graph_boost:x, truncated:b, total:n, without_vector:n, "
                "left_out:n, older_than_text:n, "
                "results:[{key:k, score:x, similarity:x, graph:x, measure:x, degree:x}]",
       .tables = "results: score.4, similarity.4, graph.4, key",
       .examples =
           {{"plexus rerank --db g --like m1 --k 30 --top 10",
             "the 30 memories nearest to m1, the well connected ones first"},
            {"plexus rerank --db g --vector query.npy --candidates hits.txt --graph-boost 0.5 "
             "--json",
             "hits of another system in a new order, with the terms of the score"}},
       .run = RunRerank});
}

}  // namespace plexus::tools
