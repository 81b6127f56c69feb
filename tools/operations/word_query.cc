// Words, phrases, and the nodes that hold them; see word_query.h.
#include "tools/operations/word_query.h"

#include <algorithm>
#include <utility>

#include "algorithms/retrieval/internal/word_forms.h"
#include "engine/vocabulary.h"
#include "tools/operations/kernel_options.h"

namespace plexus::tools {
namespace {

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

// A Han, kana or Hangul character alone is seldom a term: the terms that hold it stand for it.
// O(nodes) where the query has one.
void AddTermsThatHold(const Snapshot& snapshot, std::vector<std::string>& terms) {
  std::vector<std::string> characters;
  for (const std::string& term : terms) {
    const retrieval_internal::Utf8Character first = retrieval_internal::CharacterAt(term, 0);
    if (first.bytes == term.size() && retrieval_internal::IsCjk(first.code))
      characters.push_back(term);
  }
  if (characters.empty()) return;
  for (NodeId node = 0; node < snapshot.node_count(); ++node) {
    if (!snapshot.alive(node) || snapshot.node_kind(node) != kTerm) continue;
    const std::string_view name = DisplayName(snapshot.key(node));
    const bool holds = std::ranges::any_of(characters, [&](const std::string& character) {
      return name != character && name.find(character) != std::string_view::npos;
    });
    if (holds && std::ranges::find(terms, name) == terms.end()) terms.emplace_back(name);
  }
}

}  // namespace

Result<WordQuery> ReadWordQuery(const Workspace& workspace, const Request& request,
                                std::string_view parameter, const TermOptions& terms,
                                const NodeSubset& allowed) {
  const Snapshot& snapshot = workspace.snapshot();
  const std::string& text = request.Text(parameter);
  if (std::ranges::count(text, '"') % 2 != 0)
    return Fail(
        ErrorCode::kInvalidArgument,
        "'" + text + "': a double quote is not closed; a phrase stands between two of them");
  WordQuery query;
  query.parsed = ParsePhrases(text);
  PLEXUS_ASSIGN(TermSplitter splitter, TermSplitter::Make(terms));
  PLEXUS_ASSIGN(query.terms, splitter.Split(query.parsed.words));
  AddTermsThatHold(snapshot, query.terms);
  if (query.terms.empty())
    return Fail(ErrorCode::kInvalidArgument,
                "'" + text +
                    "' has no word to search for: words as common as 'the' and 'of' are not in "
                    "the index, and neither is punctuation");
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

}  // namespace plexus::tools
