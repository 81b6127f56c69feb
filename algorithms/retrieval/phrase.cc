// Postings intersected, then texts read; see terms.h.
#include "algorithms/retrieval/terms.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <utility>

#include "algorithms/common/internal/selection.h"
#include "algorithms/retrieval/internal/document.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval {

namespace {

constexpr std::size_t kTextsPerCheck = 64;  // texts per task

std::vector<NodeId> Postings(const Snapshot& snapshot, const ArcFilter& has_term,
                             std::string_view term) {
  std::vector<NodeId> nodes;
  const auto node = snapshot.Find(IndexKey(snapshot.schema().node_kind(builtin::kTerm).name, term));
  if (!node || !snapshot.alive(*node)) return nodes;
  snapshot.ForEachArc(Direction::kIn, *node, has_term, [&](const Arc& arc) {
    if (nodes.empty() || nodes.back() != arc.neighbor) nodes.push_back(arc.neighbor);
  });
  return nodes;
}

// Nodes that have every term, ascending; none at all when there is no term.
std::optional<std::vector<NodeId>> WithTerms(const Snapshot& snapshot,
                                             const std::vector<std::string>& terms) {
  const ArcFilter has_term = ArcFilter::Kind(snapshot.schema(), builtin::kHasTerm);
  std::vector<std::vector<NodeId>> lists;
  for (const std::string& term : terms) lists.push_back(Postings(snapshot, has_term, term));
  if (lists.empty()) return std::nullopt;
  std::ranges::sort(lists, {}, [](const auto& list) { return list.size(); });
  std::vector<NodeId> nodes = std::move(lists[0]);
  for (std::size_t i = 1; i < lists.size(); ++i) {
    std::vector<NodeId> both;
    std::ranges::set_intersection(nodes, lists[i], std::back_inserter(both));
    nodes = std::move(both);
  }
  return nodes;
}

class PhraseReader {
 public:
  PhraseReader(const Snapshot& snapshot, const PhraseOptions& options,
               std::vector<std::vector<std::string>> phrases)
      : s_(snapshot), options_(options), phrases_(std::move(phrases)), pool_(options.terms) {}

  Result<PhraseResult> Run(std::optional<std::vector<NodeId>> nodes) {
    if (!nodes) nodes = (options_.subset ? *options_.subset : NodeSubset::Alive(s_)).ToList();
    std::erase_if(*nodes, [&](NodeId node) {
      return node >= s_.node_count() || !s_.alive(node) ||
             (options_.subset && !options_.subset->contains(node)) ||
             internal::NewestPart(s_, node, !options_.terms.properties.empty()) == 0;
    });
    PhraseResult result;
    result.nodes = NodeSubset(
        s_.node_count(), std::vector<std::uint64_t>((std::size_t{s_.node_count()} + 63) / 64, 0));
    if (nodes->size() > options_.max_texts) return result;
    std::vector<std::uint8_t> holds(nodes->size(), 0);
    std::atomic<bool> truncated = false;
    const auto check = [&](std::size_t begin, std::size_t end, TermSplitter& splitter) -> Status {
      if (options_.run.budget.Interrupted()) truncated = true;
      for (std::size_t i = begin; i < end && !truncated; ++i)
        PLEXUS_TRY(Check((*nodes)[i], splitter, holds[i]));
      return {};
    };
    PLEXUS_TRY(pool_.ForBlocks(common_internal::Pick(options_.run.executor), nodes->size(),
                               kTextsPerCheck, check));
    result.truncated = truncated;
    result.texts = nodes->size();
    std::vector<NodeId> found;
    for (std::size_t i = 0; i < nodes->size(); ++i)
      if (holds[i]) found.push_back((*nodes)[i]);
    PLEXUS_ASSIGN(result.nodes, NodeSubset::Of(s_, found));
    return result;
  }

 private:
  Status Check(NodeId node, TermSplitter& splitter, std::uint8_t& holds) const {
    PLEXUS_ASSIGN(const std::vector<std::string> parts,
                  internal::DocumentParts(s_, node, options_.terms));
    std::vector<bool> found(phrases_.size(), false);
    for (const std::string& part : parts) {
      PLEXUS_ASSIGN(const std::vector<std::string> words, splitter.Words(part));
      for (std::size_t i = 0; i < phrases_.size(); ++i)
        if (!found[i]) found[i] = !std::ranges::search(words, phrases_[i]).empty();
    }
    holds = std::ranges::all_of(found, [](bool one) { return one; });
    return {};
  }

  const Snapshot& s_;
  const PhraseOptions& options_;
  const std::vector<std::vector<std::string>> phrases_;  // words
  internal::SplitterPool pool_;
};

}  // namespace

PhraseQuery ParsePhrases(std::string_view query) {
  PhraseQuery parsed;
  for (std::size_t at = 0; at < query.size();) {
    const std::size_t open = query.find('"', at);
    const std::size_t close = open == std::string_view::npos ? open : query.find('"', open + 1);
    if (close == std::string_view::npos) {
      parsed.words += query.substr(at);
      break;
    }
    const std::string_view phrase = query.substr(open + 1, close - open - 1);
    parsed.words.append(query.substr(at, open - at)).append(" ").append(phrase).append(" ");
    if (!phrase.empty()) parsed.phrases.emplace_back(phrase);
    at = close + 1;
  }
  return parsed;
}

Result<PhraseResult> NodesWithPhrases(const Snapshot& snapshot,
                                      std::span<const std::string> phrases,
                                      const PhraseOptions& options) try {
  if (phrases.empty()) return Invalid("phrase: none is given");
  PLEXUS_ASSIGN(TermSplitter splitter, TermSplitter::Make(options.terms));
  std::vector<std::vector<std::string>> words;
  std::vector<std::string> terms;
  const std::set<std::string_view> different(phrases.begin(), phrases.end());
  if (different.size() > kMaxPhrases)
    return Invalid("phrase: ", different.size(), " are given, at most ", kMaxPhrases, " can be");
  for (const std::string_view given : different) {
    const std::string phrase(given);
    PLEXUS_ASSIGN(std::vector<std::string> own, splitter.Words(phrase));
    if (own.empty()) return Invalid("phrase: \"", phrase, "\" has no word");
    words.push_back(std::move(own));
    PLEXUS_ASSIGN(const std::vector<std::string> needed, splitter.PhraseTerms(phrase));
    terms.insert(terms.end(), needed.begin(), needed.end());
  }
  std::ranges::sort(terms);
  terms.erase(std::ranges::unique(terms).begin(), terms.end());
  return PhraseReader(snapshot, options, std::move(words)).Run(WithTerms(snapshot, terms));
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::retrieval
