// A text is cut twice, with stems and without; the n-th term of both is one word.
#include "algorithms/memory/frontier/internal/surface/stem_words.h"

#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace plexus::memory::internal {

std::map<std::string, std::string> StemWords::Of(const Snapshot& snapshot,
                                                 std::span<const NodeId> nodes) const {
  std::map<std::string, std::string> chosen;
  const std::lock_guard lock(mutex_);
  if (!stems_ || !words_) {
    retrieval::TermOptions plain = index_;
    plain.stemmer.clear();
    Result<retrieval::TermSplitter> stems = retrieval::TermSplitter::Make(index_),
                                    words = retrieval::TermSplitter::Make(plain);
    if (!stems || !words) return chosen;
    stems_ = *std::move(stems);
    words_ = *std::move(words);
  }
  std::map<std::string, std::map<std::string, int>> carriers;  // by stem and word
  for (const NodeId node : nodes) {
    std::string text;
    if (snapshot.payload_ref(node, NodeField::kText))
      text = snapshot.Payload(node, NodeField::kText).value_or("");
    if (index_.keys) text.append("\n").append(snapshot.key(node));
    const Result<std::vector<std::string>> stems = stems_->Split(text), words = words_->Split(text);
    if (!stems || !words || stems->size() != words->size()) continue;
    std::set<std::pair<std::string, std::string>> own;
    for (std::size_t i = 0; i < stems->size(); ++i) own.emplace((*stems)[i], (*words)[i]);
    for (const auto& [stem, word] : own) ++carriers[stem][word];
  }
  for (const auto& [stem, words] : carriers) {
    const auto rank = [](const auto& word) {
      return std::tuple(-word.second, word.first.size(), std::string_view(word.first));
    };
    auto best = words.begin();
    for (auto at = words.begin(); at != words.end(); ++at)
      if (rank(*at) < rank(*best)) best = at;
    chosen.emplace(stem, best->first);
  }
  return chosen;
}

}  // namespace plexus::memory::internal
