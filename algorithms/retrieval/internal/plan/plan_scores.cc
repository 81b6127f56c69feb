// The terms of a plan's score, one after the other over all candidates.
#include <algorithm>
#include <cmath>
#include <span>

#include "algorithms/common/internal/stoppable_executor.h"
#include "algorithms/retrieval/internal/plan/plan_run.h"
#include "algorithms/retrieval/internal/vectors/candidate_search.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval::internal {

namespace {

std::vector<NodeId> Nodes(const std::vector<Candidate>& candidates) {
  std::vector<NodeId> nodes;
  nodes.reserve(candidates.size());
  for (const Candidate& c : candidates) nodes.push_back(c.node);
  return nodes;
}

// Both lists are ascending: each candidate's value, where it has one.
template <class Use>
void ForEachValue(std::vector<Candidate>& candidates, std::span<const NodeWeight> values,
                  Use&& use) {
  for (Candidate& c : candidates) {
    const auto at = std::ranges::lower_bound(values, c.node, {}, &NodeWeight::node);
    if (at != values.end() && at->node == c.node) use(c, at->weight);
  }
}

// As vectors.h has it: who points away from the question counts less than nothing.
double Likeness(double similarity, Metric metric) {
  return metric == Metric::kCosine ? similarity : SimilarityTerm(similarity, metric);
}

Status ScoreSimilarity(PlanRun& run, StageClock& clock) {
  PLEXUS_ASSIGN(const SpaceQuery query,
                SpaceQuery::Make(run.snapshot, *run.question.space, run.question.vector, {},
                                 run.options.level));
  std::vector<NodeId> with_vector;
  for (const Candidate& c : run.candidates)
    if (query.view().has(c.node)) with_vector.push_back(c.node);
  run.result.without_vector = run.candidates.size() - with_vector.size();
  common_internal::StoppableExecutor executor(common_internal::Pick(run.options.run.executor),
                                              run.options.run.budget);
  NearestRanks measured =
      RankNodesWithin(query, std::move(with_vector), run.options.run.budget, executor);
  clock.stage.truncated |= measured.truncated;
  std::vector<NodeWeight> values;
  values.reserve(measured.ranked.size());
  for (const RankedNode& ranked : measured.ranked)
    values.push_back({ranked.node, Likeness(query.ToSimilar(ranked).similarity, query.metric())});
  ForEachValue(run.candidates, values,
               [](Candidate& c, double value) { c[PlanTerm::kSimilarity] = value; });
  return {};
}

// Of candidates that the words found, and of the others.
Status ScoreWords(PlanRun& run, StageClock& clock) {
  RetrieveStage asked;
  PLEXUS_TRY(AskWords(run, asked));
  clock.stage.truncated |= asked.truncated;
  std::vector<NodeWeight> scores;
  for (const Bm25Hit& match : run.words->hits) scores.push_back({match.node, match.score});
  std::ranges::sort(scores, {}, &NodeWeight::node);
  std::vector<NodeId> others;
  for (const Candidate& c : run.candidates)
    if (!std::ranges::binary_search(scores, c.node, {}, &NodeWeight::node))
      others.push_back(c.node);
  if (!others.empty()) {
    PLEXUS_ASSIGN(const std::vector<Bm25Hit> looked_up,
                  Bm25Of(run.snapshot, *run.words, others,
                         {.phrases = run.question.phrases, .run = run.options.run}));
    clock.stage.truncated |= run.options.run.budget.Interrupted();
    for (const Bm25Hit& match : looked_up) scores.push_back({match.node, match.score});
    std::ranges::sort(scores, {}, &NodeWeight::node);
  }
  const double bound = Bm25Bound(run.words->terms);
  ForEachValue(run.candidates, scores,
               [&](Candidate& c, double score) { c[PlanTerm::kWords] = TextTerm(score, bound); });
  return {};
}

Status ScoreGraph(PlanRun& run, StageClock& clock) {
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(run.snapshot,
                                        GraphFilter{run.plan.expand.kinds, run.options.valid_at}));
  const CandidateDegrees among =
      DegreesAmong(run.snapshot, selection.filter, Nodes(run.candidates), run.options.run);
  clock.stage.truncated |= among.truncated;
  double largest = 0;
  for (const double degree : among.degrees) largest = std::max(largest, degree);
  for (std::size_t i = 0; i < run.candidates.size(); ++i)
    run.candidates[i][PlanTerm::kGraph] = largest > 0 ? among.degrees[i] / largest : 0;
  return {};
}

void ScoreAge(PlanRun& run) {
  constexpr double kDayMs = 86'400'000;
  const auto half_life =
      static_cast<std::int64_t>(std::ceil(run.plan.score.half_life_days * kDayMs));
  for (Candidate& c : run.candidates)
    if (const auto created = run.snapshot.i64(builtin::kCreatedAt, c.node))
      c[PlanTerm::kAge] = RecencyTerm(created, run.snapshot.TimeOr(run.options.now_ms), half_life);
}

// Values of the caller.
void ScoreGiven(PlanRun& run, PlanTerm term, const NodeValues& given) {
  if (!run.Uses(term)) return;
  for (Candidate& c : run.candidates) {
    std::optional<double> value;
    const auto at = std::ranges::lower_bound(given.list, c.node, {}, &NodeWeight::node);
    if (at != given.list.end() && at->node == c.node) value = at->weight;
    for (std::size_t i = 0; !value && i < given.columns.size(); ++i)
      value = run.snapshot.f64(given.columns[i], c.node);
    if (!value) value = given.otherwise;
    if (value) c[term] = UnitTerm(*value);
  }
}

// Takes out who lacks a required term.
void Require(PlanRun& run) {
  run.result.left_out = std::erase_if(run.candidates, [&](const Candidate& c) {
    for (std::size_t t = 0; t < kPlanTerms; ++t)
      if (run.plan.score.required[t] && !c.values[t]) return true;
    return false;
  });
}

}  // namespace

Status ScoreStage(PlanRun& run) {
  StageClock clock(run.result, "score");
  clock.stage.read = run.candidates.size();
  if (run.Uses(PlanTerm::kSimilarity) && !run.question.vector.empty())
    PLEXUS_TRY(ScoreSimilarity(run, clock));
  if (run.Uses(PlanTerm::kWords) && !run.question.terms.empty()) PLEXUS_TRY(ScoreWords(run, clock));
  for (Candidate& c : run.candidates)
    if (c.walk != Candidate::kNoWalk) c[PlanTerm::kPath] = UnitTerm(run.walks.hits[c.walk].score);
  if (run.Uses(PlanTerm::kGraph)) PLEXUS_TRY(ScoreGraph(run, clock));
  if (run.Uses(PlanTerm::kAge)) ScoreAge(run);
  ForEachValue(run.candidates, run.pagerank,
               [](Candidate& c, double value) { c[PlanTerm::kPageRank] = UnitTerm(value); });
  ScoreGiven(run, PlanTerm::kSalience, run.options.salience);
  ScoreGiven(run, PlanTerm::kOutcomes, run.options.outcome);
  Require(run);
  clock.stage.kept = run.candidates.size();
  clock.Done();
  return {};
}

}  // namespace plexus::retrieval::internal
