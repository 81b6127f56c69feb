// The fusion of a plan: hits out of candidates and their terms.
#include <algorithm>
#include <functional>
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
    if (const auto term = static_cast<PlanTerm>(t); run.Weighs(term))
      hit.relevance += candidate.values[t].value_or(0) * run.plan.score[term];
  if (candidate.walk != Candidate::kNoWalk) {
    const traversal::TraverseHit& walk = run.walks.hits[candidate.walk];
    hit.hops = walk.hops;
    hit.seed = walk.seed;
    const bool whole = run.plan.expand.from == ExpandFrom::kKeys;
    if (walk.hops > 0 && run.Shows(PlanTerm::kPath))
      hit.measured.path = whole ? walk.score : UnitTerm(walk.score);
  }
  return hit;
}

bool Better(const RetrieveHit& a, const RetrieveHit& b) {
  return a.score != b.score ? a.score > b.score : a.node < b.node;
}

// Whom a term ranks, best first, with the measures that do.
std::vector<NodeWeight> ListOf(const PlanRun& run, PlanTerm term) {
  const auto t = static_cast<std::size_t>(term);
  const bool lists = run.plan.fuse == Fusion::kLists;
  if (lists && term != PlanTerm::kPath) return run.found[t];
  std::vector<NodeWeight> list;
  for (const Candidate& c : run.candidates) {
    if (lists && c.walk != Candidate::kNoWalk)
      list.push_back({c.node, run.walks.hits[c.walk].score});
    if (!lists && c.values[t] && *c.values[t] > 0) list.push_back({c.node, *c.values[t]});
  }
  std::ranges::stable_sort(list, std::greater<>(), &NodeWeight::weight);
  return list;
}

// `hits` are those of the candidates, ascending; afterwards the best `top`, best first.
void ScoreByRanks(PlanRun& run, std::size_t top, std::vector<RetrieveHit>& hits) {
  std::vector<std::vector<NodeId>> lists;
  std::vector<double> weights;
  std::size_t shown = 0, last = 0;  // last: the place of the last list's ranks
  for (std::size_t t = 0; t < kPlanTerms; ++t) {
    const auto term = static_cast<PlanTerm>(t);
    if (!run.Shows(term)) continue;
    for (RetrieveHit& hit : hits) hit.ranks.push_back(0);
    const std::size_t at = shown++;
    if (run.plan.score[term] == 0) continue;
    last = at;
    std::vector<NodeId>& list = lists.emplace_back();
    for (const NodeWeight& place : ListOf(run, term)) {
      const auto hit = std::ranges::lower_bound(hits, place.node, {}, &RetrieveHit::node);
      if (hit == hits.end() || hit->node != place.node || hit->ranks[at] > 0) continue;
      list.push_back(place.node);
      hit->ranks[at] = static_cast<std::uint32_t>(list.size());
      hit->score = place.weight;
    }
    weights.push_back(run.plan.score[term]);
  }
  if (run.plan.fuse == Fusion::kLists) {
    std::erase_if(hits, [](const RetrieveHit& hit) {
      return std::ranges::all_of(hit.ranks, [](std::uint32_t rank) { return rank == 0; });
    });
    run.result.candidates = hits.size();
    if (lists.size() == 1) {  // Scores are its measures, and its order decides.
      std::ranges::sort(hits, {}, [&](const RetrieveHit& hit) { return hit.ranks[last]; });
      if (hits.size() > top) hits.resize(top);
      return;
    }
  }
  for (RetrieveHit& hit : hits) hit.score = 0;
  for (const FusedNode& fused : FuseRanks(lists, run.plan.rank_constant, weights))
    std::ranges::lower_bound(hits, fused.node, {}, &RetrieveHit::node)->score = fused.score;
  common_internal::SortTopK(hits, top, Better);
}

double SumOfWeights(const RetrievalPlan& plan) {
  double sum = 0;
  for (const double weight : plan.score.weights) sum += weight;
  return sum;
}

// Moves the hits that are taken, in that order, to the front, and cuts the others.
void Diversify(PlanRun& run, const VectorView* view, std::size_t most,
               std::vector<RetrieveHit>& hits, RetrieveStage& stage) {
  const double lambda = run.plan.lambda, weights = SumOfWeights(run.plan);
  std::vector<double> nearest(hits.size(), 0.0);  // To what was taken.
  common_internal::StoppableExecutor executor(common_internal::Pick(run.options.run.executor),
                                              run.options.run.budget);
  const std::size_t top = std::min(most, hits.size());
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

Status FuseStage(PlanRun& run, std::size_t most) {
  StageClock clock(run.result, "fuse");
  clock.stage.read = run.candidates.size();
  run.result.candidates = run.candidates.size();
  std::vector<RetrieveHit> hits;
  hits.reserve(run.candidates.size());
  const std::size_t top = most == 0 ? run.candidates.size() : most;
  for (const Candidate& candidate : run.candidates) hits.push_back(HitOf(run, candidate));
  switch (run.plan.fuse) {
    case Fusion::kSum:
      for (RetrieveHit& hit : hits) hit.score = hit.relevance;
      common_internal::SortTopK(hits, top, Better);
      break;
    case Fusion::kRrf:
    case Fusion::kLists:
      ScoreByRanks(run, top, hits);
      break;
    case Fusion::kMmr: {
      const VectorView* view = nullptr;
      if (run.question.space) PLEXUS_SET(view, run.snapshot.vectors(*run.question.space));
      Diversify(run, view, top, hits, clock.stage);
      break;
    }
  }
  run.result.hits = std::move(hits);
  clock.stage.kept = run.result.hits.size();
  clock.Done();
  return {};
}

}  // namespace plexus::retrieval::internal
