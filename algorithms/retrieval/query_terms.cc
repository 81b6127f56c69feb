// Words as the index has them, and a look at every term of it; see terms.h.
#include "algorithms/retrieval/terms.h"

#include <algorithm>

#include "algorithms/retrieval/internal/word_forms.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval {

Result<std::vector<std::string>> QueryTerms(const Snapshot& snapshot, std::string_view text) try {
  if (!HasTerms(snapshot))
    return FailedPrecondition(
        "the graph has no terms yet: AddTerms keeps them with the texts of a batch, "
        "IndexTerms makes those of all texts");
  PLEXUS_ASSIGN(const TermRecord record, ReadTermRecord(snapshot));
  PLEXUS_ASSIGN(TermSplitter splitter, TermSplitter::Make(record.terms));
  PLEXUS_ASSIGN(std::vector<std::string> terms, splitter.Split(text));
  AddTermsContaining(snapshot, terms);
  return terms;
}
PLEXUS_CATCH_NO_MEMORY

void AddTermsContaining(const Snapshot& snapshot, std::vector<std::string>& terms) {
  std::vector<std::string> characters;
  for (const std::string& term : terms) {
    const internal::Utf8Character first = internal::CharacterAt(term, 0);
    if (first.bytes == term.size() && internal::IsCjk(first.code)) characters.push_back(term);
  }
  if (characters.empty()) return;
  for (NodeId node = 0; node < snapshot.node_count() && terms.size() < kMaxExpandedTerms; ++node) {
    if (!snapshot.alive(node) || snapshot.node_kind(node) != builtin::kTerm) continue;
    const std::string_view name = DisplayName(snapshot.key(node));
    const bool holds = std::ranges::any_of(characters, [&](const std::string& character) {
      return name != character && name.find(character) != std::string_view::npos;
    });
    if (holds && std::ranges::find(terms, name) == terms.end()) terms.emplace_back(name);
  }
}

}  // namespace plexus::retrieval
