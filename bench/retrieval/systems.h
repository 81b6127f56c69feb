// What is compared: retrieval plans, each run for a question, and how well it found the evidence.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "algorithms/retrieval/plan.h"
#include "bench/retrieval/dataset.h"
#include "engine/snapshot.h"

namespace plexus::bench {

inline constexpr std::size_t kRecallDepths[] = {2, 5, 10};

struct RetrievalSystem {
  std::string name;
  RetrievalPlan plan;
};

// BM25, vectors, each reranked by the graph, PageRank from the hits, and the named plans that a
// question of words and a vector suits.
std::vector<RetrievalSystem> FixedSystems();
// The hybrid plan of every setting that tuning looks at.
std::vector<RetrievalSystem> HybridSystems();

// A question taken apart, once for all systems.
struct AskedQuestion {
  std::vector<std::string> terms;
  std::vector<float> vector;
  const Question* question = nullptr;
};
std::vector<AskedQuestion> TakeApart(const Snapshot& snapshot, std::span<const Question> questions);

struct Quality {
  double recall[std::size(kRecallDepths)] = {};  // Mean share of the evidence in the first k.
  double mrr = 0;  // Mean of 1 / rank of the first evidence; 0 where the list has none.
  std::size_t questions = 0;
};
// `ranked` against the evidence of one question, added.
void Count(Quality& sum, std::span<const NodeId> ranked, const Question& question);
// The means.
Quality Measure(const Snapshot& snapshot, const RetrievalSystem& system,
                std::span<const AskedQuestion> questions);

}  // namespace plexus::bench
