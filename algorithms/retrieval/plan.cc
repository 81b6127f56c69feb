// Retrieve: a plan and a question checked, then the stages one after the other.
// Score terms: each function ends in UnitTerm, so that rounding does not leave [0, 1].
// Rank fusion: shares by node, summed, sorted.
#include "algorithms/retrieval/plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

#include "algorithms/retrieval/internal/plan/plan_run.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::retrieval {

namespace {

using internal::Candidate;
using internal::PlanRun;
using internal::Seed;

Status CheckQuestion(const PlanRun& run) {
  const Snapshot& snapshot = run.snapshot;
  const RetrievalPlan& plan = run.plan;
  const RetrieveQuery& question = run.question;
  if (!question.vector.empty() && !question.space)
    return Invalid("the question has a vector, but of no space");
  for (const auto& [term, what] : {std::pair{PlanTerm::kSimilarity, "vector"},
                                   {PlanTerm::kWords, "words"},
                                   {PlanTerm::kPath, "keys"},
                                   {PlanTerm::kScope, "preferred scope or tag"}})
    if (plan.score.required[static_cast<std::size_t>(term)] && !run.Asked(term))
      return Invalid("score.require: ", PlanTermName(term),
                     " is wanted of all, and the question has no ", what);
  for (const NodeWeight& key : question.keys) {
    if (key.node >= snapshot.node_count() || !snapshot.alive(key.node))
      return common_internal::NotSelected(snapshot, "key", key.node, {});
    // A plan that walks only from keys has the products that Traverse has.
    const bool any = plan.expand.from == ExpandFrom::kKeys;
    if (!(key.weight > 0 && (any ? std::isfinite(key.weight) : key.weight <= 1)))
      return Invalid("the weight of key ", common_internal::NodeName(snapshot, key.node),
                     any ? " is not above 0" : " is not in (0, 1]");
  }
  const std::size_t spaces = snapshot.schema().spaces().size();
  if (question.space && *question.space >= spaces)
    return Invalid("the question's space does not exist");
  for (std::size_t i = 0; i < plan.seeds.size(); ++i) {
    const std::optional<SpaceId>& space = plan.seeds[i].space;
    if (space && *space >= spaces) return Invalid("seeds[", i, "].space: it does not exist");
    if (space && question.space && *space != *question.space && plan.fuse == Fusion::kLists)
      return Invalid("seeds[", i, "].space: lists are of the question's space");
  }
  for (std::size_t i = 0; i < plan.filter.node_kinds.size(); ++i)
    if (plan.filter.node_kinds[i] >= snapshot.schema().node_kinds().size())
      return Invalid("filter.node_kinds[", i, "]: there is no such kind");
  return {};
}

Status CheckValues(const Snapshot& snapshot, PlanTerm term, const NodeValues& values) {
  const auto& columns = snapshot.schema().columns();
  for (const ColumnId column : values.columns)
    if (column >= columns.size() || columns[column].type != ColumnType::kF64)
      return Invalid("a column of ", PlanTermName(term), " is not one of numbers");
  return {};
}

Status CheckTags(const Snapshot& snapshot, std::span<const NodeId> tags) {
  for (const NodeId tag : tags)
    if (tag >= snapshot.node_count() || snapshot.node_kind(tag) != builtin::kTag)
      return Invalid("node ", tag, " is no tag");
  return {};
}

// The hits become the seeds of the expansion.
void SeedFromHits(PlanRun& run) {
  double weights = 0;
  for (const double weight : run.plan.score.weights) weights += weight;
  run.seeds.clear();
  for (const RetrieveHit& hit : run.result.hits)
    run.seeds.push_back({.node = hit.node,
                         .own = UnitTerm(hit.relevance / weights),
                         .start = UnitTerm(hit.relevance / weights),
                         .found_by = hit.found_by,
                         .keep = true});
  std::ranges::sort(run.seeds, {}, &Seed::node);
}

// Only the paths of the hits.
void AddPaths(PlanRun& run) {
  for (RetrieveHit& hit : run.result.hits) {
    const auto at = std::ranges::lower_bound(run.candidates, hit.node, {}, &Candidate::node);
    if (at->walk != Candidate::kNoWalk) hit.path = std::move(run.walks.hits[at->walk].path);
  }
}

}  // namespace

