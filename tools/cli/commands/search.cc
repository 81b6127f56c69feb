// search: texts that answer a query, by BM25 over the index of terms, and why.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/memory/visibility.h"
#include "algorithms/retrieval/bm25.h"
#include "algorithms/retrieval/phrase.h"
#include "algorithms/retrieval/tokenizer.h"
#include "algorithms/retrieval/where.h"
#include "engine/vocabulary.h"
#include "tools/cli/arguments.h"
#include "tools/cli/budget_option.h"
#include "tools/cli/cli.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/human_format.h"
#include "tools/cli/output.h"
#include "tools/cli/session.h"
#include "tools/cli/table.h"
#include "tools/operations/json_writer.h"
#include "tools/operations/names.h"
#include "tools/operations/reply.h"
#include "tools/operations/term_operations.h"
#include "tools/operations/term_record.h"

namespace plexus::tools {
namespace {

struct SearchArguments : BudgetOption {
  std::string query;
  std::optional<std::uint64_t> top;
  std::optional<double> k1, b;
  std::vector<std::string> kinds;
  bool include_superseded = false, events = false;
};

// What may be found: visible nodes in scope, of the kinds asked for.
Result<NodeSubset> Allowed(Session& session, const SearchArguments& given) {
  const Snapshot& snapshot = session.snapshot();
  if (given.events) {
    const std::string& where = session.globals().where;
    WhereOptions options;
    options.index_nodes = true;
    options.executor = &session.executor();
    PLEXUS_ASSIGN(WhereResult found,
                  EvaluateWhere(snapshot, where.empty() ? "kind = 'event'" : where, options));
    return std::move(found.nodes);
  }
  VisibleOptions visible;
  visible.include_superseded = given.include_superseded;
  visible.executor = &session.executor();
  PLEXUS_ASSIGN(const auto shown, VisibleNodes(snapshot, session.now_ms(), visible));
  NodeSubset subset = *shown;
  if (session.scope()) subset = subset.Intersect(*session.scope());
  if (given.kinds.empty()) return subset;
  std::vector<std::uint8_t> wanted(snapshot.schema().node_kinds().size());
  for (const std::string& name : given.kinds) {
    const auto kind = snapshot.schema().FindNodeKind(name);
    if (!kind) return Fail(ErrorCode::kInvalidArgument, "no node kind '" + name + "'");
    wanted[*kind] = 1;
  }
  std::vector<NodeId> nodes;
  for (const NodeId node : subset.ToList())
    if (wanted[snapshot.node_kind(node)]) nodes.push_back(node);
  return NodeSubset::Of(snapshot, nodes);
}

// Facts that have a word of the query and may not be shown, by why not.
struct Hidden {
  std::uint64_t superseded = 0, not_valid = 0, out_of_scope = 0, other_kinds = 0;
  std::uint64_t all() const { return superseded + not_valid + out_of_scope + other_kinds; }
};

// `holding`: null, or the nodes that hold the query's phrases.
Result<Hidden> CountHidden(Session& session, const SearchArguments& given,
                           std::span<const std::string> terms, const NodeSubset* holding) {
  const Snapshot& snapshot = session.snapshot();
  Bm25Options options;
  options.top = 0;
  options.subset = holding;
  options.events = given.events;
  PLEXUS_ASSIGN(options.budget, MakeBudget(given));
  options.executor = &session.executor();
  PLEXUS_ASSIGN(const Bm25Result all, Bm25(snapshot, terms, options));
  VisibleOptions any_version;
  any_version.include_superseded = true;
  any_version.executor = &session.executor();
  PLEXUS_ASSIGN(const auto valid, VisibleNodes(snapshot, session.now_ms(), any_version));
  VisibleOptions newest;
  newest.executor = &session.executor();
  PLEXUS_ASSIGN(const auto visible, VisibleNodes(snapshot, session.now_ms(), newest));
  Hidden hidden;
  for (const Bm25Match& match : all.matches) {
    if (session.scope() && !session.scope()->contains(match.node))
      ++hidden.out_of_scope;
    else if (!valid->contains(match.node))
      ++hidden.not_valid;
    else if (!given.include_superseded && !visible->contains(match.node))
      ++hidden.superseded;
    else
      ++hidden.other_kinds;
  }
  return hidden;
}

// Why nothing was found. "no text" is said only where no fact, shown or hidden, has a word.
std::string WhyNothing(const PhraseQuery& parsed, const std::string& query, const Hidden& hidden,
                       const NotIndexed& not_indexed) {
  std::string why;
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) why += (why.empty() ? "" : ", ") + Grouped(count) + " " + std::string(what);
  };
  add(hidden.superseded, "superseded (--include-superseded shows them)");
  add(hidden.not_valid, "not valid at this time (--now or --as-of another)");
  add(hidden.out_of_scope, "out of scope (--scope and --where name others)");
  add(hidden.other_kinds, "of other kinds (--kinds names others)");
  if (!why.empty()) return "nothing shown has a word of '" + query + "'; hidden are " + why;
  return std::string(not_indexed.none() ? "no text " : "no indexed text ") +
         (parsed.phrases.empty() ? "has a word of '" : "holds words in quotes side by side: '") +
         query + "'";
}

