// Score terms: what makes up the score of a hit, each in [0, 1], and how measures get there.
//
//   score = sum over the terms of value * weight
//
//   text         BM25 / the most that any text could have for the query
//   similarity   a cosine below 0 counts 0; 1 / (1 + d) for L2; the logistic of an inner product
//   path         the best product of weights and decays on a path; above 1 it counts 1
//   recency      2 ^ -(age / half-life)
//   frequency    ln(1 + uses) / ln(1 + full), at most 1
//
// Text: a term's part of BM25 stays below idf * (k1 + 1) at any frequency and length (Robertson,
// Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, 3.4), so the quotient
// lies in [0, 1] and is linear in the score. Alternative: b / (b + 1); as idf grows with the
// logarithm of the graph, all hits of a large graph would be near 1.
// Recency: exponential decay as in Cohen, Strauss, "Maintaining time-decaying stream aggregates",
// 2006. Frequency: the logarithmic count of Salton, Buckley, "Term-weighting approaches in
// automatic text retrieval", 1988, divided by its value at `full`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "algorithms/retrieval/bm25.h"
#include "engine/schema.h"

namespace plexus {

struct ScoreTerm {
  std::string_view name = {};  // A constant, such as "text".
  double value = 0;       // In [0, 1].
  double weight = 0;
  bool operator==(const ScoreTerm&) const = default;
};

// All functions compute in O(1), or O(terms) where they take a list, have no errors and are
// thread-safe. What is not a number counts 0.

// The sum of value * weight, in the order of the list.
double ScoreOf(std::span<const ScoreTerm> terms);

// The value at the nearer end of [0, 1].
double UnitTerm(double value);

// The most that a text could have for a query: sum of asked * idf * (k1 + 1). `terms` are those of
// a Bm25Result; one that no text has adds nothing.
double Bm25Bound(std::span<const QueryTerm> terms, double k1 = Bm25Options{}.k1);
// 0 when the bound is 0.
double TextTerm(double bm25, double bound);

// Of the `similarity` in nearest_neighbors.h, by that metric.
double SimilarityTerm(double similarity, Metric metric);

// 1 for a time that is not before now, 0 for none. REQUIRES half_life_ms > 0.
double RecencyTerm(std::optional<std::int64_t> last_ms, std::int64_t now_ms,
                   std::int64_t half_life_ms);

// 0 for a count below 1. REQUIRES full > 0.
double FrequencyTerm(std::int64_t uses, std::int64_t full);

}  // namespace plexus
