// BM25 as its formula is printed, text by text, term by term.
#include <cmath>

#include "tests/reference/oracles.h"

namespace plexus::reference {

std::vector<std::optional<double>> Bm25(const std::vector<std::map<std::string, double>>& texts,
                                        const std::vector<std::string>& query, double k1,
                                        double b) {
  double documents = 0, total = 0;
  for (const auto& text : texts) {
    documents += !text.empty();
    for (const auto& [term, count] : text) total += count;
  }
  std::vector<std::optional<double>> scores(texts.size());
  for (std::size_t d = 0; d < texts.size(); ++d) {
    double length = 0;
    for (const auto& [term, count] : texts[d]) length += count;
    for (const std::string& term : query) {
      if (!texts[d].contains(term)) continue;
      double df = 0;
      for (const auto& text : texts) df += text.contains(term);
      const double tf = texts[d].at(term);
      const double idf = std::log(1 + (documents - df + 0.5) / (df + 0.5));
      scores[d] = scores[d].value_or(0) +
                  idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / (total / documents)));
    }
  }
  return scores;
}

}  // namespace plexus::reference
