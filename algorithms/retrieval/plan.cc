// Retrieve: a plan and a question checked, then the stages one after the other.
#include "algorithms/retrieval/plan.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "algorithms/retrieval/internal/plan_run.h"
#include "engine/out_of_memory.h"

namespace plexus {

namespace {

using retrieval_internal::Candidate;
using retrieval_internal::PlanRun;
using retrieval_internal::Seed;

constexpr std::string_view kSeedNames[] = {"vector", "words", "keys", "pagerank"};
constexpr std::string_view kTermNames[kPlanTerms] = {"similarity", "words", "path",     "graph",
                                                     "pagerank",   "age",   "salience", "outcome"};
constexpr std::string_view kFusionNames[] = {"sum", "rrf", "mmr"};

std::unexpected<Error> Bad(const std::string& place, const std::string& what) {
  return Fail(ErrorCode::kInvalidArgument, place + ": " + what);
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

Status CheckQuestion(const Snapshot& snapshot, const RetrievalPlan& plan,
                     const RetrieveQuestion& question) {
  const auto required = [&](PlanTerm term) {
    return plan.score.required[static_cast<std::size_t>(term)];
  };
  if (!question.vector.empty() && !question.space)
    return Fail(ErrorCode::kInvalidArgument, "the question has a vector, but of no space");
  if (required(PlanTerm::kSimilarity) && question.vector.empty())
    return Bad("score.require", "similarity is wanted of all, and the question has no vector");
  if (required(PlanTerm::kWords) && question.terms.empty())
    return Bad("score.require", "words are wanted of all, and the question has none");
  for (const NodeWeight& key : question.keys) {
    if (key.node >= snapshot.node_count() || !snapshot.alive(key.node))
      return internal::NotSelected(snapshot, "key", key.node, {});
    if (!(key.weight > 0 && key.weight <= 1))
      return Fail(
          ErrorCode::kInvalidArgument,
          "the weight of key " + internal::NodeName(snapshot, key.node) + " is not in (0, 1]");
  }
  const std::size_t spaces = snapshot.schema().spaces().size();
  if (question.space && *question.space >= spaces)
    return Fail(ErrorCode::kInvalidArgument, "the question's space does not exist");
  for (std::size_t i = 0; i < plan.seeds.size(); ++i)
    if (plan.seeds[i].space && *plan.seeds[i].space >= spaces)
      return Bad("seeds[" + std::to_string(i) + "].space", "it does not exist");
  for (std::size_t i = 0; i < plan.filter.node_kinds.size(); ++i)
    if (plan.filter.node_kinds[i] >= snapshot.schema().node_kinds().size())
      return Bad("filter.node_kinds[" + std::to_string(i) + "]", "there is no such kind");
  return {};
}

Status CheckValues(const Snapshot& snapshot, PlanTerm term, const NodeValues& values) {
  const auto& columns = snapshot.schema().columns();
  for (const ColumnId column : values.columns)
    if (column >= columns.size() || columns[column].type != ColumnType::kF64)
      return Fail(ErrorCode::kInvalidArgument,
                  "a column of " + std::string(PlanTermName(term)) + " is not one of numbers");
  return {};
}

// The hits become the seeds of the expansion.
void SeedFromHits(PlanRun& run) {
  double weights = 0;
  for (const double weight : run.plan.score.weights) weights += weight;
  run.seeds.clear();
  for (const RetrieveHit& hit : run.result.hits)
    run.seeds.push_back({hit.node, UnitTerm(hit.relevance / weights), hit.found_by, true});
  std::ranges::sort(run.seeds, {}, &Seed::node);
}

// The paths of the hits alone.
void AddPaths(PlanRun& run) {
  for (RetrieveHit& hit : run.result.hits) {
    const auto at = std::ranges::lower_bound(run.candidates, hit.node, {}, &Candidate::node);
    if (at->walk != Candidate::kNoWalk) hit.path = std::move(run.walks.hits[at->walk].path);
  }
}

}  // namespace

std::string_view SeedByName(SeedBy by) { return kSeedNames[static_cast<std::size_t>(by)]; }
std::string_view PlanTermName(PlanTerm term) { return kTermNames[static_cast<std::size_t>(term)]; }
std::string_view FusionName(Fusion fusion) {
  return kFusionNames[static_cast<std::size_t>(fusion)];
}

Status CheckPlan(const RetrievalPlan& plan) {
  PLEXUS_TRY(CheckCount("top", plan.top, PlanLimits::kMaxTop));
  PLEXUS_TRY(CheckSeeds(plan));
  PLEXUS_TRY(CheckNumber("expand.hops", plan.expand.hops >= 0 && plan.expand.hops <= kMaxHops,
                         "from 0 to " + std::to_string(kMaxHops)));
  PLEXUS_TRY(CheckNumber("expand.decay", plan.expand.decay > 0 && plan.expand.decay <= 1,
                         "above 0 and at most 1"));
  PLEXUS_TRY(CheckCount("expand.top", plan.expand.top, PlanLimits::kMaxReached));
  PLEXUS_TRY(CheckScore(plan));
  return CheckNumber("lambda", plan.lambda >= 0 && plan.lambda <= 1, "from 0 to 1");
}

Result<RetrieveResult> Retrieve(const Snapshot& snapshot, const RetrievalPlan& plan,
                                const RetrieveQuestion& question,
                                const RetrieveOptions& options) try {
  PLEXUS_TRY(CheckPlan(plan));
  PLEXUS_TRY(CheckQuestion(snapshot, plan, question));
  PLEXUS_TRY(CheckValues(snapshot, PlanTerm::kSalience, options.salience));
  PLEXUS_TRY(CheckValues(snapshot, PlanTerm::kOutcome, options.outcome));
  PlanRun run{snapshot, plan, question, options};
  PLEXUS_ASSIGN(const bool filtered, retrieval_internal::FilterStage(run));
  if (!filtered) return std::move(run.result);
  PLEXUS_TRY(retrieval_internal::SeedStages(run));
  if (plan.expand.from_hits && plan.expand.hops > 0) {
    PLEXUS_TRY(retrieval_internal::ExpandStage(run, 0));
    PLEXUS_TRY(retrieval_internal::ScoreStage(run));
    PLEXUS_TRY(retrieval_internal::FuseStage(run));
    SeedFromHits(run);
  }
  PLEXUS_TRY(retrieval_internal::ExpandStage(run, plan.expand.hops));
  PLEXUS_TRY(retrieval_internal::ScoreStage(run));
  PLEXUS_TRY(retrieval_internal::FuseStage(run));
  AddPaths(run);
  return std::move(run.result);
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
