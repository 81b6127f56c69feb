// The fusion of a plan: hits out of candidates and their terms.
#include <algorithm>
#include <span>

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
    if (const double weight = run.plan.score.weights[t]; weight != 0)
      hit.terms.push_back(
          {PlanTermName(static_cast<PlanTerm>(t)), candidate.values[t].value_or(0), weight});
  hit.relevance = ScoreOf(hit.terms);
  if (candidate.walk != Candidate::kNoWalk) {
    const traversal::TraverseHit& walk = run.walks.hits[candidate.walk];
    hit.hops = walk.hops;
    hit.seed = walk.seed;
  }
  return hit;
}

bool Better(const RetrieveHit& a, const RetrieveHit& b) {
  return a.score != b.score ? a.score > b.score : a.node < b.node;
}

// `hits` are ascending.
void ScoreByRanks(double rank_constant, std::vector<RetrieveHit>& hits) {
  if (hits.empty()) return;
  std::vector<std::vector<NodeId>> lists;
  std::vector<double> weights;
  for (std::size_t t = 0; t < hits[0].terms.size(); ++t) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < hits.size(); ++i)
      if (hits[i].terms[t].value > 0) order.push_back(i);
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return hits[a].terms[t].value > hits[b].terms[t].value;
    });
    for (RetrieveHit& hit : hits) hit.ranks.push_back(0);
    std::vector<NodeId>& list = lists.emplace_back();
    for (std::size_t place = 0; place < order.size(); ++place) {
      list.push_back(hits[order[place]].node);
      hits[order[place]].ranks[t] = static_cast<std::uint32_t>(place + 1);
    }
    weights.push_back(hits[0].terms[t].weight);
  }
  for (const FusedNode& fused : FuseRanks(lists, rank_constant, weights))
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
  for (const Candidate& candidate : run.candidates) hits.push_back(HitOf(run, candidate));
  switch (run.plan.fuse) {
    case Fusion::kSum:
      for (RetrieveHit& hit : hits) hit.score = hit.relevance;
      common_internal::SortTopK(hits, run.plan.top, Better);
      break;
    case Fusion::kRrf:
      ScoreByRanks(run.plan.rank_constant, hits);
      common_internal::SortTopK(hits, run.plan.top, Better);
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
