// The terms of a plan's score, one after the other over all candidates.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

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

// To the question's vector, of the nodes that have one; ascending.
Result<std::vector<NodeWeight>> Similarities(const PlanRun& run, std::vector<NodeId> nodes,
                                             RetrieveStage& stage, std::uint64_t* without) {
  PLEXUS_ASSIGN(const SpaceQuery query,
                SpaceQuery::Make(run.snapshot, *run.question.space, run.question.vector, {},
                                 run.options.level));
  const std::size_t lacking =
      std::erase_if(nodes, [&](NodeId node) { return !query.view().has(node); });
  if (without) *without = lacking;
  common_internal::StoppableExecutor executor(common_internal::Pick(run.options.run.executor),
                                              run.options.run.budget);
  NearestRanks measured =
      RankNodesWithin(query, std::move(nodes), run.options.run.budget, executor);
  stage.truncated |= measured.truncated;
  std::vector<NodeWeight> values;
  values.reserve(measured.ranked.size());
  for (const RankedNode& ranked : measured.ranked)
    values.push_back({ranked.node, query.ToSimilar(ranked).similarity});
  return values;
}

// What seeds of plans of lists found, ascending: that is what a term that ranks has there.
std::vector<NodeWeight> Found(const PlanRun& run, PlanTerm term) {
  std::vector<NodeWeight> found = run.found[static_cast<std::size_t>(term)];
  std::ranges::stable_sort(found, {}, &NodeWeight::node);
  return found;
}

bool IsOfList(const PlanRun& run, PlanTerm term) {
  return run.plan.fuse == Fusion::kLists && run.Weighs(term);
}

Status ScoreSimilarity(PlanRun& run, RetrieveStage& stage) {
  std::vector<NodeWeight> values;
  if (IsOfList(run, PlanTerm::kSimilarity))
    values = Found(run, PlanTerm::kSimilarity);
  else
    PLEXUS_SET(values, Similarities(run, Nodes(run.candidates), stage,
                                    run.hits_only ? nullptr : &run.result.without_vector));
  const Metric metric = run.snapshot.schema().spaces()[*run.question.space].metric;
  ForEachValue(run.candidates, values, [&](Candidate& c, double value) {
    c.similarity = value;
    c[PlanTerm::kSimilarity] = Likeness(value, metric);
  });
  return {};
}

Status ScoreWords(PlanRun& run, RetrieveStage& stage) {
  std::vector<NodeWeight> values;
  if (IsOfList(run, PlanTerm::kWords)) {
    values = Found(run, PlanTerm::kWords);
  } else {
    PLEXUS_TRY(MatchWords(run, Nodes(run.candidates), stage));
    for (const Bm25Hit& match : run.matches) values.push_back({match.node, match.score});
  }
  if (values.empty()) return {};
  const double bound = Bm25Bound(run.words->terms);
  ForEachValue(run.candidates, values,
               [&](Candidate& c, double score) { c[PlanTerm::kWords] = TextTerm(score, bound); });
  return {};
}

Status ScoreGraph(PlanRun& run, RetrieveStage& stage) {
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(run.snapshot,
                                        GraphFilter{run.plan.expand.kinds, run.options.valid_at}));
  const CandidateDegrees among =
      DegreesAmong(run.snapshot, selection.filter, Nodes(run.candidates), run.options.run);
  stage.truncated |= among.truncated;
  double largest = 0;
  for (const double degree : among.degrees) largest = std::max(largest, degree);
  for (std::size_t i = 0; i < run.candidates.size(); ++i)
    run.candidates[i][PlanTerm::kGraph] = largest > 0 ? among.degrees[i] / largest : 0;
  return {};
}

// What columns and the caller's preference say of each candidate.
void ScoreColumns(PlanRun& run) {
  const Snapshot& s = run.snapshot;
  const PlanScore& score = run.plan.score;
  const std::int64_t now = s.TimeOr(run.options.now_ms);
  for (Candidate& c : run.candidates) {
    if (run.Computes(PlanTerm::kAge))
      if (const auto created = s.i64(builtin::kCreatedAt, c.node))
        c[PlanTerm::kAge] = RecencyTerm(created, now, score.half_life_ms);
    if (run.Computes(PlanTerm::kRecency)) {
      const auto used = s.i64(builtin::kAccessedAt, c.node);
      if (const auto last = used ? used : s.i64(builtin::kCreatedAt, c.node))
        c[PlanTerm::kRecency] = RecencyTerm(last, now, score.half_life_ms);
    }
    if (run.Computes(PlanTerm::kFrequency))
      if (const auto uses = s.i64(builtin::kAccessCount, c.node))
        c[PlanTerm::kFrequency] = FrequencyTerm(*uses, score.full_count);
    if (run.Computes(PlanTerm::kScope) && !run.options.preferred.Of(s, c.node).empty())
      c[PlanTerm::kScope] = 1;
  }
}

