// terms: the words of texts become term nodes, which search, and pairs that share
// rare terms, are made of.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/retrieval/terms.h"
#include "tools/operations/change.h"
#include "tools/operations/framework/registry.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/reply/lines.h"
#include "tools/operations/reply/reply_parts.h"
#include "tools/operations/term_operations.h"

namespace plexus::tools {
namespace {

Result<std::vector<std::string>> StopWords(const Request& request) {
  std::vector<std::string> words;
  PLEXUS_TRY(ForEachLine(request.Source("stop_words"), request.Text("stop_words"),
                         [&](std::string_view line) -> Status {
                           if (line.starts_with('[') || line.starts_with('{'))
                             return Invalid(request.Name("stop_words"),
                                            ": one word a line, no JSON");
                           while (line.ends_with('\r') || line.ends_with(' '))
                             line.remove_suffix(1);
                           if (!line.empty()) words.emplace_back(line);
                           return {};
                         }));
  return words;
}

// Names as expressions have them: props.kind is a property, kind is not.
Result<std::vector<std::string>> Properties(const Request& request, const Schema& schema) {
  constexpr std::string_view kBuiltIn[] = {"key", "kind", "tag", "tags", "scope", "text"};
  std::vector<std::string> names;
  for (const std::string& given : request.List("properties")) {
    const std::size_t first = std::min(given.find_first_not_of(' '), given.size());
    std::string name = given.substr(first, given.find_last_not_of(' ') + 1 - first);
    const bool full = name.starts_with("props.");
    if (full) name.erase(0, std::string_view("props.").size());
    if (name.empty())
      return Invalid(request.Name("properties"), ": a name is empty; write name,summary");
    if (!full && std::ranges::find(kBuiltIn, name) != std::end(kBuiltIn))
      return Invalid(request.Name("properties"), ": ", Quoted(name),
                     " is no property; a property of this name is props.", name);
    if (!full && schema.FindColumn(name))
      return Invalid(request.Name("properties"), ": ", Quoted(name),
                     " is a column, which words do not look up: 'plexus list' with ",
                     request.Name("where", name + " = ..."), " does");
    names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  if (names == std::vector<std::string>{"none"}) names.clear();
  return names;
}

// What the index is made with: as it was made, but for what is asked for.
Result<retrieval::TermOptions> Asked(const Request& request, const Schema& schema,
                                     const retrieval::TermOptions& as_made) {
  retrieval::TermOptions terms = as_made;
  if (request.Flag("renew")) {  // what is indexed stays
    terms = retrieval::TermOptions::Recommended();
    terms.all_keys = as_made.all_keys;
    terms.properties = as_made.properties;
  }
  const bool none = request.Flag("no_stop_words"), own = request.Given("stop_words");
  if (none || own || request.Flag("default_stop_words")) {
    terms.default_stop_words = !none;
    terms.stop_words.clear();
  }
  if (own) PLEXUS_SET(terms.stop_words, StopWords(request));
  const auto set = [&](const char* name, const char* on, bool& option) {
    if (request.Given(name)) option = request.Text(name) == on;
  };
  set("accents", "fold", terms.fold_accents);
  set("apostrophes", "fold", terms.fold_apostrophes);
  set("identifiers", "split", terms.split_identifiers);
  set("cjk", "bigrams", terms.cjk_bigrams);
  set("events", "index", terms.event_queries);
  if (request.Given("keys")) {
    terms.keys = request.Text("keys") != "none";
    terms.all_keys = request.Text("keys") == "all";
  }
  if (request.Given("properties")) PLEXUS_SET(terms.properties, Properties(request, schema));
  if (request.Given("stem"))
    terms.stemmer = request.Text("stem") == "none" ? "" : request.Text("stem");
  return terms;
}

Result<Reply> RunTerms(Workspace& workspace, const Request& request) {
  retrieval::IndexTermsOptions options;
  PLEXUS_ASSIGN(const retrieval::TermRecord record,
                retrieval::ReadTermRecord(workspace.snapshot()));
  PLEXUS_ASSIGN(options.terms, Asked(request, workspace.schema(), record.terms));
  options.subset = workspace.scope();
  if (options.subset && retrieval::HasTerms(workspace.snapshot()) &&
      !retrieval::SameOptions(options.terms, record.terms))
    return Invalid(request.Name("scope"), " and ", request.Name("where"),
                   " cannot go with other stop words or switches than those of the rest of the "
                   "index");
  PLEXUS_ASSIGN(options.run.budget, MakeBudget(request));
  const bool dry = IsDryRun(request);
  PLEXUS_ASSIGN(
      const retrieval::IndexTermsReport report,
      dry ? PreviewTerms(workspace, options)
          : UpdateTerms(workspace, options, {.in_bulk = workspace.options().one_request}));
  const Sequence sequence = workspace.graph().snapshot().sequence();
  Reply reply([sequence, dry, report](ReplyWriter& json) {
    json.Field("sequence", sequence);
    if (dry) json.Field("dry_run", true);
    json.Field("truncated", report.truncated);
    WriteTermFields(json, report);
  });
  reply.page =
      ShownTerms(report) + DryRunClosing(request) +
      Truncated(report.truncated,
                dry ? "there may be more" : "what was indexed stays, the same command continues");
  return reply;
}

}  // namespace

void AddTerms(Rows& rows) {
  rows.push_back(
      {.name = "terms",
       .group = "Change",
       .title = "Index of words",
       .summary = "Index the words of texts for search",
       .effect = Effect::kWrite,
       .parameters =
           {Text("stop_words", "FILE",
                 "words to leave out, one a line, in addition to the English ones")
                .Lines()
                .MayBeEmpty(),
            Flag("no_stop_words", "keep the English stop words"),
            Flag("default_stop_words",
                 "leave out only the English ones again. Without any of these three the index "
                 "keeps its stop words"),
            MaybeChoice("accents", {"fold", "keep"},
                        "fold: cafe finds caf\u00e9 (a new index does)"),
            MaybeChoice("apostrophes", {"fold", "keep"},
                        "fold: Ada finds Ada's, O'Brien finds O\u2019Brien (a new index does)"),
            MaybeChoice("identifiers", {"split", "whole"},
                        "split: user finds get_user_by_id and getUserById (a new index does)"),
            MaybeChoice(
                "cjk", {"bigrams", "words"},
                "bigrams: \u6771\u4eac finds every text that holds it, however a dictionary cuts "
                "it (a new index does)"),
            MaybeChoice(
                "events", {"index", "none"},
                "index: the queries of events, which search looks for with its own flag (a new "
                "index does)"),
            MaybeChoice(
                "keys", {"index", "all", "none"},
                "index: words of the keys of facts that have a text (a new index does); all: of "
                "all facts, which need no text then"),
            List("properties", "A,B|none",
                 "also index the words of these properties of facts, from now on: strings, and "
                 "strings in lists"),
            Text("stem", "LANGUAGE|none",
                 "words by their stems, as english (a new index's): leopards finds leopard"),
            Flag("renew",
                 "make the index again with the defaults of a new one; without this an index of an "
                 "earlier version stays as it is"),
            DryRunParameter()},
       .reply = "sequence:n, dry_run?:b, truncated:b, texts:n, changed:n, linked:n, unlinked:n",
       .examples = {{"plexus terms --db g",
                     "index every text; again after changes, it costs what changed"},
                    {"plexus terms --db g --stop-words german.txt",
                     "leave out a language's small words, too"},
                    {"plexus terms --db g --properties name,summary --keys all",
                     "facts by their names and keys, also those without a text"},
                    {"plexus terms --db g --stem german",
                     "stems of another language, or none; the index stays so, later too"}},
       .run = RunTerms,
       .access = ChangesGraph,
       .reach = Reach::kGraph});
}

}  // namespace plexus::tools