Result<RetrieveResult> Retrieve(const Snapshot& snapshot, const RetrievalPlan& plan,
                                const RetrieveQuery& question, const RetrieveOptions& options) try {
  PLEXUS_TRY(CheckPlan(plan));
  PlanRun run{snapshot, plan, question, options};
  PLEXUS_TRY(CheckQuestion(run));
  PLEXUS_TRY(CheckValues(snapshot, PlanTerm::kSalience, options.salience));
  PLEXUS_TRY(CheckValues(snapshot, PlanTerm::kOutcomes, options.outcome));
  PLEXUS_TRY(CheckTags(snapshot, options.preferred.tags));
  PLEXUS_ASSIGN(const bool filtered, internal::FilterStage(run));
  if (!filtered) return std::move(run.result);
  PLEXUS_TRY(internal::SeedStages(run));
  if (plan.expand.from == ExpandFrom::kHits && plan.expand.hops > 0) {
    PLEXUS_TRY(internal::ExpandStage(run, 0));
    PLEXUS_TRY(internal::ScoreStage(run));
    PLEXUS_TRY(internal::FuseStage(run, plan.top));
    SeedFromHits(run);
  }
  PLEXUS_TRY(internal::ExpandStage(run, plan.expand.hops));
  PLEXUS_TRY(internal::ScoreStage(run));
  PLEXUS_TRY(internal::FuseStage(run, run.top()));
  AddPaths(run);
  PLEXUS_TRY(internal::DescribeHits(run));
  return std::move(run.result);
}
PLEXUS_CATCH_NO_MEMORY

std::string_view PreferredNodes::Of(const Snapshot& snapshot, NodeId node) const {
  const auto scope = std::ranges::find(scopes, snapshot.scope(node));
  if (scope != scopes.end()) return *scope;
  std::string_view found;
  if (tags.empty()) return found;
  snapshot.ForEachArc(Direction::kOut, node, ArcFilter::Kind(snapshot.schema(), builtin::kHasTag),
                      [&](const Arc& arc) {
                        if (std::ranges::find(tags, arc.neighbor) == tags.end()) return true;
                        found = DisplayName(snapshot.key(arc.neighbor));
                        return false;
                      });
  return found;
}

double ScoreOf(std::span<const ScoreTerm> terms) {
  double score = 0;
  for (const ScoreTerm& term : terms) score += term.value * term.weight;
  return score;
}

double UnitTerm(double value) { return value > 0 ? std::fmin(value, 1) : 0; }

double Bm25Bound(std::span<const QueryTerm> terms, double k1) {
  double bound = 0;
  for (const QueryTerm& term : terms) bound += term.asked * term.idf * (k1 + 1);
  return bound;
}

double TextTerm(double bm25, double bound) { return bound > 0 ? UnitTerm(bm25 / bound) : 0; }

double SimilarityTerm(double similarity, Metric metric) {
  if (metric == Metric::kInnerProduct) return UnitTerm(1 / (1 + std::exp(-similarity)));
  return UnitTerm(similarity);
}

double RecencyTerm(std::optional<std::int64_t> last_ms, std::int64_t now_ms,
                   std::int64_t half_life_ms) {
  if (!last_ms) return 0;
  // Times lie anywhere in 64 bits: their difference is taken of doubles.
  const double age = static_cast<double>(now_ms) - static_cast<double>(*last_ms);
  if (age <= 0) return 1;
  return UnitTerm(std::exp2(-age / static_cast<double>(half_life_ms)));
}

double FrequencyTerm(std::int64_t uses, std::int64_t full) {
  if (uses < 1) return 0;
  return UnitTerm(std::log1p(static_cast<double>(uses)) / std::log1p(static_cast<double>(full)));
}

std::vector<FusedNode> FuseRanks(std::span<const std::vector<NodeId>> lists, double k,
                                 std::span<const double> weights) {
  std::vector<FusedNode> shares;
  for (std::size_t l = 0; l < lists.size(); ++l)
    for (std::size_t i = 0; i < lists[l].size(); ++i)
      shares.push_back(
          {lists[l][i], (weights.empty() ? 1 : weights[l]) / (k + static_cast<double>(i + 1))});
  std::ranges::stable_sort(shares, {}, &FusedNode::node);
  std::vector<FusedNode> fused;
  for (const FusedNode& share : shares) {
    if (fused.empty() || fused.back().node != share.node) fused.push_back({share.node, 0});
    fused.back().score += share.score;
  }
  std::ranges::stable_sort(fused, std::greater<>(), &FusedNode::score);
  return fused;
}

}  // namespace plexus::retrieval
