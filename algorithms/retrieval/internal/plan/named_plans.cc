// The table of named plans, each as a struct and as the JSON that says the same.
#include <algorithm>
#include <vector>

#include "algorithms/retrieval/plan.h"

namespace plexus::retrieval {

namespace {

PlanScore Weights(std::initializer_list<std::pair<PlanTerm, double>> weights) {
  PlanScore score;
  for (const auto& [term, weight] : weights) score[term] = weight;
  return score;
}

RetrievalPlan MultiHop() {
  RetrievalPlan plan;
  plan.seeds = {{.by = SeedBy::kKeys, .keep = false}};
  plan.expand = {.hops = 3, .direction = Direction::kOut, .decay = 1};
  plan.score = Weights({{PlanTerm::kSimilarity, 0.6}, {PlanTerm::kPath, 0.4}});
  plan.score.required[static_cast<std::size_t>(PlanTerm::kSimilarity)] = true;
  return plan;
}

RetrievalPlan Rerank() {
  RetrievalPlan plan;
  plan.seeds = {{.by = SeedBy::kVector, .per_hit = 3}};
  plan.score = Weights({{PlanTerm::kSimilarity, 0.7}, {PlanTerm::kGraph, 0.3}});
  return plan;
}

RetrievalPlan Rag() {
  RetrievalPlan plan = Rerank();
  plan.expand.from_hits = true;
  return plan;
}

RetrievalPlan Dual() {
  RetrievalPlan plan;
  plan.seeds = {
      {.by = SeedBy::kWords}, {.by = SeedBy::kVector}, {.by = SeedBy::kKeys, .keep = false}};
  plan.expand.hops = 2;
  plan.score =
      Weights({{PlanTerm::kSimilarity, 0.5}, {PlanTerm::kWords, 0.3}, {PlanTerm::kPath, 0.2}});
  return plan;
}

RetrievalPlan Recall() {
  RetrievalPlan plan;
  plan.seeds = {{.by = SeedBy::kNames, .top = 100},
                {.by = SeedBy::kWords, .per_hit = 3, .starts = 3},
                {.by = SeedBy::kVector, .per_hit = 3, .starts = 3},
                {.by = SeedBy::kKeys, .keep = false}};
  plan.expand = {.hops = 1, .decay = 1, .arcs = 1'000};
  plan.score = Weights({{PlanTerm::kWords, 1}, {PlanTerm::kSimilarity, 1}, {PlanTerm::kPath, 1}});
  return plan;
}

}  // namespace

std::span<const NamedPlan> NamedPlans() {
  static const std::vector<NamedPlan> plans = {
      {"dual", "by words and by vector, and what 2 hops from these and from keys reach",
       R"({"seeds":[{"by":"words","top":30},{"by":"vector","top":30},{"by":"keys","keep":false}],)"
       R"("expand":{"hops":2,"direction":"both","decay":0.5},)"
       R"("score":{"similarity":0.5,"words":0.3,"path":0.2}})",
       Dual()},
      {"multi-hop", "from keys along their edges, by path and similarity",
       R"({"seeds":[{"by":"keys","keep":false}],)"
       R"("expand":{"hops":3,"direction":"out","decay":1},)"
       R"("score":{"similarity":0.6,"path":0.4,"require":["similarity"]}})",
       MultiHop()},
      {"rag", "rerank, and what is reached from all its hits",
       R"({"seeds":[{"by":"vector","per_hit":3}],"expand":{"hops":0,"from":"hits"},)"
       R"("score":{"similarity":0.7,"graph":0.3}})",
       Rag()},
      {"recall", "what the question names, words, vector and keys, and what is next to the best",
       R"({"seeds":[{"by":"names","top":100},{"by":"words","per_hit":3,"starts":3},)"
       R"({"by":"vector","per_hit":3,"starts":3},{"by":"keys","keep":false}],)"
       R"("expand":{"hops":1,"direction":"both","decay":1,"arcs":1000},)"
       R"("score":{"words":1,"similarity":1,"path":1}})",
       Recall()},
      {"rerank", "the nearest vectors, those first that hang together",
       R"({"seeds":[{"by":"vector","per_hit":3}],"score":{"similarity":0.7,"graph":0.3}})",
       Rerank()},
  };
  return plans;
}

const NamedPlan* FindPlan(std::string_view name) {
  const std::span<const NamedPlan> plans = NamedPlans();
  const auto at = std::ranges::find(plans, name, &NamedPlan::name);
  return at == plans.end() ? nullptr : &*at;
}

}  // namespace plexus::retrieval
