// The fusion of a plan: hits out of candidates and their terms.
#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stoppable_executor.h"
#include "algorithms/common/internal/top_k.h"
#include "algorithms/retrieval/internal/plan/plan_run.h"
#include "algorithms/retrieval/plan.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/vectors/vector_view.h"

namespace plexus::retrieval::internal {

namespace {

RetrieveHit HitOf(const PlanRun& run, const Candidate& candidate) {
  RetrieveHit hit;
  hit.node = candidate.node;
  hit.found_by = candidate.found_by;
  for (std::size_t t = 0; t < kPlanTerms; ++t)
    if (const auto term = static_cast<PlanTerm>(t); run.Shows(term))
      hit.terms.push_back(
          {PlanTermName(term), candidate.values[t].value_or(0), run.plan.score[term]});
  hit.relevance = ScoreOf(hit.terms);
  hit.measured.similarity = candidate.similarity;
  if (candidate.walk != Candidate::kNoWalk) {
    const traversal::TraverseHit& walk = run.walks.hits[candidate.walk];
    hit.hops = walk.hops;
    hit.seed = walk.seed;
    if (walk.hops > 0 && run.Uses(PlanTerm::kPath)) hit.measured.path = walk.score;
  }
  return hit;
}

bool Better(const RetrieveHit& a, const RetrieveHit& b) {
  return a.score != b.score ? a.score > b.score : a.node < b.node;
}

// A candidate's place in the list of a term; absent: it is not in it.
std::optional<double> InList(const PlanRun& run, PlanTerm term, const Candidate& c) {
  if (run.plan.fuse != Fusion::kLists) {
    const std::optional<double> value = c.values[static_cast<std::size_t>(term)];
    return value && *value > 0 ? value : std::nullopt;
  }
  const auto found_by = [&](SeedBy by) {
    for (std::size_t i = 0; i < run.plan.seeds.size(); ++i)
      if (c.found_by >> i & 1 && run.plan.seeds[i].by == by) return true;
    return false;
  };
  if (term == PlanTerm::kWords && c.match && found_by(SeedBy::kWords)) return c.match->score;
  if (term == PlanTerm::kSimilarity && found_by(SeedBy::kVector)) return c.similarity;
  if (term == PlanTerm::kPath && c.walk != Candidate::kNoWalk) return run.walks.hits[c.walk].score;
  return std::nullopt;
}

// `hits` are those of the candidates, ascending.
void ScoreByRanks(const PlanRun& run, std::vector<RetrieveHit>& hits) {
  std::vector<std::vector<NodeId>> lists;
  std::vector<double> weights;
  std::size_t shown = 0;
  for (std::size_t t = 0; t < kPlanTerms; ++t) {
    const auto term = static_cast<PlanTerm>(t);
    if (!run.Shows(term)) continue;
    for (RetrieveHit& hit : hits) hit.ranks.push_back(0);
    const std::size_t at = shown++;
    if (run.plan.score[term] == 0) continue;
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < hits.size(); ++i)
      if (const auto value = InList(run, term, run.candidates[i])) order.push_back({*value, i});
    std::ranges::stable_sort(order, std::greater<>(), &std::pair<double, std::size_t>::first);
    std::vector<NodeId>& list = lists.emplace_back();
    for (std::size_t place = 0; place < order.size(); ++place) {
      RetrieveHit& hit = hits[order[place].second];
      list.push_back(hit.node);
      hit.ranks[at] = static_cast<std::uint32_t>(place + 1);
      hit.score = order[place].first;
    }
    weights.push_back(run.plan.score[term]);
  }
  if (run.plan.fuse == Fusion::kLists && lists.size() == 1) return;  // Scores are its measures.
  for (RetrieveHit& hit : hits) hit.score = 0;
  for (const FusedNode& fused : FuseRanks(lists, run.plan.rank_constant, weights))
    std::ranges::lower_bound(hits, fused.node, {}, &RetrieveHit::node)->score = fused.score;
}

double SumOfWeights(const RetrievalPlan& plan) {
  double sum = 0;
  for (const double weight : plan.score.weights) sum += weight;
  return sum;
}

// Moves the hits that are taken, in that order, to the front, and cuts the others.
void Diversify(PlanRun& run, const VectorView* view, std::vector<RetrieveHit>& hits,
               RetrieveStage& stage) {
  const double lambda = run.plan.lambda, weights = SumOfWeights(run.plan);
  std::vector<double> nearest(hits.size(), 0.0);  // To what was taken.
  common_internal::StoppableExecutor executor(common_internal::Pick(run.options.run.executor),
                                              run.options.run.budget);
  const std::size_t top = std::min(run.plan.top, hits.size());
  std::size_t taken = 0;
  for (; taken < top; ++taken) {
    std::size_t best = taken;
    for (std::size_t i = taken; i < hits.size(); ++i) {
      hits[i].score = lambda * (hits[i].relevance / weights) - (1 - lambda) * nearest[i];
      if (Better(hits[i], hits[best])) best = i;
    }
    std::swap(hits[taken], hits[best]);
    std::swap(nearest[taken], nearest[best]);
    if (!view) continue;
    VectorBuffer last_values;
    const std::span<const float> last = view->vector(hits[taken].node, last_values);
    if (last.empty()) continue;
    ParallelFor(executor, hits.size() - taken - 1, 256, [&](std::size_t begin, std::size_t end) {
      VectorBuffer values;
      for (std::size_t i = taken + 1 + begin; i < taken + 1 + end; ++i)
        if (const auto other = view->vector(hits[i].node, values); !other.empty())
          nearest[i] = std::max(nearest[i], Cosine(last, other, run.options.level));
    });
    if (executor.stopped()) {
      stage.truncated = true;
      ++taken;
      break;
    }
  }
  hits.resize(taken);
}

}  // namespace

Status FuseStage(PlanRun& run) {
  StageClock clock(run.result, "fuse");
  clock.stage.read = run.candidates.size();
  run.result.candidates = run.candidates.size();
  std::vector<RetrieveHit> hits;
  hits.reserve(run.candidates.size());
  const std::size_t top = run.plan.top == 0 ? run.candidates.size() : run.plan.top;
  for (const Candidate& candidate : run.candidates) hits.push_back(HitOf(run, candidate));
  switch (run.plan.fuse) {
    case Fusion::kSum:
      for (RetrieveHit& hit : hits) hit.score = hit.relevance;
      common_internal::SortTopK(hits, top, Better);
      break;
    case Fusion::kRrf:
    case Fusion::kLists:
      ScoreByRanks(run, hits);
      common_internal::SortTopK(hits, top, Better);
      break;
    case Fusion::kMmr: {
      const VectorView* view = nullptr;
      if (run.question.space) PLEXUS_SET(view, run.snapshot.vectors(*run.question.space));
      Diversify(run, view, hits, clock.stage);
      break;
    }
  }
  run.result.hits = std::move(hits);
  clock.stage.kept = run.result.hits.size();
  clock.Done();
  return {};
}

}  // namespace plexus::retrieval::internal
