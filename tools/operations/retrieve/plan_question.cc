// retrieve: nodes found, expanded, scored and explained by a plan.
#include "tools/operations/retrieve/matching_line.h"
#include "tools/operations/retrieve/plan_question.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/retrieval/plan.h"
#include "engine/vocabulary.h"
#include "storage/formats/import.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/reply/text_field.h"
#include "tools/operations/retrieve/plan_source.h"
#include "tools/operations/retrieve/word_query.h"
#include "tools/operations/text_vectors.h"

namespace plexus::tools {
namespace {

struct Asked {
  AskedPlan plan;
  NodeSubset subset;
  WordQuery words;
  std::vector<retrieval::Bm25Phrase> phrases;
  std::vector<float> vector;
  std::vector<NodeWeight> keys;
  retrieval::RetrieveQuery question;
  retrieval::RetrieveOptions options;
};

Status ReadWords(Workspace& workspace, const Request& request, Asked& asked) {
  PLEXUS_ASSIGN(asked.words, ReadIndexedWords(workspace, request, "words", asked.subset));
  asked.phrases.push_back(asked.words.phrase());
  asked.question.terms = asked.words.terms;
  asked.question.text = asked.words.parsed.words;
  asked.question.phrases = asked.phrases;
  asked.options.subset = &asked.words.subset;
  return {};
}

Status ReadVectors(Workspace& workspace, const Request& request, Asked& asked) {
  if (request.Given("vector")) {
    PLEXUS_ASSIGN(asked.question.space, SpaceOfPlan(workspace, request, asked.plan.plan));
    PLEXUS_ASSIGN(asked.vector,
                  formats::ReadVector({request.Source("vector"), request.Text("vector")}));
    asked.question.vector = asked.vector;
    PLEXUS_TRY(NoteOlderVectors(workspace, request, *asked.question.space, asked.options.subset));
    return {};
  }
  SpaceId space{};
  PLEXUS_ASSIGN(asked.vector,
                WordsAsVector(workspace, request, asked.question.terms, asked.plan.plan, space));
  if (!asked.vector.empty()) {
    asked.question.vector = asked.vector;
    asked.question.space = space;
    PLEXUS_TRY(NoteOlderVectors(workspace, request, space, asked.options.subset));
    return {};
  }
  PLEXUS_TRY(Needs(request, "space", "vector"));
  if (asked.plan.plan.fuse == retrieval::Fusion::kMmr)
    PLEXUS_SET(asked.question.space, SpaceOfPlan(workspace, request, asked.plan.plan));
  return {};
}

// Of the nodes that may be found those that are inscribed with a name.
Status KeepInscribed(const Workspace& workspace, const Request& request, Asked& asked) {
  if (!request.Given("inscription")) return {};
  const Snapshot& snapshot = workspace.snapshot();
  const std::string& name = request.Text("inscription");
  const auto node = snapshot.Find(IndexKey("inscription", name));
  if (!node || !snapshot.alive(*node))
    return NotFound(request.Name("inscription"), ": nothing is inscribed ", Quoted(name));
  std::vector<NodeId> nodes;
  snapshot.ForEachArc(Direction::kIn, *node,
                      ArcFilter::Kind(snapshot.schema(), builtin::kInscribed),
                      [&](const Arc& arc) { nodes.push_back(arc.neighbor); });
  PLEXUS_ASSIGN(const NodeSubset inscribed, NodeSubset::Of(snapshot, nodes));
  asked.subset = asked.subset.Intersect(inscribed);
  return {};
}

// Spans of the question look into `asked`.
Status ReadQuestion(Workspace& workspace, const Request& request, Asked& asked) {
  PLEXUS_TRY(Needs(request, "prefilter", "vector"));
  asked.options.prefilter = ReadPrefilter(request);
  PLEXUS_TRY(ReadPlan(workspace, request, asked.plan));
  if (request.Given("hops")) asked.plan.plan.expand.hops = static_cast<int>(request.Count("hops"));
  if (request.Given("graph_boost"))
    asked.plan.plan.score[retrieval::PlanTerm::kGraph] = request.Number("graph_boost");
  if (request.Given("rank_constant")) {
    asked.plan.plan.fuse = retrieval::Fusion::kRrf;
    asked.plan.plan.rank_constant = request.Number("rank_constant");
  }
  PLEXUS_TRY(retrieval::CheckPlan(asked.plan.plan));
  PLEXUS_ASSIGN(asked.subset, VisibleInScope(workspace, request));
  PLEXUS_TRY(KeepInscribed(workspace, request, asked));
  asked.options.subset = &asked.subset;
  if (request.Given("words")) PLEXUS_TRY(ReadWords(workspace, request, asked));
  PLEXUS_TRY(ReadVectors(workspace, request, asked));
  PLEXUS_ASSIGN(asked.keys, FindSeeds(workspace.snapshot(), request.List("from")));
  asked.question.keys = asked.keys;
  PLEXUS_TRY(ReadPlanValues(workspace, asked.plan));
  asked.options.salience = asked.plan.salience;
  asked.options.outcome = asked.plan.outcome;
  asked.options.now_ms = asked.options.valid_at = workspace.now_ms();
  PLEXUS_ASSIGN(asked.options.run.budget, MakeBudget(request));
  asked.options.run.executor = &workspace.executor();
  return {};
}

struct Answered {
  Snapshot snapshot;
  std::string plan_name;
  retrieval::RetrievalPlan plan;
  retrieval::RetrieveResult result;
  EdgeProperties properties;
  std::optional<std::uint64_t> max_chars;
  std::optional<MatchingLine> line;  // of a question in words
};

void WriteHit(ReplyWriter& json, const Answered& answer, const retrieval::RetrieveHit& hit) {
  const Snapshot& snapshot = answer.snapshot;
  json.Node("key", snapshot, hit.node);
  json.Field("score", hit.score);
  json.Field("relevance", hit.relevance);
  json.BeginArray("terms");
  for (std::size_t t = 0; t < hit.terms.size(); ++t) {
    json.BeginObject();
    json.Field("name", hit.terms[t].name);
    json.Field("value", hit.terms[t].value);
    json.Field("weight", hit.terms[t].weight);
    if (!hit.ranks.empty() && hit.ranks[t] > 0) json.Field("rank", hit.ranks[t]);
    json.EndObject();
  }
  json.EndArray();
  WriteFoundBy(json, answer.plan, hit);
  if (hit.seed != kNoNode) {
    json.Field("hops", hit.hops);
    json.Node("seed", snapshot, hit.seed);
    WritePath(json, "path", snapshot, hit.path, answer.properties);
  }
  json.Field("kind", snapshot.schema().node_kind(snapshot.node_kind(hit.node)).name);
  const std::string text = WholeText(snapshot, hit.node);
  WriteText(json, text, answer.max_chars);
  if (answer.line) answer.line->Write(json, text);
}

void WriteAnswer(ReplyWriter& json, const Answered& answer) {
  const retrieval::RetrieveResult& result = answer.result;
  json.Field("plan", answer.plan_name);  // A name, or where its JSON came from.
  json.Field("fuse", retrieval::FusionName(answer.plan.fuse));
  json.Field("truncated", result.truncated);
  json.Field("candidates", result.candidates);
  json.Field("without_vector", result.without_vector);
  json.Field("without_term", result.left_out);
  json.Objects("hits", result.hits,
               [&](const retrieval::RetrieveHit& hit) { WriteHit(json, answer, hit); });
  WriteStages(json, result);
}

}  // namespace

Parameters PlanParameters() {
  return AskedParameters() +
         Parameters{
             Repeated("from", "KEY",
                      "a node to start at; KEY=W gives it a weight in (0, 1], of --plan lists also "
                      "above")
                 .Named(Means::kWeightedKey),
             PlanParameter().Default("dual"),
             Count("top", "K", "at most K nodes, instead of the plan's").Between(1, 10'000),
             Count("hops", "N", "walk N hops, instead of the plan's")
                 .Between(0, traversal::kMaxHops),
             Text("inscription", "NAME", "only what is inscribed with this name"),
             Number("graph_boost", "G", "the weight of the term graph, instead of the plan's")
                 .Between(0, 1000),
             Number("rank_constant", "K",
                    "fuse by ranks: of each term its weight / (K + rank), instead of as the "
                    "plan says; 60 is usual")
                 .Between(0, retrieval::PlanLimits::kMaxRankConstant),
             KindsParameter("edges that are walked and counted, instead of the plan's"),
             MaxNodes("each stage stops after N nodes and says truncated"),
             MaxEdges("each stage stops after N edges and says truncated"),
             IncludeSuperseded(),
             QuestionPrefilter()};
}

Result<Reply> AnswerByPlan(Workspace& workspace, const Request& request) {
  // The options keep addresses of its members.
  const auto asked = std::make_unique<Asked>();
  PLEXUS_TRY(ReadQuestion(workspace, request, *asked));
  Answered answer;
  answer.max_chars = request.MaybeCount("max_chars");
  answer.snapshot = workspace.snapshot();
  if (!asked->words.terms.empty())
    PLEXUS_SET(answer.line, MatchingLine::Make(answer.snapshot, asked->words.terms));
  PLEXUS_ASSIGN(answer.result, retrieval::Retrieve(answer.snapshot, asked->plan.plan,
                                                   asked->question, asked->options));
  answer.result.truncated |= asked->words.truncated;
  for (const retrieval::RetrieveHit& hit : answer.result.hits)
    PLEXUS_TRY(answer.properties.Read(answer.snapshot, hit.path));
  NoteLeftOut(workspace, answer.result);
  answer.plan = std::move(asked->plan.plan);
  answer.plan_name = std::move(asked->plan.name);
  std::string closing = answer.result.hits.empty() ? "nothing found\n" : "";
  closing += Truncated(answer.result.truncated, "these are the best of those looked at");
  Reply reply([answer = std::move(answer)](ReplyWriter& json) { WriteAnswer(json, answer); });
  reply.closing = std::move(closing);
  return reply;
}

void AddRetrieve(Rows& rows) {
  rows.push_back(
      {.name = "retrieve",
       .group = "Ask",
       .title = "Retrieval by a plan",
       .summary = "Find, expand, score and explain by a plan: words, a vector, keys, or all",
       .parameters = PlanParameters() + Parameters{MaxCharsParameter()},
       .reply = "plan:s, fuse:s, truncated:b, candidates:n, without_vector:n, without_term:n, "
                "hits:[{key:k, score:x, relevance:x, "
                "terms:[{name:s, value:x, weight:x, rank?:n}], found_by:[s], hops?:n, seed?:k, "
                "path?:[E], kind:s, text:s, text_cut?:b, line?:s}], "
                "stages:[{stage:s, read:n, kept:n, skipped:b, truncated:b}], stage_ms:[x]",
       .tables = "hits: score.4, key, found_by, path path" + std::string(kStagesTable),
       .examples = {{"plexus retrieve --db g \"gateway keys\" --vector query.npy",
                     "what words and vector find, and what is two hops away"},
                    {"plexus retrieve --db g --plan rerank --vector '[1, 0]' --top 2 --json",
                     "the nearest vectors, the well connected ones first, with every term"},
                    {"plexus retrieve --db g \"keyword table\" --plan rag --hops 1 "
                     "--inscription fix --graph-boost 0.3",
                     "only words, where `embed` made the vectors: rag_search in one call"},
                    {"plexus retrieve --db g --plan plan.json --from m1", "with your own plan"}},
       .run = AnswerByPlan});
}

}  // namespace plexus::tools
