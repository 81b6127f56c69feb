// search: texts that answer a query, by BM25 over the index of terms, and why.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/memory/visibility/visibility.h"
#include "algorithms/retrieval/scan.h"
#include "algorithms/retrieval/terms.h"
#include "engine/vocabulary.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/reply/text_field.h"
#include "tools/operations/retrieve/matching_line.h"
#include "tools/operations/retrieve/word_query.h"
#include "tools/operations/term_operations.h"

namespace plexus::tools {
namespace {

// What may be found: visible nodes in scope, of the kinds asked for.
Result<NodeSubset> Allowed(const Workspace& workspace, const Request& request) {
  const Snapshot& snapshot = workspace.snapshot();
  if (request.Flag("events")) {
    retrieval::WhereOptions options;
    options.index_nodes = true;
    options.now_ms = workspace.now_ms();
    options.run.executor = &workspace.executor();
    PLEXUS_ASSIGN(
        retrieval::WhereResult found,
        retrieval::EvaluateWhere(
            snapshot, request.Given("where") ? request.Text("where") : "kind = 'event'", options));
    return std::move(found.nodes);
  }
  PLEXUS_ASSIGN(NodeSubset subset, VisibleInScope(workspace, request));
  if (!request.Given("kinds")) return subset;
  PLEXUS_ASSIGN(const std::vector<NodeKindId> kinds,
                FindNodeKinds(snapshot.schema(), request.List("kinds")));
  return subset.Intersect(NodeSubset::OfKinds(snapshot, kinds, workspace.keeps_orders()));
}

// Facts that have a word of the query and may not be shown, by why not.
struct Hidden {
  std::uint64_t superseded = 0, not_valid = 0, out_of_scope = 0, other_kinds = 0;
};

// `holding`: null, or the nodes that hold the query's phrases.
Result<Hidden> CountHidden(const Workspace& workspace, const Request& request,
                           std::span<const std::string> terms, const NodeSubset* holding) {
  const Snapshot& snapshot = workspace.snapshot();
  retrieval::Bm25Options options;
  options.top = 0;
  options.subset = holding;
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
  options.run.executor = &workspace.executor();
  PLEXUS_ASSIGN(const retrieval::Bm25Result all, retrieval::Bm25(snapshot, terms, options));
  memory::VisibleOptions newest, any_version;
  any_version.include_superseded = true;
  newest.run.executor = any_version.run.executor = &workspace.executor();
  newest.run.budget = any_version.run.budget = options.run.budget;
  PLEXUS_ASSIGN(const auto valid, memory::VisibleNodes(snapshot, workspace.now_ms(), any_version));
  PLEXUS_ASSIGN(const auto visible, memory::VisibleNodes(snapshot, workspace.now_ms(), newest));
  Hidden hidden;
  for (const retrieval::Bm25Hit& match : all.hits) {
    if (workspace.scope() && !workspace.scope()->contains(match.node))
      ++hidden.out_of_scope;
    else if (!valid->contains(match.node))
      ++hidden.not_valid;
    else if (!request.Flag("include_superseded") && !visible->contains(match.node))
      ++hidden.superseded;
    else
      ++hidden.other_kinds;
  }
  return hidden;
}

// Why nothing was found. "no text" is said only where no fact, shown or hidden, has a word.
std::string WhyNothing(const Workspace& workspace, const Request& request,
                       const retrieval::PhraseQuery& parsed, const Hidden& hidden,
                       const retrieval::NotIndexed& not_indexed,
                       const retrieval::TermOptions& terms) {
  std::string why;
  const auto add = [&](std::uint64_t count, const std::string& what) {
    if (count > 0) why += (why.empty() ? "" : ", ") + Grouped(count) + " " + what;
  };
  add(hidden.superseded, "superseded (" + request.Name("include_superseded") + " shows them)");
  add(hidden.not_valid, "not valid at this time (" + request.Name("now") + " or " +
                            request.Name("as_of") + " another)");
  add(hidden.out_of_scope, "out of scope (" + request.Name("scope") + ", " +
                               request.Name("node_kinds") + " and " + request.Name("where") +
                               " name others)");
  add(hidden.other_kinds, "of other kinds (" + request.Name("kinds") + " names others)");
  const std::string& query = request.Text("query");
  if (!why.empty()) return "nothing shown has a word of " + Quoted(query) + "; hidden are " + why;
  const std::string none = not_indexed.none() ? "no text " : "no indexed text ";
  if (!parsed.phrases.empty())
    return none + "holds words in quotes side by side: '" + query +
           "'; without quotes they may stand apart";
  return none + "has a word of '" + query + "'; " + OtherWays(workspace, request, query, terms);
}

void WriteTerm(ReplyWriter& json, const retrieval::QueryTerm& term) {
  json.Field("df", term.df);
  json.Field("idf", term.idf);
}

void WriteMatch(ReplyWriter& json, const Snapshot& snapshot, const retrieval::Bm25Result& result,
                const retrieval::Bm25Hit& match, const MatchingLine& line,
                std::optional<std::uint64_t> max_chars) {
  json.Node("key", snapshot, match.node);
  json.Field("score", match.score);
  json.Field("kind", snapshot.schema().node_kind(snapshot.node_kind(match.node)).name);
  const std::string text = WholeText(snapshot, match.node);
  WriteText(json, text, max_chars);
  line.Write(json, text);
  json.Field("length", match.length);
  json.Objects("terms", match.shares, [&](const retrieval::TermShare& share) {
    const retrieval::QueryTerm& term = result.terms[share.term];
    json.Field("term", term.term);
    json.Field("tf", share.frequency);
    WriteTerm(json, term);
    json.Field("score", share.score);
  });
}

Reply MakeReply(const Workspace& workspace, const retrieval::PhraseQuery& query,
                retrieval::Bm25Result result, const Hidden& hidden,
                const retrieval::NotIndexed& not_indexed, MatchingLine line,
                std::optional<std::uint64_t> max_chars) {
  std::string closing;
  if (result.hits.size() < result.found) closing = "... of " + Grouped(result.found) + "\n";
  closing += Truncated(result.truncated, "these are the best of those looked at");
  Reply reply([snapshot = workspace.snapshot(), phrases = query.phrases, result = std::move(result),
               hidden, not_indexed, line = std::move(line), max_chars](ReplyWriter& json) {
    json.Field("truncated", result.truncated);
    json.Field("documents", result.documents);
    json.Field("average_length", result.average_length);
    if (!phrases.empty()) json.Values("phrases", phrases);
    json.Objects("terms", result.terms, [&](const retrieval::QueryTerm& term) {
      json.Field("term", term.term);
      WriteTerm(json, term);
    });
    json.Field("total", result.found);
    json.Field("not_indexed", not_indexed.facts);
    json.Field("not_compared", not_indexed.not_compared);
    if (result.found == 0 && !result.truncated) {
      json.BeginObject("hidden");
      json.Field("superseded", hidden.superseded);
      json.Field("not_valid", hidden.not_valid);
      json.Field("out_of_scope", hidden.out_of_scope);
      json.Field("other_kinds", hidden.other_kinds);
      json.EndObject();
    }
    json.Objects("results", result.hits, [&](const retrieval::Bm25Hit& match) {
      WriteMatch(json, snapshot, result, match, line, max_chars);
    });
  });
  reply.closing = std::move(closing);
  return reply;
}

Result<Reply> RunSearch(Workspace& workspace, const Request& request) {
  PLEXUS_TRY(NotTogether(request, "events", "scope"));
  PLEXUS_TRY(NotTogether(request, "events", "kinds"));
  PLEXUS_TRY(NotTogether(request, "events", "node_kinds"));
  PLEXUS_TRY(NotTogether(request, "kinds", "node_kinds"));
  const Snapshot& snapshot = workspace.snapshot();
  PLEXUS_ASSIGN(const retrieval::TermRecord record, retrieval::ReadTermRecord(snapshot));
  PLEXUS_ASSIGN(const NodeSubset allowed, Allowed(workspace, request));
  PLEXUS_ASSIGN(const WordQuery words,
                ReadWordQuery(workspace, request, "query", record.terms, allowed));
  const retrieval::PhraseQuery& query = words.parsed;
  const std::vector<std::string>& terms = words.terms;
  const retrieval::Bm25Phrase phrase[] = {words.phrase()};
  retrieval::Bm25Options options;
  options.top = static_cast<std::size_t>(request.Count("top"));
  options.k1 = request.Number("k1");
  options.b = request.Number("b");
  options.subset = &words.subset;
  options.events = request.Flag("events");
  options.phrases = phrase;
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
  options.run.executor = &workspace.executor();
  PLEXUS_ASSIGN(retrieval::Bm25Result result, retrieval::Bm25(snapshot, terms, options));
  result.truncated = result.truncated || words.truncated;
  if (options.events && result.documents == 0 && !result.truncated)
    return FailedPrecondition(
        "no event has terms: ", request.Command("terms", workspace.directory()),
        " indexes them, if its switch events says so");
  if (result.documents == 0 && !result.truncated && !record.stored)
    return FailedPrecondition(NoTermsYet(workspace, request));
  PLEXUS_ASSIGN(const retrieval::NotIndexed not_indexed,
                retrieval::CountNotIndexed(snapshot, record, &allowed));
  NoteNotIndexed(workspace, request, not_indexed);
  PLEXUS_ASSIGN(MatchingLine line, MatchingLine::Make(snapshot, terms));
  if (result.found > 0 || result.truncated)
    return MakeReply(workspace, query, std::move(result), {}, not_indexed, std::move(line),
                     request.MaybeCount("max_chars"));
  Hidden hidden;
  if (!options.events)
    PLEXUS_SET(hidden, CountHidden(workspace, request, terms,
                                   query.phrases.empty() ? nullptr : &words.holding));
  PLEXUS_ASSIGN(const retrieval::NotIndexed of_all,
                retrieval::CountNotIndexed(snapshot, record, nullptr));
  Reply reply = MakeReply(workspace, query, std::move(result), hidden, not_indexed, std::move(line),
                          request.MaybeCount("max_chars"));
  reply.failure = Error{ErrorCode::kNotFound,
                        WhyNothing(workspace, request, query, hidden, of_all, record.terms)};
  return reply;
}

}  // namespace

void AddSearch(Rows& rows) {
  rows.push_back(
      {.name = "search",
       .group = "Ask",
       .title = "Words in texts",
       .summary = "Find the texts that match a query best, with the score of each word",
       .parameters =
           Parameters{
               Text("query", "QUERY",
                    "words, in any case; rare ones count more. Words in double quotes must be side "
                    "by side in the text")
                   .Positional()
                   .MayBeEmpty(),
               Top(20, "at most K nodes; 0 = all"),
               List("kinds", "A,B", "only these node kinds, as --node-kinds (default: all facts)")
                   .Named(Means::kNodeKind),
               Number("k1", "X", "how soon repeats of a word stop to count").Default(1.2),
               Number("b", "X", "how much a long text loses, 0 to 1").Default(0.75),
               MaxCharsParameter(),
               Flag("events", "rank events by their query, not facts by their text"),
               IncludeSuperseded()},
       .reply = "truncated:b, documents:n, average_length:x, "
                "phrases?:[s], terms:[{term:s, df:n, idf:x}], total:n, not_indexed:n, "
                "not_compared:n, "
                "hidden?:{superseded:n, not_valid:n, out_of_scope:n, other_kinds:n}, "
                "results:[{key:k, score:x, kind:s, text:s, text_cut?:b, line?:s, length:n, "
                "terms:[{term:s, tf:n, df:n, idf:x, score:x}]}]",
       .tables = "results: score.4, key, terms.3 = why",
       .examples = {{"plexus search --db g \"snow leopard\"",
                     "best first, with each word's share of the score"},
                    {"plexus search --db g '\"large cat\" asia'",
                     "texts with these two words side by side"},
                    {"plexus search --db g --json --top 3 leopard",
                     "with tf, df and idf of every word"}},
       .run = RunSearch});
}

}  // namespace plexus::tools