void WriteResult(const Snapshot& snapshot, const PhraseQuery& query, const Bm25Result& result,
                 const Hidden& hidden, const NotIndexed& not_indexed) {
  JsonWriter json(Out());
  json.BeginObject();
  json.Field("truncated", result.truncated);
  json.Field("documents", result.documents);
  json.Field("average_length", result.average_length);
  if (!query.phrases.empty()) {
    json.BeginArray("phrases");
    for (const std::string& phrase : query.phrases) json.Value(phrase);
    json.EndArray();
  }
  json.BeginArray("terms");
  for (const QueryTerm& term : result.terms) {
    json.BeginObject();
    json.Field("term", term.term);
    json.Field("df", term.df);
    json.Field("idf", term.idf);
    json.EndObject();
  }
  json.EndArray();
  json.Field("found", result.found);
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
  json.BeginArray("results");
  for (const Bm25Match& match : result.matches) {
    json.BeginObject();
    json.Field("key", snapshot.key(match.node));
    json.Field("score", match.score);
    json.Field("kind", snapshot.schema().node_kind(snapshot.node_kind(match.node)).name);
    json.Field("text", TextHead(snapshot, match.node));
    json.Field("length", match.length);
    json.BeginArray("terms");
    for (const TermShare& share : match.shares) {
      json.BeginObject();
      json.Field("term", result.terms[share.term].term);
      json.Field("tf", share.frequency);
      json.Field("df", result.terms[share.term].df);
      json.Field("idf", result.terms[share.term].idf);
      json.Field("score", share.score);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  Out() << '\n';
}

void PrintResult(const Globals& globals, const Snapshot& snapshot, const Bm25Result& result) {
  Table table;
  table.Column("score", Table::Align::kRight);
  AddNodeColumns(table, globals, 60);
  table.Column("why", Table::Align::kLeft, 50);
  for (const Bm25Match& match : result.matches) {
    std::vector<std::string> row = {Number(match.score, 4)};
    AddNodeCells(row, globals, snapshot, match.node);
    std::string why;
    for (const TermShare& share : match.shares)
      why +=
          (why.empty() ? "" : ", ") + result.terms[share.term].term + " " + Number(share.score, 3);
    row.push_back(std::move(why));
    table.Row(row);
  }
  table.Print(Out());
  if (result.matches.size() < result.found) Out() << "... of " << Grouped(result.found) << '\n';
  PrintTruncated(result.truncated, "these are the best of those looked at");
}

// Texts that hold a query of several words as it stands: it counts as one more word. None where
// that cannot be told from a few texts.
Result<PhraseResult> WholeQuery(const Snapshot& snapshot, const PhraseQuery& query,
                                TermSplitter& splitter, PhraseOptions options) {
  constexpr std::uint64_t kMostTexts = 4'096;
  PLEXUS_ASSIGN(const std::vector<std::string> needed, splitter.PhraseTerms(query.words));
  if (needed.size() < 2 || !query.phrases.empty()) return PhraseResult();
  options.max_texts = kMostTexts;
  const std::string whole[] = {query.words};
  return NodesWithPhrases(snapshot, whole, options);
}

Result<int> RunSearch(const Globals& globals, const SearchArguments& given) {
  PLEXUS_TRY(NotTogether(given.events, "--events", !globals.scopes.empty(), "--scope"));
  PLEXUS_TRY(NotTogether(given.events, "--events", !given.kinds.empty(), "--kinds"));
  PLEXUS_ASSIGN(const auto session, Session::Open(globals, Access::kRead));
  const Snapshot& snapshot = session->snapshot();
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(snapshot));
  PLEXUS_ASSIGN(TermSplitter splitter, TermSplitter::Make(record.terms));
  const PhraseQuery query = ParsePhrases(given.query);
  PLEXUS_ASSIGN(const std::vector<std::string> terms, splitter.Split(query.words));
  if (terms.empty())
    return Fail(ErrorCode::kInvalidArgument,
                "'" + given.query + "' has no words to search for (stop words are none)");
  PLEXUS_ASSIGN(const NodeSubset allowed, Allowed(*session, given));
  NodeSubset subset = allowed;
  PhraseOptions in_phrases;
  in_phrases.terms = record.terms;
  in_phrases.executor = &session->executor();
  PLEXUS_ASSIGN(in_phrases.budget, MakeBudget(given));
  PhraseResult holding;
  if (!query.phrases.empty()) {
    PLEXUS_ASSIGN(holding, NodesWithPhrases(snapshot, query.phrases, in_phrases));
    subset = subset.Intersect(holding.nodes);
  }
  Bm25Options options;
  options.top = static_cast<std::size_t>(given.top.value_or(20));
  options.k1 = given.k1.value_or(options.k1);
  options.b = given.b.value_or(options.b);
  options.subset = &subset;
  options.events = given.events;
  PLEXUS_ASSIGN(options.budget, MakeBudget(given));
  options.executor = &session->executor();
  PLEXUS_ASSIGN(const PhraseResult whole, WholeQuery(snapshot, query, splitter, in_phrases));
  const Bm25Phrase phrase[] = {{"\"" + query.words + "\"", &whole.nodes}};
  options.phrases = phrase;
  PLEXUS_ASSIGN(Bm25Result result, Bm25(snapshot, terms, options));
  result.truncated = result.truncated || holding.truncated;
  if (given.events && result.documents == 0 && !result.truncated)
    return Fail(ErrorCode::kFailedPrecondition,
                "no event has terms: run `plexus terms --events index --db " + globals.db + "`");
  if (result.documents == 0 && !result.truncated)
    return Fail(ErrorCode::kFailedPrecondition,
                "the graph has no terms yet: run `plexus terms --db " + globals.db + "`");
  const bool nothing = result.found == 0 && !result.truncated;
  PLEXUS_ASSIGN(const NotIndexed not_indexed, CountNotIndexed(snapshot, record, &allowed));
  Hidden hidden;
  if (nothing && !given.events) {
    PLEXUS_ASSIGN(hidden, CountHidden(*session, given, terms,
                                      query.phrases.empty() ? nullptr : &holding.nodes));
  }
  NoteNotIndexed(globals, not_indexed);
  if (globals.json)
    WriteResult(snapshot, query, result, hidden, not_indexed);
  else if (!nothing)
    PrintResult(globals, snapshot, result);
  if (!nothing) return kDone;
  PLEXUS_ASSIGN(const NotIndexed of_all, CountNotIndexed(snapshot, record, nullptr));
  return Fail(ErrorCode::kNotFound, WhyNothing(query, given.query, hidden, of_all));
}

}  // namespace

void AddSearch(Cli& cli) {
  static SearchArguments given;
  AddMaxSeconds(cli.Add("Ask", "search", "Texts that answer a query best, and why",
                        [](const Globals& globals) { return RunSearch(globals, given); }),
                given)
      .Positional("QUERY", given.query,
                  "words, in any case; rare ones count more. What stands in double\n"
                  "quotes must stand so in the text")
      .Option("--top", "K", given.top, "at most K nodes; 0 = all (default 20)")
      .List("--kinds", "A,B", given.kinds, "only these node kinds (default: all facts)")
      .Option("--k1", "X", given.k1, "how soon more of the same word stops to help (default 1.2)")
      .Option("--b", "X", given.b, "how much length is held against a text, 0 to 1 (default 0.75)")
      .Flag("--events", given.events, "events by the query that they answered, not facts")
      .Flag("--include-superseded", given.include_superseded, "do not hide what was superseded")
      .Example("plexus search --db g \"snow leopard\"",
               "best first, each word's share of the score beside it")
      .Example("plexus search --db g '\"large cat\" asia'",
               "texts that hold these two words side by side")
      .Example("plexus search --db g --json --top 3 leopard", "with tf, df and idf of every word");
}

}  // namespace plexus::tools
