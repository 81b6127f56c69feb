// Candidates in order of likeness, degrees among them, one sort by score.
// Degrees: one map of the candidates, one pass over their rows.
#include "algorithms/retrieval/vectors.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "algorithms/common/internal/node_map.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/top_k.h"
#include "algorithms/retrieval/internal/vectors/candidate_search.h"
#include "engine/out_of_memory.h"
#include "engine/parallel.h"

namespace plexus::retrieval {

namespace internal {

namespace {

// How many of the candidates, in their order, may have their rows walked.
std::size_t Affordable(const Snapshot& snapshot, const ArcFilter& filter,
                       std::span<const NodeId> candidates, std::uint64_t edges) {
  if (edges == Budget::kUnlimited) return candidates.size();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::uint64_t row = snapshot.Degree(Direction::kBoth, candidates[i], filter);
    if (row > edges) return i;
    edges -= row;
  }
  return candidates.size();
}

}  // namespace

CandidateDegrees DegreesAmong(const Snapshot& snapshot, const ArcFilter& filter,
                              std::span<const NodeId> candidates, const RunOptions& run) {
  common_internal::NodeMap places(snapshot.node_count());
  for (std::size_t i = 0; i < candidates.size(); ++i)
    places.at(candidates[i]) = static_cast<std::uint32_t>(i);
  const std::size_t walked = Affordable(snapshot, filter, candidates, run.budget.edges);
  CandidateDegrees result;
  result.walked = walked;
  result.degrees.assign(candidates.size(), 0.0);
  std::atomic<bool> interrupted = false;
  ParallelFor(common_internal::Pick(run.executor), walked, 16,
              [&](std::size_t begin, std::size_t end) {
                if (run.budget.Interrupted()) {
                  interrupted = true;
                  return;
                }
                for (std::size_t i = begin; i < end; ++i) {
                  const NodeId self = candidates[i];
                  double sum = 0;
                  snapshot.ForEachArc(Direction::kBoth, self, filter, [&](const Arc& arc) {
                    if (arc.neighbor != self &&
                        places.get(arc.neighbor) != common_internal::NodeMap::kAbsent)
                      sum += static_cast<double>(arc.weight);
                  });
                  result.degrees[i] = sum;
                }
              });
  result.truncated = walked < candidates.size() || interrupted;
  return result;
}

}  // namespace internal

namespace {

using internal::RankedNode;

Status Check(Metric metric, const RerankOptions& options) {
  if (!(options.boost >= 0 && options.boost <= 1)) return Invalid("boost is a share from 0 to 1");
  if (options.unit_similarity && metric == Metric::kInnerProduct)
    return Invalid("an inner product has no bounds, so it cannot be mapped to [0, 1]");
  return {};
}

// `ranked`: nearest first.
Result<RerankResult> Fuse(const Snapshot& snapshot, const internal::SpaceQuery& query,
                          std::vector<RankedNode> ranked, const RerankOptions& options,
                          RerankResult result) {
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(
                    snapshot, GraphFilter{options.filter.kinds, options.filter.valid_at, nullptr}));
  std::vector<NodeId> nodes;
  nodes.reserve(ranked.size());
  for (const RankedNode& r : ranked) nodes.push_back(r.node);
  const internal::CandidateDegrees among =
      internal::DegreesAmong(snapshot, selection.filter, nodes, options.run);
  const std::vector<double>& degrees = among.degrees;
  result.truncated |= among.truncated;
  double largest = 0;
  for (double degree : degrees) largest = std::max(largest, degree);
  result.candidates = ranked.size();
  result.hits.reserve(ranked.size());
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const NearestHit similar = query.ToSimilar(ranked[i]);
    RerankHit hit;
    hit.node = similar.node;
    hit.measure = similar.measure;
    hit.similarity = options.unit_similarity && query.metric() == Metric::kCosine
                         ? (1 + similar.similarity) / 2
                         : similar.similarity;
    hit.degree = degrees[i];
    hit.graph = largest > 0 ? degrees[i] / largest : 0;
    hit.score = (1 - options.boost) * hit.similarity + options.boost * hit.graph;
    result.hits.push_back(hit);
  }
  std::sort(result.hits.begin(), result.hits.end(), [](const RerankHit& a, const RerankHit& b) {
    return a.score != b.score ? a.score > b.score : a.node < b.node;
  });
  if (options.top != 0 && options.top < result.hits.size()) result.hits.resize(options.top);
  return result;
}

}  // namespace

Result<RerankResult> Rerank(const Snapshot& snapshot, SpaceId space, std::span<const float> query,
                            const RerankOptions& options) try {
  PLEXUS_ASSIGN(const internal::SpaceQuery prepared,
                internal::SpaceQuery::Make(snapshot, space, query, options.metric, options.level));
  PLEXUS_TRY(Check(prepared.metric(), options));
  const NearestOptions nearest{.top = options.k,
                               .metric = options.metric,
                               .subset = options.filter.subset,
                               .skip = options.skip,
                               .level = options.level,
                               .run = options.run,
                               .prefilter = options.prefilter};
  PLEXUS_ASSIGN(const internal::NearestRanks found,
                internal::RankNearest(snapshot, prepared, nearest));
  RerankResult result;
  result.truncated = found.truncated;
  return Fuse(snapshot, prepared, found.ranked, options, std::move(result));
}
PLEXUS_CATCH_NO_MEMORY

Result<RerankResult> RerankCandidates(const Snapshot& snapshot, SpaceId space,
                                      std::span<const float> query,
                                      std::span<const NodeId> candidates,
                                      const RerankOptions& options) try {
  PLEXUS_ASSIGN(const internal::SpaceQuery prepared,
                internal::SpaceQuery::Make(snapshot, space, query, options.metric, options.level));
  PLEXUS_TRY(Check(prepared.metric(), options));
  PLEXUS_ASSIGN(const common_internal::Selection selection,
                common_internal::Select(snapshot, GraphFilter{.subset = options.filter.subset}));
  std::vector<NodeId> nodes(candidates.begin(), candidates.end());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  if (!nodes.empty() && nodes.back() >= snapshot.node_count())
    return Invalid("node id ", nodes.back(), " is not below the graph's ", snapshot.node_count(),
                   " nodes");
  RerankResult result;
  result.outside = std::erase_if(nodes, [&](NodeId v) { return !selection.contains(v); });
  result.without_vector = std::erase_if(nodes, [&](NodeId v) { return !prepared.view().has(v); });
  common_internal::StoppableExecutor executor(common_internal::Pick(options.run.executor),
                                              options.run.budget);
  internal::NearestRanks found =
      internal::RankNodesWithin(prepared, std::move(nodes), options.run.budget, executor);
  common_internal::SortTopK(found.ranked, 0);
  result.truncated = found.truncated;
  return Fuse(snapshot, prepared, std::move(found.ranked), options, std::move(result));
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus::retrieval
