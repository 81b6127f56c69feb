// Each function ends in UnitTerm, so that rounding does not leave [0, 1].
#include "algorithms/retrieval/plan.h"

#include <cmath>

namespace plexus::retrieval {

double ScoreOf(std::span<const ScoreTerm> terms) {
  double score = 0;
  for (const ScoreTerm& term : terms) score += term.value * term.weight;
  return score;
}

double UnitTerm(double value) { return value > 0 ? std::fmin(value, 1) : 0; }

double Bm25Bound(std::span<const QueryTerm> terms, double k1) {
  double bound = 0;
  for (const QueryTerm& term : terms) bound += term.asked * term.idf * (k1 + 1);
  return bound;
}

double TextTerm(double bm25, double bound) { return bound > 0 ? UnitTerm(bm25 / bound) : 0; }

double SimilarityTerm(double similarity, Metric metric) {
  if (metric == Metric::kInnerProduct) return UnitTerm(1 / (1 + std::exp(-similarity)));
  return UnitTerm(similarity);
}

double RecencyTerm(std::optional<std::int64_t> last_ms, std::int64_t now_ms,
                   std::int64_t half_life_ms) {
  if (!last_ms) return 0;
  // Times lie anywhere in 64 bits: their difference is taken of doubles.
  const double age = static_cast<double>(now_ms) - static_cast<double>(*last_ms);
  if (age <= 0) return 1;
  return UnitTerm(std::exp2(-age / static_cast<double>(half_life_ms)));
}

double FrequencyTerm(std::int64_t uses, std::int64_t full) {
  if (uses < 1) return 0;
  return UnitTerm(std::log1p(static_cast<double>(uses)) / std::log1p(static_cast<double>(full)));
}

}  // namespace plexus::retrieval
