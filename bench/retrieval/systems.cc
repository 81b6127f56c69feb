// Plans in a table; coordinates of the hybrid, one after the other.
#include "bench/retrieval/systems.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "algorithms/memory/recall/recall.h"
#include "algorithms/retrieval/terms.h"
#include "algorithms/retrieval/vectors.h"
#include "bench/support.h"

namespace plexus::bench {
namespace {

constexpr std::size_t kTop = 10;

retrieval::RetrievalPlan PlanOf(
    std::vector<retrieval::PlanSeeds> seeds,
    std::initializer_list<std::pair<retrieval::PlanTerm, double>> weights) {
  retrieval::RetrievalPlan plan;
  plan.seeds = std::move(seeds);
  for (const auto& [term, weight] : weights) plan.score[term] = weight;
  plan.top = kTop;
  return plan;
}

retrieval::RetrievalPlan Named(std::string_view name) {
  const retrieval::NamedPlan* named = retrieval::FindPlan(name);
  Require(named != nullptr, "a plan of that name");
  retrieval::RetrievalPlan plan = named->plan;
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
  const retrieval::PlanSeeds words{.by = retrieval::SeedBy::kWords, .top = 30},
      vector{.by = retrieval::SeedBy::kVector, .top = 30};
  const retrieval::PlanSeeds ranked{.by = retrieval::SeedBy::kPageRank, .top = 100};
  retrieval::PlanSeeds few_words = words, few_vectors = vector;
  few_words.top = few_vectors.top = 10;
  const retrieval::RetrievalPlan similar =
      PlanOf({vector}, {{retrieval::PlanTerm::kSimilarity, 1}});
  return {
      {"BM25", PlanOf({words}, {{retrieval::PlanTerm::kWords, 1}})},
      {"BM25, rerank",
       PlanOf({words}, {{retrieval::PlanTerm::kWords, 0.7}, {retrieval::PlanTerm::kGraph, 0.3}})},
      {.name = "random projections", .plan = similar, .projections = true},
      {.name = "random projections, rerank", .plan = Named("rerank"), .projections = true},
      {"vectors", similar},
      {"vectors, rerank", Named("rerank")},
      {"PageRank from BM25's hits",
       PlanOf({few_words, ranked}, {{retrieval::PlanTerm::kPageRank, 1}})},
      {"PageRank from both hits",
       PlanOf({few_words, few_vectors, ranked}, {{retrieval::PlanTerm::kPageRank, 1}})},
      {"both, reciprocal ranks",
       [&] {
         retrieval::RetrievalPlan plan =
             PlanOf({words, vector},
                    {{retrieval::PlanTerm::kWords, 1}, {retrieval::PlanTerm::kSimilarity, 1}});
         plan.fuse = retrieval::Fusion::kRrf;
         return plan;
       }()},
      {"dual", Named("dual")},
      {"plan recall with the vector", Named("recall")},
      {.name = "plan recall with random projections", .plan = Named("recall"), .projections = true},
      {.name = "default", .plan = {}, .by_default = true},
  };
}

RetrievalSystem HybridSystem(const HybridSetting& setting) {
  constexpr std::size_t kFound = 30;
  std::vector<retrieval::PlanSeeds> seeds;
  if (setting.names > 0) seeds.push_back({.by = retrieval::SeedBy::kNames, .top = setting.names});
  seeds.push_back({.by = retrieval::SeedBy::kWords, .top = kFound, .starts = setting.starts});
  if (setting.vectors > 0)
    seeds.push_back({.by = retrieval::SeedBy::kVector, .top = kFound, .starts = setting.vectors});
  if (setting.pagerank > 0)
    seeds.push_back({.by = retrieval::SeedBy::kPageRank, .top = 100, .starts = 1});
  RetrievalSystem system;
  system.plan = PlanOf(std::move(seeds), {{retrieval::PlanTerm::kWords, 1},
                                          {retrieval::PlanTerm::kSimilarity, setting.similarity},
                                          {retrieval::PlanTerm::kPath, setting.path},
                                          {retrieval::PlanTerm::kPageRank, setting.pagerank},
                                          {retrieval::PlanTerm::kGraph, setting.graph}});
  system.plan.expand.hops = setting.hops;
  system.plan.expand.decay = setting.decay;
  system.name = "hybrid: similarity " + Shown(setting.similarity) + ", path " +
                Shown(setting.path) + ", pagerank " + Shown(setting.pagerank) + ", graph " +
                Shown(setting.graph) + "; hops " + std::to_string(setting.hops) + ", decay " +
                Shown(setting.decay) + ", starts " + std::to_string(setting.starts) +
                " by words, " + std::to_string(setting.vectors) + " by vector, names in " +
                std::to_string(setting.names);
  return system;
}

HybridSetting Tune(const std::function<double(const HybridSetting&)>& value) {
  constexpr double kWeights[] = {0, 0.1, 0.25, 0.5, 1};
  HybridSetting best;
  std::map<std::string, double> known;
  const auto value_of = [&](const HybridSetting& setting) {
    const auto [at, fresh] = known.emplace(HybridSystem(setting).name, 0);
    if (fresh) at->second = value(setting);
    return at->second;
  };
  const auto attempt = [&](auto&& change) {
    HybridSetting other = best;
    change(other);
    const bool better = value_of(other) > value_of(best);
    if (better) best = other;
    return better;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (double HybridSetting::* weight : {&HybridSetting::pagerank, &HybridSetting::similarity,
                                           &HybridSetting::path, &HybridSetting::graph})
      for (const double w : kWeights) changed |= attempt([&](auto& s) { s.*weight = w; });
    for (const double decay : {0.5, 1.0}) changed |= attempt([&](auto& s) { s.decay = decay; });
    for (const int hops : {1, 2}) changed |= attempt([&](auto& s) { s.hops = hops; });
    for (const std::size_t names : {0, 30, 100})
      changed |= attempt([&](auto& s) { s.names = names; });
    for (const std::size_t starts : {1, 3, 5, 10, 30})
      changed |= attempt([&](auto& s) { s.starts = starts; });
    for (const std::size_t vectors : {0, 3, 10})
      changed |= attempt([&](auto& s) { s.vectors = vectors; });
  }
  return best;
}

std::vector<AskedQuestion> TakeApart(const Snapshot& snapshot, std::span<const Question> questions,
                                     const WordVectors* words, const std::string& stemmer) {
  retrieval::TermOptions options = retrieval::TermOptions::Recommended();
  options.stemmer = stemmer;
  retrieval::TermSplitter splitter = Must(retrieval::TermSplitter::Make(options), "splitter");
  retrieval::TextVectorOptions vectors;
  vectors.dimensions = 256;
  std::vector<AskedQuestion> asked;
  for (const Question& question : questions) {
    AskedQuestion one;
    one.terms = Must(splitter.Split(question.text), "words");
    const std::vector<retrieval::TermCount> counts = Must(splitter.Count(question.text), "words");
    one.projected = Must(retrieval::TextVector(snapshot, counts, vectors), "vector").values;
    if (words) one.vector = words->Of(question.text);
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
    const double share = static_cast<double>(std::ranges::count_if(first, is_evidence)) /
                         static_cast<double>(question.evidence.size());
    sum.recall[d] += share;
    if (kRecallDepths[d] == 5) sum.at_5.push_back(share);
  }
  const auto at = std::ranges::find_if(ranked, is_evidence);
  sum.reciprocal.push_back(at == ranked.end() ? 0
                                              : 1 / static_cast<double>(at - ranked.begin() + 1));
  sum.mrr += sum.reciprocal.back();
}

Interval DifferenceOf(std::span<const double> a, std::span<const double> b) {
  constexpr std::size_t kResamples = 2'000;
  if (a.empty()) return {};
  std::mt19937_64 random(1);
  std::vector<double> means;
  for (std::size_t i = 0; i < kResamples; ++i) {
    double sum = 0;
    for (std::size_t drawn = 0; drawn < a.size(); ++drawn) {
      const std::size_t question = random() % a.size();
      sum += a[question] - b[question];
    }
    means.push_back(sum / static_cast<double>(a.size()));
  }
  return Middle(std::move(means));
}

Quality Measure(const Snapshot& snapshot, const RetrievalSystem& system,
                std::span<const AskedQuestion> questions) {
  const auto text = snapshot.schema().FindSpace("text"),
             words = snapshot.schema().FindSpace("words");
  const bool projections = system.projections || !words;
  Quality sum;
  for (const AskedQuestion& asked : questions) {
    retrieval::RetrieveQuery question{.terms = asked.terms,
                                      .vector = projections ? asked.projected : asked.vector,
                                      .space = projections ? text : words};
    std::vector<NodeId> ranked;
    if (system.by_default) {
      if (const auto found = memory::Recall(snapshot, {.text = asked.question->text}))
        for (const memory::RecallHit& hit : found->hits) ranked.push_back(hit.node);
      else
        Require(asked.terms.empty(), found.error().ToString());
      Count(sum, ranked, *asked.question);
      continue;
    }
    // A question without a known word finds nothing.
    if (const auto found = retrieval::Retrieve(snapshot, system.plan, question))
      for (const retrieval::RetrieveHit& hit : found->hits) ranked.push_back(hit.node);
    else
      Require(question.terms.empty() || question.vector.empty(), found.error().ToString());
    Count(sum, ranked, *asked.question);
  }
  if (sum.questions == 0) return sum;
  for (double& recall : sum.recall) recall /= static_cast<double>(sum.questions);
  sum.mrr /= static_cast<double>(sum.questions);
  return sum;
}

}  // namespace plexus::bench
