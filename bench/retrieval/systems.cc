// Plans in a table; a grid of weights for the hybrid.
#include "bench/retrieval/systems.h"

#include <algorithm>
#include <utility>

#include "algorithms/retrieval/text_vectors.h"
#include "algorithms/retrieval/tokenizer.h"
#include "bench/support.h"

namespace plexus::bench {
namespace {

constexpr std::size_t kTop = 10;

RetrievalPlan PlanOf(std::vector<PlanSeeds> seeds,
                     std::initializer_list<std::pair<PlanTerm, double>> weights) {
  RetrievalPlan plan;
  plan.seeds = std::move(seeds);
  for (const auto& [term, weight] : weights) plan.score[term] = weight;
  plan.top = kTop;
  return plan;
}

RetrievalPlan Named(std::string_view name) {
  const NamedPlan* named = FindPlan(name);
  Require(named != nullptr, "a plan of that name");
  RetrievalPlan plan = named->plan;
  plan.top = kTop;
  return plan;
}

std::string Shown(double weight) {
  std::string text = std::to_string(weight);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

std::vector<RetrievalSystem> FixedSystems() {
  const PlanSeeds words{.by = SeedBy::kWords, .top = 30}, vector{.by = SeedBy::kVector, .top = 30};
  const PlanSeeds ranked{.by = SeedBy::kPageRank, .top = 100};
  PlanSeeds few_words = words, few_vectors = vector;
  few_words.top = few_vectors.top = 10;
  return {
      {"BM25", PlanOf({words}, {{PlanTerm::kWords, 1}})},
      {"BM25, rerank", PlanOf({words}, {{PlanTerm::kWords, 0.7}, {PlanTerm::kGraph, 0.3}})},
      {"vectors", PlanOf({vector}, {{PlanTerm::kSimilarity, 1}})},
      {"vectors, rerank", Named("rerank")},
      {"PageRank from BM25's hits", PlanOf({few_words, ranked}, {{PlanTerm::kPageRank, 1}})},
      {"PageRank from both hits",
       PlanOf({few_words, few_vectors, ranked}, {{PlanTerm::kPageRank, 1}})},
      {"recall (both, RRF)", Named("recall")},
      {"dual", Named("dual")},
  };
}

std::vector<RetrievalSystem> HybridSystems() {
  std::vector<RetrievalSystem> systems;
  for (const double similarity : {0.0, 0.25, 0.5})
    for (const double path : {0.0, 0.25, 0.5, 1.0})
      for (const double pagerank : {0.0, 0.25, 0.5})
        for (const double graph : {0.0, 0.1}) {
          RetrievalSystem system;
          system.plan = PlanOf({{.by = SeedBy::kWords, .top = 30},
                                {.by = SeedBy::kVector, .top = 30},
                                {.by = SeedBy::kPageRank, .top = 100}},
                               {{PlanTerm::kWords, 1},
                                {PlanTerm::kSimilarity, similarity},
                                {PlanTerm::kPath, path},
                                {PlanTerm::kPageRank, pagerank},
                                {PlanTerm::kGraph, graph}});
          system.plan.expand.hops = 2;
          system.name = "hybrid: words 1, similarity " + Shown(similarity) + ", path " +
                        Shown(path) + ", pagerank " + Shown(pagerank) + ", graph " + Shown(graph);
          systems.push_back(std::move(system));
        }
  return systems;
}

std::vector<AskedQuestion> TakeApart(const Snapshot& snapshot,
                                     std::span<const Question> questions) {
  TermOptions options = TermOptions::Recommended();
  options.stemmer = "english";
  TermSplitter splitter = Must(TermSplitter::Make(options), "splitter");
  TextVectorOptions vectors;
  vectors.dimensions = 256;
  std::vector<AskedQuestion> asked;
  for (const Question& question : questions) {
    AskedQuestion one;
    one.terms = Must(splitter.Split(question.text), "words");
    const std::vector<TermCount> counts = Must(splitter.Count(question.text), "words");
    one.vector = Must(TextVector(snapshot, counts, vectors), "vector").values;
    one.question = &question;
    asked.push_back(std::move(one));
  }
  return asked;
}

void Count(Quality& sum, std::span<const NodeId> ranked, const Question& question) {
  ++sum.questions;
  const auto is_evidence = [&](NodeId node) {
    return std::ranges::binary_search(question.evidence, node);
  };
  for (std::size_t d = 0; d < std::size(kRecallDepths); ++d) {
    const auto first = ranked.first(std::min(kRecallDepths[d], ranked.size()));
    sum.recall[d] += static_cast<double>(std::ranges::count_if(first, is_evidence)) /
                     static_cast<double>(question.evidence.size());
  }
  const auto at = std::ranges::find_if(ranked, is_evidence);
  if (at != ranked.end()) sum.mrr += 1 / static_cast<double>(at - ranked.begin() + 1);
}

Quality Measure(const Snapshot& snapshot, const RetrievalSystem& system,
                std::span<const AskedQuestion> questions) {
  Quality sum;
  for (const AskedQuestion& asked : questions) {
    const RetrieveQuestion question{
        .terms = asked.terms, .vector = asked.vector, .space = snapshot.schema().FindSpace("text")};
    std::vector<NodeId> ranked;
    // A question without a known word finds nothing.
    if (const auto found = Retrieve(snapshot, system.plan, question))
      for (const RetrieveHit& hit : found->hits) ranked.push_back(hit.node);
    else
      Require(asked.terms.empty() || asked.vector.empty(), found.error().ToString());
    Count(sum, ranked, *asked.question);
  }
  if (sum.questions == 0) return sum;
  for (double& recall : sum.recall) recall /= static_cast<double>(sum.questions);
  sum.mrr /= static_cast<double>(sum.questions);
  return sum;
}

}  // namespace plexus::bench
