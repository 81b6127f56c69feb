// rerank: what is most like a vector or a node, reordered by how the candidates hang
// together in the graph.
#include <optional>
#include <string>
#include <vector>

#include "algorithms/memory/visibility.h"
#include "algorithms/retrieval/rerank.h"
#include "storage/formats/import_vectors.h"
#include "tools/cli/arguments.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/lines_file.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/cli/table.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/names.h"
#include "tools/operations/reply.h"
#include "tools/operations/text_vectors.h"

namespace plexus::tools {
namespace {

constexpr std::uint64_t kDefaultCandidates = 30;

struct RerankArguments : BudgetOption {
  std::string vector, like, candidates, metric;
  std::optional<std::string> space;
  std::vector<std::string> kinds;
  std::optional<std::uint64_t> k, top;
  std::optional<double> boost;
  bool unit_similarity = false, include_superseded = false;
};

Status CheckArguments(const RerankArguments& given) {
  if (given.vector.empty() == given.like.empty())
    return Fail(ErrorCode::kInvalidArgument, "like what? either --vector FILE or --like KEY");
  if (!given.candidates.empty() && given.k)
    return Fail(ErrorCode::kInvalidArgument, "--candidates and --k exclude each other");
  if (given.k && *given.k == 0) return Fail(ErrorCode::kInvalidArgument, "--k is 1 or more");
  if (given.vector == "-" && given.candidates == "-")
    return Fail(ErrorCode::kInvalidArgument,
                "only one of --vector and --candidates can be standard input");
  return {};
}

// The space named, or "default", or the only one there is.
Result<SpaceId> FindSpace(const Schema& schema, const std::optional<std::string>& name) {
  std::vector<std::string> names;
  for (const VectorSpace& space : schema.spaces()) names.push_back(space.name);
  if (names.empty()) return Fail(ErrorCode::kNotFound, "this graph has no vectors; import some");
  if (const auto id = schema.FindSpace(name.value_or("default"))) return *id;
  if (!name && names.size() == 1) return SpaceId{0};
  std::string list;
  for (const std::string& known : names) list += (list.empty() ? "" : ", ") + known;
  if (!name) return Fail(ErrorCode::kInvalidArgument, "which space? --space is one of " + list);
  return Fail(ErrorCode::kNotFound,
              "no vector space '" + *name + "'; there are " + list + DidYouMean(*name, names));
}

// One key a line; empty lines are passed over.
Result<std::vector<NodeId>> ReadCandidates(const Snapshot& snapshot, const std::string& file) {
  PLEXUS_ASSIGN(const std::string text, ReadText(file));
  std::vector<NodeId> nodes;
  PLEXUS_TRY(ForEachLine(file, text, [&](std::string_view key) -> Status {
    if (key.empty()) return {};
    PLEXUS_ASSIGN(const NodeId node,
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

Result<Query> ReadQuery(const Snapshot& snapshot, SpaceId space, const RerankArguments& given) {
  Query query;
  if (!given.vector.empty()) {
    if (given.vector == "-") {
      PLEXUS_ASSIGN(const std::string bytes, ReadText("-"));
      PLEXUS_ASSIGN(query.values, text::ReadVector({"standard input", bytes}));
    } else {
      PLEXUS_ASSIGN(query.values, text::ReadVector({given.vector}));
    }
    return query;
  }
  PLEXUS_ASSIGN(query.node, FindAliveNode(snapshot, given.like));
  PLEXUS_ASSIGN(const VectorTable::View* vectors, snapshot.vectors(space));
  const auto values = vectors->vector(query.node);
  if (values.empty())
    return Fail(ErrorCode::kNotFound, "node '" + given.like + "' has no vector in space '" +
                                          snapshot.schema().spaces()[space].name + "'");
  query.values.assign(values.begin(), values.end());
  return query;
}

void WriteHits(const Snapshot& snapshot, SpaceId space, Metric metric, const RerankOptions& options,
               const RerankResult& result, std::uint64_t older) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("space", snapshot.schema().spaces()[space].name);
  json.Field("metric", MetricName(metric));
  json.Field("graph_boost", options.boost);
  json.Field("truncated", result.truncated);
  json.Field("candidates", result.candidates);
  json.Field("without_vector", result.without_vector);
  json.Field("left_out", result.outside);
  json.Field("older_than_text", older);
  json.BeginArray("results");
  for (const RerankHit& hit : result.hits) {
    json.BeginObject();
    json.Field("key", snapshot.key(hit.node));
    json.Field("score", hit.score);
    json.Field("similarity", hit.similarity);
    json.Field("graph", hit.graph);
    json.Field("measure", hit.measure);
    json.Field("degree", hit.degree);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  Out() << '\n';
}

void PrintHits(const Globals& globals, const Snapshot& snapshot, const RerankResult& result) {
  Table table;
  const auto right = Table::Align::kRight;
  table.Column("score", right).Column("similarity", right).Column("graph", right);
  AddNodeColumns(table, globals, 60);
  for (const RerankHit& hit : result.hits) {
    std::vector<std::string> row = {Number(hit.score, 4), Number(hit.similarity, 4),
                                    Number(hit.graph, 4)};
    AddNodeCells(row, globals, snapshot, hit.node);
    table.Row(row);
  }
  table.Print(Out());
  if (result.hits.empty()) Out() << "no candidates\n";
  PrintTruncated(result.truncated, "not all was measured, or joined to the others");
  if (globals.quiet) return;
  if (result.without_vector > 0)
    PrintNote(Grouped(result.without_vector) + " candidates have no vector and are left out");
  if (result.outside > 0)
    PrintNote(Grouped(result.outside) +
              " candidates are superseded, expired or out of scope and are left out");
}

Result<int> RunRerank(const Globals& globals, const RerankArguments& given) {
  PLEXUS_TRY(CheckArguments(given));
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  RerankOptions options;
  PLEXUS_ASSIGN(const SpaceId space, FindSpace(session->schema(), given.space));
  if (!given.metric.empty()) {
    PLEXUS_ASSIGN(options.metric, ParseMetric(given.metric));
  }
  PLEXUS_ASSIGN(const Query query, ReadQuery(snapshot, space, given));
  options.k = given.k.value_or(kDefaultCandidates);
  options.top = given.top.value_or(0);
  if (given.boost) options.boost = *given.boost;
  options.unit_similarity = given.unit_similarity;
  PLEXUS_ASSIGN(options.filter.kinds, FindEdgeKinds(session->schema(), given.kinds));
  options.filter.valid_at = session->now_ms();
  options.skip = query.node;
  options.run.executor = &session->executor();
  // Superseded, expired and not yet valid memories are left out unless asked for.
  VisibleOptions visible;
  visible.include_superseded = given.include_superseded;
  visible.executor = options.run.executor;
  PLEXUS_ASSIGN(const auto shown, VisibleNodes(snapshot, session->now_ms(), visible));
  NodeSubset subset = *shown;
  if (session->scope()) subset = subset.Intersect(*session->scope());
  options.filter.subset = &subset;
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(given));

  RerankResult result;
  if (given.candidates.empty()) {
    PLEXUS_ASSIGN(result, Rerank(snapshot, space, query.values, options));
  } else {
    PLEXUS_ASSIGN(const std::vector<NodeId> nodes, ReadCandidates(snapshot, given.candidates));
    PLEXUS_ASSIGN(result, RerankCandidates(snapshot, space, query.values, nodes, options));
  }
  const Metric metric = options.metric.value_or(session->schema().spaces()[space].metric);
  PLEXUS_ASSIGN(const std::uint64_t older,
                CountOlderVectors(snapshot, session->schema().spaces()[space].name, &subset));
  if (older > 0 && !globals.quiet)
    PrintNote(Grouped(older) + (older == 1 ? " fact has" : " facts have") +
              " a text that is newer than its vector: `plexus embed --db " + globals.db +
              "` makes them anew");
  if (globals.json)
    WriteHits(snapshot, space, metric, options, result, older);
  else
    PrintHits(globals, snapshot, result);
  return kDone;
}

}  // namespace

void AddRerank(Cli& cli) {
  static RerankArguments given;
  AddMaxSeconds(
      cli.Add("Ask", "rerank", "Find what is most like a vector or a node, reordered by the graph",
              [](const Globals& globals) { return RunRerank(globals, given); }),
      given)
      .Option("--vector", "FILE", given.vector,
              "the query: numbers, a JSON array, .npy, .fvecs or .f32; - is stdin")
      .Option("--like", "KEY", given.like,
              "the query: this node's own vector; the node is not among the nearest")
      .Option("--candidates", "FILE", given.candidates, "rank these, one key a line; - is stdin")
      .Option("--k", "N", given.k, "rank the N nearest (default 30)")
      .Option("--top", "K", given.top, "list the K best of them; 0 = all (default 0)")
      .Option("--graph-boost", "G", given.boost,
              "score = (1 - G) * similarity + G * graph, G in [0, 1] (default 0.3)")
      .List("--kinds", "A,B", given.kinds, "edges that count for the graph (default: all facts)")
      .Option("--space", "NAME", given.space,
              "the vector space (default: default, or the only one)")
      .Choice("--metric", given.metric, MetricNames(), "how to measure (default: the space's own)")
      .Flag("--unit-similarity", given.unit_similarity, "map a cosine c to (1 + c) / 2")
      .Flag("--include-superseded", given.include_superseded, "do not hide what was superseded")
      .Example("plexus rerank --db g --like m1 --k 30 --top 10",
               "the 30 memories nearest to m1, those first that hang together with the others")
      .Example(
          "plexus rerank --db g --vector query.npy --candidates hits.txt --graph-boost 0.5 --json",
          "another system's hits in a new order, with every term of the score");
}

}  // namespace plexus::tools
