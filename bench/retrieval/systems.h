// What is compared: retrieval plans, each run for a question, and how well it found the evidence.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/retrieval/plan.h"
#include "bench/interval.h"
#include "bench/retrieval/dataset.h"
#include "bench/retrieval/word_vectors.h"
#include "engine/snapshot.h"

namespace plexus::bench {

inline constexpr std::size_t kRecallDepths[] = {1, 2, 3, 5, 10};

struct RetrievalSystem {
  std::string name;
  retrieval::RetrievalPlan plan;
  bool projections = false;  // The question's vector is that of random projections in any case.
  // Asked as `plexus recall WORDS` asks: Recall, with what it has by default. `plan` is not read.
  bool by_default = false;
};

// BM25, vectors, each reranked by the graph, PageRank from the hits, the named plans that a
// question of words and a vector suits, and `default`.
std::vector<RetrievalSystem> FixedSystems();

// One setting of the hybrid plan. Weights are beside one of 1 of the words.
struct HybridSetting {
  double similarity = 0, path = 0, pagerank = 0, graph = 0, decay = 0.5;
  int hops = 1;
  std::size_t starts = 10, vectors = 0;  // Hits by words and by vector: walks start there.
  std::size_t names = 0;                 // Hits by words in which names are looked for. 0: in none.
};
RetrievalSystem HybridSystem(const HybridSetting& setting);
// The setting of the largest value: one coordinate after the other, until a round changes nothing.
HybridSetting Tune(const std::function<double(const HybridSetting&)>& value);

// A question taken apart, once for all systems.
struct AskedQuestion {
  std::vector<std::string> terms;
  std::vector<float> projected,
      vector;  // By random projections; by word vectors, if there are any.
  const Question* question = nullptr;
};
std::vector<AskedQuestion> TakeApart(const Snapshot& snapshot, std::span<const Question> questions,
                                     const WordVectors* words = nullptr,
                                     const std::string& stemmer = kStemmer);

struct Quality {
  double recall[std::size(kRecallDepths)] = {};  // Mean share of the evidence in the first k.
  double mrr = 0;  // Mean of 1 / rank of the first evidence; 0 where the list has none.
  std::size_t questions = 0;
  std::vector<double> at_5 = {}, reciprocal = {};  // Of each question: recall@5, 1 / rank.
};
// `ranked` against the evidence of one question, added.
void Count(Quality& sum, std::span<const NodeId> ranked, const Question& question);
// By bootstrap over the questions, 95 %: how far the mean of `a` lies above that of `b`. Seeded.
Interval DifferenceOf(std::span<const double> a, std::span<const double> b);
// The means.
Quality Measure(const Snapshot& snapshot, const RetrievalSystem& system,
                std::span<const AskedQuestion> questions);

}  // namespace plexus::bench
