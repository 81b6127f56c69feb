// concept recall, activate, search: what comes to mind, and what that warms.
//
// Recall and activate write what they learnt, unless they are asked for a dry run or for the past.
#include <string>
#include <utility>
#include <vector>

#include "algorithms/memory/concepts/concepts.h"
#include "algorithms/traversal/traversal.h"
#include "engine/graph.h"
#include "engine/times.h"
#include "engine/vectors/vector_view.h"
#include "engine/vocabulary.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/arguments.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"

namespace plexus::tools {
namespace {

constexpr std::uint64_t kMostEdges = 100'000;

bool OnlyReads(const Request& request) {
  const bool commits = request.Has("commit") && request.Flag("commit");
  return request.Flag("dry_run") || (request.Given("as_of") && !commits);
}
Access CommitsAnswer(const Request& request) {
  return OnlyReads(request) ? Access::kRead : Access::kWrite;
}

// Writes what was raised. A dry run has the checks of the time, and no change; the past is asked
// about any time.
Result<Sequence> Commit(Workspace& workspace, const Request& request, bool truncated,
                        const WriteBatch& batch) {
  if (request.Flag("dry_run") && !request.Given("as_of") && !batch.empty())
    PLEXUS_TRY(
        CheckBatchTime(batch.time_ms(), workspace.options().clock_ms, GraphOptions().max_ahead_ms));
  return ApplyIf(!OnlyReads(request), truncated, workspace, request, batch);
}

// "KIND:DIRECTION=F", KIND "all" for each of the three.
Result<memory::RelationDecay> ReadDecay(const Schema& schema, const Request& request,
                                        const std::string& given) {
  const auto refuse = [&] {
    return Invalid(request.Name("decay"), ": '", given,
                   "' is not KIND:DIRECTION=F, such as is-a:in=0.8 or all:both=0.5");
  };
  const std::size_t equal = given.rfind('='), colon = given.rfind(':', equal);
  if (equal == std::string::npos || colon == std::string::npos || colon > equal) return refuse();
  const auto factor = ParseNumber(given.substr(equal + 1));
  const auto direction = ParseDirection(given.substr(colon + 1, equal - colon - 1));
  if (!factor || !direction) return refuse();
  memory::RelationDecay row{kNoEdgeKind, *direction, *factor};
  const std::string name = given.substr(0, colon);
  if (name == "all") return row;
  PLEXUS_ASSIGN(const auto match, FindEdgeKind(schema, name));
  row.kind = match.kind;
  if (match.reversed) row.direction = Opposite(row.direction);
  return row;
}

Result<std::vector<memory::RelationDecay>> ReadDecays(const Workspace& workspace,
                                                      const Request& request) {
  std::vector<memory::RelationDecay> rows;
  for (const std::string& given : request.List("decay")) {
    PLEXUS_ASSIGN(const memory::RelationDecay row, ReadDecay(workspace.schema(), request, given));
    rows.push_back(row);
  }
  return rows;
}

void WriteRaised(ReplyWriter& json, const Snapshot& snapshot,
                 const std::vector<memory::RaisedConcept>& raised) {
  json.Objects("raised", raised, [&](const memory::RaisedConcept& one) {
    json.Node("key", snapshot, one.node);
    json.Field("arousal_level", one.level);
  });
}

// What is said to people below the table.
std::string Closing(const Request& request, const std::vector<std::string>& unknown,
                    std::size_t raised, bool truncated) {
  std::string text;
  for (const std::string& name : unknown) text += "no concept '" + Escaped(name) + "'\n";
  if (raised != 0)
    text += Grouped(raised) + (raised == 1 ? " concept" : " concepts") +
            (OnlyReads(request) ? " would be raised; nothing was written\n" : " raised\n");
  return text + Truncated(truncated, "not all relations were followed");
}

Result<Reply> RunRecall(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(NotTogether(request, "commit", "dry_run"));
  memory::RecallConceptsOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  PLEXUS_ASSIGN(options.tau_ms, ParseDuration(request.Text("tau")));
  PLEXUS_ASSIGN(options.decay, ReadDecays(workspace, request));
  options.hops = static_cast<int>(request.Count("hops"));
  options.hop_decay = request.Number("hop_decay");
  options.weighted = request.Flag("weighted");
  options.six_decimals = request.Flag("six_decimals");
  options.not_raised = request.List("not_raised");
  options.top = request.Count("top");
  PLEXUS_ASSIGN(const NodeSubset subset, VisibleInScope(workspace, request));
  options.subset = &subset;
  PLEXUS_ASSIGN(auto result, memory::RecallConcepts(workspace.snapshot(), request.List("seeds"),
                                                    workspace.now_ms(), options));
  PLEXUS_ASSIGN(const Sequence sequence,
                Commit(workspace, request, result.truncated, result.batch));
  std::string closing = result.propositions.empty() ? "nothing was found\n" : "";
  if (request.List("seeds").empty())
    closing = "no concept was given: " + request.Name("seeds") + " says what to start from\n";
  closing += Closing(request, result.unknown, result.raised.size(), result.truncated);
  Reply reply([snapshot = workspace.snapshot(), committed = !OnlyReads(request), sequence,
               result = std::move(result)](ReplyWriter& json) {
    json.Objects("propositions", result.propositions, [&](const memory::Proposition& p) {
      json.Field("text", p.text);
      json.Field("score", p.score);
      json.Field("valence", p.valence);
      json.Node("from", snapshot, p.from);
      json.Field("kind", snapshot.schema().edge_kind(p.kind).name);
      json.Node("to", snapshot, p.to);
      json.Field("hop", p.hop);
      json.Field("direction", p.forward ? "forward" : "backward");
    });
    WriteRaised(json, snapshot, result.raised);
    json.Values("unknown", result.unknown);
    json.Field("truncated", result.truncated);
    json.Field("committed", committed);
    json.Field("sequence", sequence);
  });
  reply.closing = std::move(closing);
  return reply;
}

Result<Reply> RunActivate(Workspace& workspace, const Request& request) {
  memory::ActivateRelatedOptions options;
  PLEXUS_ASSIGN(options.tau_ms, ParseDuration(request.Text("tau")));
  PLEXUS_ASSIGN(options.decay, ReadDecays(workspace, request));
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
  options.prefix = request.Text("prefix");
  PLEXUS_ASSIGN(const NodeSubset subset, VisibleInScope(workspace, request));
  options.subset = &subset;
  PLEXUS_ASSIGN(auto result, memory::ActivateRelated(workspace.snapshot(), request.List("sources"),
                                                     workspace.now_ms(), options));
  PLEXUS_ASSIGN(const Sequence sequence,
                Commit(workspace, request, result.truncated, result.batch));
  std::string closing = Closing(request, result.unknown, result.raised.size(), result.truncated);
  Reply reply([snapshot = workspace.snapshot(), committed = !OnlyReads(request), sequence,
               result = std::move(result)](ReplyWriter& json) {
    WriteRaised(json, snapshot, result.raised);
    json.Values("unknown", result.unknown);
    json.Field("truncated", result.truncated);
    json.Field("committed", committed);
    json.Field("sequence", sequence);
  });
  reply.closing = std::move(closing);
  return reply;
}

// The vector of a concept, or nothing where none is named.
Result<std::vector<float>> QueryVector(const Snapshot& snapshot, const Request& request,
                                       memory::SearchConceptsOptions& options) {
  if (!request.Given("like")) return std::vector<float>();
  const std::string& like = request.Text("like");
  PLEXUS_ASSIGN(const NodeId node, FindAliveNode(snapshot, like));
  PLEXUS_ASSIGN(options.space, FindSpace(snapshot.schema(), request));
  PLEXUS_ASSIGN(const VectorView* vectors, snapshot.vectors(*options.space));
  VectorBuffer buffer;
  const auto values = vectors->vector(node, buffer);
  if (values.empty())
    return NotFound("'", like, "' has no vector in space '",
                    snapshot.schema().spaces()[*options.space].name, "'");
  return std::vector<float>(values.begin(), values.end());
}

Result<Reply> RunSearch(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(Needs(request, "cosine_share", "like"));
  PLEXUS_TRY(Needs(request, "space", "like"));
  memory::SearchConceptsOptions options;
  PLEXUS_TRY(Select(workspace, request, options));
  PLEXUS_ASSIGN(options.tau_ms, ParseDuration(request.Text("tau")));
  PLEXUS_ASSIGN(const std::vector<float> query,
                QueryVector(workspace.snapshot(), request, options));
  options.query = query;
  options.top = request.Count("top");
  options.cosine_share = request.Number("cosine_share");
  PLEXUS_ASSIGN(const NodeSubset subset, VisibleInScope(workspace, request));
  options.subset = &subset;
  PLEXUS_ASSIGN(auto result,
                memory::SearchConcepts(workspace.snapshot(), workspace.now_ms(), options));
  Reply reply([snapshot = workspace.snapshot(), result](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    json.Objects("results", result.hits, [&](const memory::ConceptHit& hit) {
      json.Node("key", snapshot, hit.node);
      json.Field("score", hit.score);
      if (hit.cosine) json.Field("cosine", *hit.cosine);
      json.Field("arousal", hit.arousal);
    });
  });
  reply.closing = result.hits.empty() ? "no concepts\n" : "";
  return reply;
}

Parameter DecayParameter() {
  return Repeated("decay", "KIND:DIRECTION=F",
                  "factor for a step, such as is-a:in=0.8; 0: not walked; repeatable (default: "
                  "all:out=1, all:in=0.5)");
}
Parameter NotWritten() { return Flag("dry_run", "raise nothing: write nothing"); }
Parameter EdgeLimit() {
  return Count("max_edges", "N", "stop after N relations and say truncated").Default(kMostEdges);
}

}  // namespace

void AddConceptRecall(Rows& rows) {
  rows.push_back(
      {.name = "concept_recall",
       .group = "Ask",
       .title = "Related concepts",
       .summary = "Find what is related to concepts, and raise the arousal of what was found",
       .effect = Effect::kWrite,
       .parameters =
           Parameters{Optional(Repeated("seeds", "CONCEPT", "start here")
                                   .Named(Means::kKey)
                                   .MayBeEmpty()
                                   .Positional()),
                      Count("hops", "H", "at most H relations away, 0 to 16")
                          .Between(0, traversal::kMaxHops)
                          .Default(std::uint64_t{2}),
                      TauParameter(),
                      Number("hop_decay", "F", "factor for each hop after the first")
                          .Between(0, 1)
                          .Default(0.5),
                      DecayParameter(), Flag("weighted", "weights of relations count"),
                      Flag("six_decimals", "round scores to six decimals, then order"),
                      Repeated("not_raised", "PREFIX",
                               "do not raise concepts whose names begin with this; repeatable"),
                      Top(0, "list the K first; 0 = all"),
                      Flag("commit", "write what is raised (the default)"), NotWritten(),
                      IncludeSuperseded(), MaxNodes(), EdgeLimit()},
       .reply = "propositions:[{text:s, score:x, valence:x, from:k, kind:s, to:k, hop:n, "
                "direction:s}], raised:[{key:k, arousal_level:x}], unknown:[s], truncated:b, "
                "committed:b, sequence:n",
       .tables = "propositions: score.4, valence.3, hop, text = proposition",
       .examples = {{"plexus concept recall --db g apple --hops 2",
                     "what is related to apple; its arousal rises"},
                    {"plexus concept recall --db g apple pie --hops 3 --weighted --dry-run --json",
                     "the same without writing, with weights of relations"}},
       .run = RunRecall,
       .access = CommitsAnswer});
  rows.push_back(
      {.name = "concept_activate",
       .group = "Ask",
       .title = "Raise related concepts",
       .summary = "Raise the arousal of the neighbours of several concepts, by the sum of what "
                  "each passes on",
       .effect = Effect::kWrite,
       .parameters =
           {Repeated("sources", "CONCEPT", "from these").Named(Means::kKey).Positional(),
            Text("prefix", "PREFIX", "only concepts whose names begin with this").MayBeEmpty(),
            TauParameter(), DecayParameter(), NotWritten(), IncludeSuperseded(), EdgeLimit()},
       .reply = "raised:[{key:k, arousal_level:x}], unknown:[s], truncated:b, committed:b, "
                "sequence:n",
       .tables = "raised: arousal_level.4 = arousal, key",
       .examples = {{"plexus concept activate --db g apple pie", "what both lead to rises most"},
                    {"plexus concept activate --db g hunger --prefix action: --dry-run",
                     "which actions would rise"}},
       .run = RunActivate,
       .access = CommitsAnswer});
  rows.push_back(
      {.name = "concept_search",
       .group = "Ask",
       .title = "Concepts by likeness and arousal",
       .summary = "Rank concepts by the cosine of vectors and by arousal, or only by arousal",
       .parameters =
           Parameters{
               Text("like", "KEY", "near this node's vector (default: only by arousal)")
                   .Named(Means::kKey),
               Text("space", "NAME", "of the vectors (default: the only one, or \"default\")"),
               Number("cosine_share", "S", "of the cosine in the score; the rest is arousal")
                   .Between(0, 1)
                   .Default(0.75),
               TauParameter(), Top(10, "list the K first; 0 = all"), IncludeSuperseded()},
       .reply = "truncated:b, results:[{key:k, score:x, cosine?:x, arousal:x}]",
       .tables = "results: score.4, cosine.4, arousal.4, key",
       .examples = {{"plexus concept search --db g --top 5",
                     "the five concepts with the highest arousal"},
                    {"plexus concept search --db g --like apple --json",
                     "concepts similar to apple, weighted by arousal"}},
       .run = RunSearch});
}

}  // namespace plexus::tools
