// Dampening, activation along relations, and search by vector and arousal.
#include "algorithms/memory/concepts/concepts.h"

#include <algorithm>
#include <utility>

#include "algorithms/common/internal/interruptible_arcs.h"
#include "algorithms/common/internal/top_k.h"
#include "algorithms/memory/concepts/internal/concept_graph.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/out_of_memory.h"
#include "engine/vocabulary.h"

namespace plexus::memory {

namespace {

using namespace internal;

constexpr std::size_t kOverFetch = 4;

// What one relation of a source adds to a concept.
struct Share {
  NodeId target;
  double value;
};

}  // namespace

Result<DampenConceptResult> DampenConcept(const Snapshot& snapshot, std::string_view name,
                                          double ratio, std::int64_t now_ms,
                                          std::int64_t tau_ms) try {
  PLEXUS_TRY(CheckTime(now_ms));
  PLEXUS_TRY(CheckFinite("ratio", ratio));
  PLEXUS_TRY(CheckConceptName("concept", name));
  const NodeId node = FindConcept(snapshot, name);
  if (node == kNoNode) return NotFound("no concept '", name, "'");
  DampenConceptResult result;
  result.concept_id = name;
  result.batch.set_time_ms(now_ms);
  const double share = std::clamp(ratio, 0.0, 1.0);
  result.clamped = share != ratio;
  result.arousal = Arousals(now_ms, tau_ms)(snapshot, node) * (1 - share);
  result.changed = Raise(snapshot, node, result.arousal, now_ms, result.batch);
  if (result.changed) ExpectArousal(snapshot, node, result.batch);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<ActivateRelatedResult> ActivateRelated(const Snapshot& snapshot,
                                              std::span<const std::string> sources,
                                              std::int64_t now_ms,
                                              const ActivateRelatedOptions& options) try {
  PLEXUS_TRY(CheckTime(now_ms));
  PLEXUS_ASSIGN(const DecayTable table, DecayTable::Make(snapshot.schema(), options.decay));
  FoundConcepts found = FindConcepts(snapshot, sources);
  ActivateRelatedResult result;
  result.unknown = std::move(found.unknown);
  result.batch.set_time_ms(now_ms);
  const Arousals arousals(now_ms, options.tau_ms);
  const ArcFilter filter = ArcFilter::Kinds(snapshot.schema(), kRelations).ValidAt(now_ms);
  std::vector<Share> shares;
  std::uint64_t polled = 0;
  const auto poll = [&] {
    if (polled++ % 1024 == 0 && options.run.budget.Interrupted()) result.truncated = true;
    return !result.truncated;
  };
  std::ranges::sort(found.nodes);  // what a budget cuts does not depend on how they were given
  for (const NodeId source : found.nodes) {
    const double arousal = arousals(snapshot, source);
    for (const bool forward : {true, false})
      common_internal::ForEachArcInterruptible(
          snapshot, forward ? Direction::kOut : Direction::kIn, source, filter, poll,
          [&](const Arc& arc) {
            const double factor = table(arc.kind, forward);
            if (factor == 0 || snapshot.node_kind(arc.neighbor) != builtin::kConcept) return true;
            if (options.subset && !options.subset->contains(arc.neighbor)) return true;
            if (!snapshot.key(arc.neighbor).starts_with(options.prefix)) return true;
            if (shares.size() >= options.run.budget.edges) result.truncated = true;
            if (result.truncated) return false;
            const double weight = std::min(1.0, static_cast<double>(arc.weight));
            shares.push_back({arc.neighbor, arousal * weight * factor});
            return true;
          });
  }
  // Smallest first: the sum has one order, whatever the order of ids and sources.
  std::ranges::sort(shares, [](const Share& a, const Share& b) {
    return a.target != b.target ? a.target < b.target : a.value < b.value;
  });
  std::vector<RaisedConcept> risen;
  for (std::size_t i = 0; i < shares.size();) {
    const NodeId target = shares[i].target;
    double sum = 0;
    for (; i < shares.size() && shares[i].target == target; ++i) sum += shares[i].value;
    const double level = std::min(1.0, sum);
    if (level >= arousals(snapshot, target)) risen.push_back({target, level});
  }
  SortRaised(snapshot, risen);
  for (const RaisedConcept& one : risen)
    if (Raise(snapshot, one.node, one.level, now_ms, result.batch)) result.raised.push_back(one);
  return result;
}
PLEXUS_CATCH_NO_MEMORY

Result<SearchConceptsResult> SearchConcepts(const Snapshot& snapshot, std::int64_t now_ms,
                                            const SearchConceptsOptions& options) try {
  PLEXUS_TRY(CheckTime(now_ms));
  PLEXUS_TRY(CheckShare("cosine share", options.cosine_share));
  if (!options.space && !options.query.empty())
    return Invalid("a query vector needs a vector space");
  const Arousals arousals(now_ms, options.tau_ms);
  std::vector<NodeId> concepts;
  for (NodeId v = 0; v < snapshot.node_count(); ++v)
    if (snapshot.node_kind(v) == builtin::kConcept && snapshot.alive(v) &&
        (!options.subset || options.subset->contains(v)))
      concepts.push_back(v);

  SearchConceptsResult result;
  const auto better = [&](const ConceptHit& a, const ConceptHit& b) {
    if (a.score != b.score) return a.score > b.score;
    return snapshot.key(a.node) < snapshot.key(b.node);
  };
  std::vector<std::uint8_t> near(options.space ? snapshot.node_count() : 0, 0);
  if (options.space) {
    PLEXUS_ASSIGN(const NodeSubset subset, NodeSubset::Of(snapshot, concepts));
    retrieval::NearestOptions nearest;
    nearest.top = options.top > NodeId(-1) ? 0 : options.top * kOverFetch;
    nearest.metric = Metric::kCosine;
    nearest.subset = &subset;
    nearest.run = options.run;
    PLEXUS_ASSIGN(const retrieval::NearestResult found,
                  retrieval::Nearest(snapshot, *options.space, options.query, nearest));
    result.truncated = found.truncated;
    for (const retrieval::NearestHit& hit : found.hits) {
      const double arousal = arousals(snapshot, hit.node);
      const double score =
          options.cosine_share * hit.measure + (1 - options.cosine_share) * arousal;
      result.hits.push_back({hit.node, score, hit.measure, arousal});
      near[hit.node] = 1;
    }
    common_internal::SortTopK(result.hits, options.top, better);
  }
  if (options.top != 0 && result.hits.size() >= options.top) return result;
  const double share = options.space ? 1 - options.cosine_share : 1.0;
  std::vector<ConceptHit> rest;
  std::uint64_t polled = 0;
  for (const NodeId node : concepts) {
    if (polled++ % 1024 == 0 && options.run.budget.Interrupted()) {
      result.truncated = true;
      break;
    }
    if (!near.empty() && near[node]) continue;
    const double arousal = arousals(snapshot, node);
    rest.push_back({node, arousal, std::nullopt, arousal});
  }
  common_internal::SortTopK(rest, options.top == 0 ? 0 : options.top - result.hits.size(), better);
  for (ConceptHit& hit : rest) {
    hit.score = share * hit.arousal;
    result.hits.push_back(hit);
  }
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::memory
