// Names of a plan's parts, and the limits of its numbers.
#include <algorithm>
#include <string>

#include "algorithms/retrieval/plan.h"
#include "algorithms/traversal/traversal.h"
#include "engine/out_of_memory.h"

namespace plexus::retrieval {

namespace {

constexpr std::string_view kSeedNames[kSeedBys] = {"vector", "words", "keys", "pagerank", "names"};
constexpr std::string_view kTermNames[kPlanTerms] = {"similarity", "words", "path",     "graph",
                                                     "pagerank",   "age",   "salience", "outcome"};
constexpr std::string_view kFusionNames[] = {"sum", "rrf", "mmr"};

std::unexpected<Error> Bad(const std::string& place, const std::string& what) {
  return Invalid(place, ": ", what);
}

Status CheckCount(const std::string& place, std::size_t count, std::size_t most) {
  if (count >= 1 && count <= most) return {};
  return Bad(place, std::to_string(count) + " is not in 1.." + std::to_string(most));
}

Status CheckNumber(const std::string& place, bool fits, const std::string& range) {
  if (fits) return {};
  return Bad(place, "it must be " + range);
}

bool HasSeeds(const RetrievalPlan& plan, SeedBy by) {
  return std::ranges::any_of(plan.seeds, [&](const PlanSeeds& seeds) { return seeds.by == by; });
}

Status CheckSeeds(const RetrievalPlan& plan) {
  if (plan.seeds.empty()) return Bad("seeds", "a plan begins with at least one");
  if (plan.seeds.size() > PlanLimits::kMaxSeeds)
    return Bad("seeds", std::to_string(plan.seeds.size()) + " are more than " +
                            std::to_string(PlanLimits::kMaxSeeds));
  for (std::size_t i = 0; i < plan.seeds.size(); ++i) {
    const PlanSeeds& seeds = plan.seeds[i];
    const std::string place = "seeds[" + std::to_string(i) + "]";
    if (seeds.per_hit == 0) {
      PLEXUS_TRY(CheckCount(place + ".top", seeds.top, PlanLimits::kMaxTop));
    } else if (seeds.per_hit > PlanLimits::kMaxTop ||
               seeds.per_hit * plan.top > PlanLimits::kMaxTop) {
      return Bad(place + ".per_hit", std::to_string(seeds.per_hit) + " times the top of " +
                                         std::to_string(plan.top) + " is more than " +
                                         std::to_string(PlanLimits::kMaxTop));
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
                           "a number from 0 to 1,000,000"));
    sum += weight;
  }
  if (!(sum > 0)) return Bad("score", "one of its weights must be above 0");
  constexpr auto kRank = static_cast<std::size_t>(PlanTerm::kPageRank);
  if ((plan.score[PlanTerm::kPageRank] > 0 || plan.score.required[kRank]) &&
      !HasSeeds(plan, SeedBy::kPageRank))
    return Bad("score.pagerank", "it needs seeds by pagerank");
  return CheckNumber(
      "score.half_life_days",
      plan.score.half_life_days > 0 && plan.score.half_life_days <= PlanLimits::kMaxHalfLifeDays,
      "above 0 and at most 1,000,000");
}

}  // namespace

std::string_view SeedByName(SeedBy by) { return kSeedNames[static_cast<std::size_t>(by)]; }
std::string_view PlanTermName(PlanTerm term) { return kTermNames[static_cast<std::size_t>(term)]; }
std::string_view FusionName(Fusion fusion) {
  return kFusionNames[static_cast<std::size_t>(fusion)];
}

Status CheckPlan(const RetrievalPlan& plan) try {
  PLEXUS_TRY(CheckCount("top", plan.top, PlanLimits::kMaxTop));
  PLEXUS_TRY(CheckSeeds(plan));
  PLEXUS_TRY(CheckNumber("expand.hops",
                         plan.expand.hops >= 0 && plan.expand.hops <= traversal::kMaxHops,
                         "from 0 to " + std::to_string(traversal::kMaxHops)));
  PLEXUS_TRY(CheckNumber("expand.decay", plan.expand.decay > 0 && plan.expand.decay <= 1,
                         "above 0 and at most 1"));
  PLEXUS_TRY(CheckCount("expand.top", plan.expand.top, PlanLimits::kMaxReached));
  PLEXUS_TRY(CheckScore(plan));
  PLEXUS_TRY(CheckNumber(
      "rank_constant",
      plan.rank_constant >= 0 && plan.rank_constant <= PlanLimits::kMaxRankConstant,
      "from 0 to 1,000,000"));
  return CheckNumber("lambda", plan.lambda >= 0 && plan.lambda <= 1, "from 0 to 1");
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::retrieval
