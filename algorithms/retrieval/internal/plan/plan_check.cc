// Names of a plan's parts, and the limits of its numbers. The table of named plans, each as a
// struct and as the JSON that says the same.
#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/retrieval/plan.h"
#include "algorithms/traversal/traversal.h"
#include "engine/out_of_memory.h"

namespace plexus::retrieval {

namespace {

constexpr std::string_view kSeedNames[kSeedBys] = {"vector", "words", "keys", "pagerank", "names"};
constexpr std::string_view kTermNames[kPlanTerms] = {
    "similarity", "words",   "path",    "graph",     "pagerank", "age",
    "salience",   "outcome", "recency", "frequency", "scope"};
constexpr std::string_view kFusionNames[kFusions] = {"sum", "rrf", "mmr", "lists"};
constexpr std::string_view kFromNames[kExpandFroms] = {"seeds", "hits", "keys"};

Status CheckCount(const std::string& place, std::size_t count, std::size_t most) {
  if (count >= 1 && count <= most) return {};
  return Invalid(place, ": ", count, " is not in 1..", most);
}

Status CheckNumber(const std::string& place, bool fits, const std::string& range) {
  if (fits) return {};
  return Invalid(place, ": it must be ", range);
}

bool HasSeeds(const RetrievalPlan& plan, SeedBy by) {
  return std::ranges::any_of(plan.seeds, [&](const PlanSeeds& seeds) { return seeds.by == by; });
}

Status CheckSeeds(const RetrievalPlan& plan) {
  if (plan.seeds.empty()) return Invalid("seeds: a plan begins with at least one");
  if (plan.seeds.size() > PlanLimits::kMaxSeeds)
    return Invalid("seeds: ", plan.seeds.size(), " are more than ", PlanLimits::kMaxSeeds);
  for (std::size_t i = 0; i < plan.seeds.size(); ++i) {
    const PlanSeeds& seeds = plan.seeds[i];
    const std::string place = "seeds[" + std::to_string(i) + "]";
    if (seeds.per_hit == 0) {
      PLEXUS_TRY(CheckCount(place + ".top", seeds.top, PlanLimits::kMaxTop));
    } else if (seeds.least > PlanLimits::kMaxTop) {
      return Invalid(place, ".least: ", seeds.least, " is more than ", PlanLimits::kMaxTop);
    } else if (seeds.per_hit > PlanLimits::kMaxTop ||
               (seeds.least == 0 && seeds.per_hit * plan.top > PlanLimits::kMaxTop)) {
      return Invalid(place, ".per_hit: ", seeds.per_hit, " times the top of ", plan.top,
                     " is more than ", PlanLimits::kMaxTop);
    }
    PLEXUS_TRY(CheckCount(place + ".starts", seeds.starts, PlanLimits::kMaxTop));
  }
  return {};
}

Status CheckScore(const RetrievalPlan& plan) {
  double sum = 0;
  for (std::size_t t = 0; t < kPlanTerms; ++t) {
    const double weight = plan.score.weights[t];
    PLEXUS_TRY(CheckNumber("score." + std::string(kTermNames[t]),
                           weight >= 0 && weight <= PlanLimits::kMaxWeight,
                           "a number from 0 to 1,000,000,000"));
    const bool in_list = static_cast<PlanTerm>(t) <= PlanTerm::kPath;
    if (plan.fuse == Fusion::kLists && weight != 0 && !in_list)
      return Invalid("score.", kTermNames[t], ": lists are of similarity, words and path");
    sum += weight;
  }
  if (!(sum > 0)) return Invalid("score: one of its weights must be above 0");
  constexpr auto kRank = static_cast<std::size_t>(PlanTerm::kPageRank);
  if ((plan.score[PlanTerm::kPageRank] > 0 || plan.score.required[kRank] ||
       plan.score.shown[kRank]) &&
      !HasSeeds(plan, SeedBy::kPageRank))
    return Invalid("score.pagerank: it needs seeds by pagerank");
  PLEXUS_TRY(CheckNumber("score.full_count", plan.score.full_count > 0, "above 0"));
  return CheckNumber("score.half_life_days",
                     plan.score.half_life_ms > 0 && static_cast<double>(plan.score.half_life_ms) <=
                                                        PlanLimits::kMaxHalfLifeDays * 86'400'000,
                     "above 0 and at most 1,000,000");
}

}  // namespace

std::string_view SeedByName(SeedBy by) { return kSeedNames[static_cast<std::size_t>(by)]; }
std::string_view PlanTermName(PlanTerm term) { return kTermNames[static_cast<std::size_t>(term)]; }
std::string_view FusionName(Fusion fusion) {
  return kFusionNames[static_cast<std::size_t>(fusion)];
}
std::string_view ExpandFromName(ExpandFrom from) {
  return kFromNames[static_cast<std::size_t>(from)];
}

Status CheckPlan(const RetrievalPlan& plan) try {
  if (plan.top != 0 || plan.fuse == Fusion::kMmr)
    PLEXUS_TRY(CheckCount("top", plan.top, PlanLimits::kMaxTop));
  PLEXUS_TRY(CheckSeeds(plan));
  PLEXUS_TRY(CheckNumber("expand.hops",
                         plan.expand.hops >= 0 && plan.expand.hops <= traversal::kMaxHops,
                         "from 0 to " + std::to_string(traversal::kMaxHops)));
  PLEXUS_TRY(CheckNumber("expand.decay", plan.expand.decay > 0 && plan.expand.decay <= 1,
                         "above 0 and at most 1"));
  PLEXUS_TRY(CheckCount("expand.top", plan.expand.top, PlanLimits::kMaxReached));
  if (plan.expand.per_hit > PlanLimits::kMaxTop)
    return Invalid("expand.per_hit: ", plan.expand.per_hit, " is more than ", PlanLimits::kMaxTop);
  PLEXUS_TRY(CheckScore(plan));
  PLEXUS_TRY(
      CheckNumber("rank_constant",
                  plan.rank_constant >= 0 && plan.rank_constant <= PlanLimits::kMaxRankConstant,
                  "from 0 to 1,000,000"));
  return CheckNumber("lambda", plan.lambda >= 0 && plan.lambda <= 1, "from 0 to 1");
}
PLEXUS_CATCH_NO_MEMORY

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
  plan.expand.from = ExpandFrom::kHits;
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

RetrievalPlan Lists() {
  RetrievalPlan plan;
  plan.seeds = {{.by = SeedBy::kWords, .per_hit = 4, .least = 100},
                {.by = SeedBy::kVector, .per_hit = 4, .least = 100},
                {.by = SeedBy::kKeys, .keep = false}};
  plan.expand = {
      .hops = 2, .top = 100, .per_hit = 4, .max_arcs = 100'000, .from = ExpandFrom::kKeys};
  plan.score = Weights({{PlanTerm::kWords, 1}, {PlanTerm::kSimilarity, 1}, {PlanTerm::kPath, 1}});
  for (const PlanTerm term :
       {PlanTerm::kSimilarity, PlanTerm::kWords, PlanTerm::kPath, PlanTerm::kSalience,
        PlanTerm::kRecency, PlanTerm::kFrequency, PlanTerm::kScope})
    plan.score.shown[static_cast<std::size_t>(term)] = true;
  plan.fuse = Fusion::kLists;
  return plan;
}

RetrievalPlan Recall() {
  RetrievalPlan plan;
  plan.seeds = {{.by = SeedBy::kNames, .top = 100},
                {.by = SeedBy::kWords, .per_hit = 3, .least = 30, .starts = 3},
                {.by = SeedBy::kVector, .per_hit = 3, .least = 30, .starts = 3},
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
      {"lists", "by words, vector and nearness to keys: each list's order, several fused by ranks",
       R"({"seeds":[{"by":"words","per_hit":4,"least":100},)"
       R"({"by":"vector","per_hit":4,"least":100},{"by":"keys","keep":false}],)"
       R"("expand":{"hops":2,"direction":"both","decay":0.5,"top":100,"per_hit":4,)"
       R"("max_arcs":100000,"from":"keys"},)"
       R"("score":{"words":1,"similarity":1,"path":1,"show":["similarity","words","path",)"
       R"("salience","recency","frequency","scope"]},"fuse":"lists"})",
       Lists()},
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
       R"({"seeds":[{"by":"names","top":100},{"by":"words","per_hit":3,"least":30,"starts":3},)"
       R"({"by":"vector","per_hit":3,"least":30,"starts":3},{"by":"keys","keep":false}],)"
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