// Values of the caller.
void ScoreGiven(PlanRun& run, PlanTerm term, const NodeValues& given) {
  if (!run.Computes(term)) return;
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

// The terms that run.Computes.
Status ScoreTerms(PlanRun& run, RetrieveStage& stage) {
  if (run.Computes(PlanTerm::kSimilarity) && run.Asked(PlanTerm::kSimilarity))
    PLEXUS_TRY(ScoreSimilarity(run, stage));
  if (run.Computes(PlanTerm::kWords) && run.Asked(PlanTerm::kWords))
    PLEXUS_TRY(ScoreWords(run, stage));
  for (Candidate& c : run.candidates)
    if (c.walk != Candidate::kNoWalk) c[PlanTerm::kPath] = UnitTerm(run.walks.hits[c.walk].score);
  if (run.Computes(PlanTerm::kGraph)) PLEXUS_TRY(ScoreGraph(run, stage));
  ScoreColumns(run);
  ForEachValue(run.candidates, run.pagerank,
               [](Candidate& c, double value) { c[PlanTerm::kPageRank] = UnitTerm(value); });
  ScoreGiven(run, PlanTerm::kSalience, run.options.salience);
  ScoreGiven(run, PlanTerm::kOutcomes, run.options.outcome);
  return {};
}

// Takes out those that lack a required term.
void Require(PlanRun& run) {
  run.result.left_out = std::erase_if(run.candidates, [&](const Candidate& c) {
    for (std::size_t t = 0; t < kPlanTerms; ++t)
      if (run.plan.score.required[t] && !c.values[t]) return true;
    return false;
  });
}

}  // namespace

const Bm25Hit* FindMatch(const PlanRun& run, NodeId node) {
  const auto at = std::ranges::lower_bound(run.matches, node, {}, &Bm25Hit::node);
  return at != run.matches.end() && at->node == node ? &*at : nullptr;
}

Status MatchWords(PlanRun& run, std::span<const NodeId> nodes, RetrieveStage& stage) {
  RetrieveStage asked;
  PLEXUS_TRY(AskWords(run, asked));
  stage.truncated |= asked.truncated;
  if (run.matches.empty()) {
    run.matches = std::exchange(run.words->hits, {});
    std::ranges::sort(run.matches, {}, &Bm25Hit::node);
  }
  std::vector<NodeId> others;
  for (const NodeId node : nodes)
    if (!FindMatch(run, node)) others.push_back(node);
  if (others.empty()) return {};
  PLEXUS_ASSIGN(std::vector<Bm25Hit> looked_up,
                Bm25Of(run.snapshot, *run.words, others,
                       {.phrases = run.question.phrases, .run = run.options.run}));
  stage.truncated |= run.options.run.budget.Interrupted();
  std::ranges::move(looked_up, std::back_inserter(run.matches));
  std::ranges::sort(run.matches, {}, &Bm25Hit::node);
  return {};
}

Status ScoreStage(PlanRun& run) {
  StageClock clock(run.result, "score");
  clock.stage.read = run.candidates.size();
  PLEXUS_TRY(ScoreTerms(run, clock.stage));
  Require(run);
  clock.stage.kept = run.candidates.size();
  clock.Done();
  return {};
}

Status DescribeHits(PlanRun& run) {
  std::vector<NodeId> nodes;
  for (const RetrieveHit& hit : run.result.hits) nodes.push_back(hit.node);
  std::ranges::sort(nodes);
  std::erase_if(run.candidates,
                [&](const Candidate& c) { return !std::ranges::binary_search(nodes, c.node); });
  RetrieveStage stage;
  run.hits_only = true;
  PLEXUS_TRY(ScoreTerms(run, stage));
  const bool measure = run.options.measure_hits && !nodes.empty();
  if (run.Asked(PlanTerm::kWords) && (measure || run.words))
    PLEXUS_TRY(MatchWords(run, measure ? nodes : std::vector<NodeId>(), stage));
  if (measure && run.Asked(PlanTerm::kSimilarity)) {
    std::erase_if(nodes, [&](NodeId node) {
      return std::ranges::lower_bound(run.candidates, node, {}, &Candidate::node)
          ->similarity.has_value();
    });
    PLEXUS_ASSIGN(const std::vector<NodeWeight> similarities,
                  Similarities(run, std::move(nodes), stage, nullptr));
    ForEachValue(run.candidates, similarities,
                 [](Candidate& c, double value) { c.similarity = value; });
  }
  run.result.truncated |= stage.truncated;
  std::uint32_t words = 0;
  if (run.words) {
    for (const QueryTerm& term : run.words->terms)
      words += std::ranges::find(run.question.phrases, term.term, &Bm25Phrase::name) ==
               run.question.phrases.end();
    if (!run.options.run.budget.Interrupted()) run.result.word_count = words;
  }
  for (RetrieveHit& hit : run.result.hits) {
    const auto at = std::ranges::lower_bound(run.candidates, hit.node, {}, &Candidate::node);
    hit.measured.similarity = at->similarity;
    for (std::size_t t = 0; t < kPlanTerms; ++t)
      if (const auto term = static_cast<PlanTerm>(t); run.Shows(term))
        hit.terms.push_back({PlanTermName(term), at->values[t].value_or(0), run.plan.score[term]});
    const Bm25Hit* found = FindMatch(run, hit.node);
    if (!found) continue;
    hit.measured.words = found->score;
    for (const TermShare& share : found->shares)
      if (share.term < words)
        ++hit.measured.words_matched;
      else
        hit.measured.phrase_matched = true;
  }
  return {};
}

}  // namespace plexus::retrieval::internal
