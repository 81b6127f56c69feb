// Words, phrases, and the nodes that hold them; see word_query.h.
#include "tools/operations/retrieve/word_query.h"

#include <utility>

#include "algorithms/retrieval/terms.h"
#include "tools/operations/kernel_options.h"
#include "tools/operations/names.h"
#include "tools/operations/reply/human_format.h"
#include "tools/operations/term_operations.h"

namespace plexus::tools {
namespace {

// Texts that hold a query of several words as it stands: it counts as one more word. None where
// that is not known from a few texts.
Result<retrieval::PhraseResult> WholeQuery(const Snapshot& snapshot,
                                           const retrieval::PhraseQuery& query,
                                           retrieval::TermSplitter& splitter,
                                           retrieval::PhraseOptions options) {
  constexpr std::uint64_t kMostTexts = 4'096;
  PLEXUS_ASSIGN(const std::vector<std::string> needed, splitter.PhraseTerms(query.words));
  if (needed.size() < 2 || !query.phrases.empty()) return retrieval::PhraseResult();
  options.max_texts = kMostTexts;
  const std::string whole[] = {query.words};
  return retrieval::NodesWithPhrases(snapshot, whole, options);
}

}  // namespace

Result<WordQuery> ReadWordQuery(const Workspace& workspace, const Request& request,
                                std::string_view parameter, const retrieval::TermOptions& terms,
                                const NodeSubset& allowed) {
  const Snapshot& snapshot = workspace.snapshot();
  const std::string& text = request.Text(parameter);
  WordQuery query;
  query.parsed = retrieval::ParsePhrases(text);
  PLEXUS_ASSIGN(retrieval::TermSplitter splitter, retrieval::TermSplitter::Make(terms));
  PLEXUS_ASSIGN(query.terms, splitter.Split(query.parsed.words));
  retrieval::AddTermsContaining(snapshot, query.terms);
  if (query.terms.empty())
    return Invalid(Quoted(text),
                   " has no word to search for: words as common as 'the' and 'of' are not in "
                   "the index, and neither is punctuation");
  if (query.terms.size() >
      retrieval::kMaxQueryTerms)  // before phrases and postings are read for nothing
    return Invalid("a query has at most ", retrieval::kMaxQueryTerms, " terms, not ",
                   query.terms.size());
  query.subset = allowed;
  retrieval::PhraseOptions in_phrases;
  in_phrases.terms = terms;
  in_phrases.run.executor = &workspace.executor();
  PLEXUS_ASSIGN(in_phrases.run.budget, MakeBudget(request));
  if (!query.parsed.phrases.empty()) {
    PLEXUS_ASSIGN(retrieval::PhraseResult found,
                  retrieval::NodesWithPhrases(snapshot, query.parsed.phrases, in_phrases));
    query.truncated = found.truncated;
    query.holding = std::move(found.nodes);
    query.subset = query.subset.Intersect(query.holding);
  }
  PLEXUS_ASSIGN(retrieval::PhraseResult whole,
                WholeQuery(snapshot, query.parsed, splitter, in_phrases));
  query.whole = std::move(whole.nodes);
  return query;
}

std::string OtherWays(const Workspace& workspace, const Request& request, std::string_view words,
                      const retrieval::TermOptions& terms) {
  const std::string& graph = workspace.directory();
  std::string text =
      request.Command("find", graph, words) + " looks in keys and for parts of words";
  if (terms.stemmer.empty())
    text += ", " + request.Command("terms", graph) + " with " + request.Name("stem", "english") +
            " lets plurals meet";
  const Snapshot& snapshot = workspace.snapshot();
  const auto named = MeantNode(snapshot, words);
  if (named && snapshot.alive(*named) && snapshot.is_fact(*named) && !terms.all_keys &&
      !snapshot.payload_ref(*named, NodeField::kText))
    text += "; " + Quoted(words) + " is a fact without a text: " + request.Command("terms", graph) +
            " with " + request.Name("keys", "all") + " indexes their keys";
  return text;
}

Result<WordQuery> ReadIndexedWords(Workspace& workspace, const Request& request,
                                   std::string_view parameter, const NodeSubset& allowed) {
  const Snapshot& snapshot = workspace.snapshot();
  if (!retrieval::HasTerms(snapshot)) return FailedPrecondition(NoTermsYet(workspace, request));
  PLEXUS_ASSIGN(const retrieval::TermRecord record, retrieval::ReadTermRecord(snapshot));
  PLEXUS_ASSIGN(WordQuery words,
                ReadWordQuery(workspace, request, parameter, record.terms, allowed));
  PLEXUS_ASSIGN(const retrieval::NotIndexed not_indexed,
                retrieval::CountNotIndexed(snapshot, record, &allowed));
  NoteNotIndexed(workspace, request, not_indexed);
  return words;
}

}  // namespace plexus::tools
