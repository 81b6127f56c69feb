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
Result<PhraseResult> WholeQuery(const Snapshot& snapshot, const PhraseQuery& query,
                                TermSplitter& splitter, PhraseOptions options) {
  constexpr std::uint64_t kMostTexts = 4'096;
  PLEXUS_ASSIGN(const std::vector<std::string> needed, splitter.PhraseTerms(query.words));
  if (needed.size() < 2 || !query.phrases.empty()) return PhraseResult();
  options.max_texts = kMostTexts;
  const std::string whole[] = {query.words};
  return NodesWithPhrases(snapshot, whole, options);
}

}  // namespace

Result<WordQuery> ReadWordQuery(const Workspace& workspace, const Request& request,
                                std::string_view parameter, const TermOptions& terms,
                                const NodeSubset& allowed) {
  const Snapshot& snapshot = workspace.snapshot();
  const std::string& text = request.Text(parameter);
  WordQuery query;
  query.parsed = ParsePhrases(text);
  PLEXUS_ASSIGN(TermSplitter splitter, TermSplitter::Make(terms));
  PLEXUS_ASSIGN(query.terms, splitter.Split(query.parsed.words));
  AddTermsContaining(snapshot, query.terms);
  if (query.terms.empty())
    return Fail(ErrorCode::kInvalidArgument,
                Quoted(text) +
                    " has no word to search for: words as common as 'the' and 'of' are not in "
                    "the index, and neither is punctuation");
  if (query.terms.size() > kMaxQueryTerms)  // before phrases and postings are read for nothing
    return Fail(ErrorCode::kInvalidArgument, "a query has at most " +
                                                 std::to_string(kMaxQueryTerms) + " terms, not " +
                                                 std::to_string(query.terms.size()));
  query.subset = allowed;
  PhraseOptions in_phrases;
  in_phrases.terms = terms;
  in_phrases.run.executor = &workspace.executor();
  PLEXUS_ASSIGN(in_phrases.run.budget, MakeBudget(request));
  if (!query.parsed.phrases.empty()) {
    PLEXUS_ASSIGN(PhraseResult found, NodesWithPhrases(snapshot, query.parsed.phrases, in_phrases));
    query.truncated = found.truncated;
    query.holding = std::move(found.nodes);
    query.subset = query.subset.Intersect(query.holding);
  }
  PLEXUS_ASSIGN(PhraseResult whole, WholeQuery(snapshot, query.parsed, splitter, in_phrases));
  query.whole = std::move(whole.nodes);
  return query;
}

std::string OtherWays(const Workspace& workspace, const Request& request, std::string_view words,
                      const TermOptions& terms) {
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
  if (!HasTerms(snapshot))
    return Fail(ErrorCode::kFailedPrecondition, NoTermsYet(workspace, request));
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(snapshot));
  PLEXUS_ASSIGN(WordQuery words,
                ReadWordQuery(workspace, request, parameter, record.terms, allowed));
  PLEXUS_ASSIGN(const NotIndexed not_indexed, CountNotIndexed(snapshot, record, &allowed));
  NoteNotIndexed(workspace, request, not_indexed);
  return words;
}

}  // namespace plexus::tools
