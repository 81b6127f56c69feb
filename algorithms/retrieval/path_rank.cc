// One measurement per hit, one sort.
#include "algorithms/retrieval/path_rank.h"

#include <algorithm>
#include <string>

#include "algorithms/retrieval/internal/vectors/candidate_search.h"
#include "engine/out_of_memory.h"

namespace plexus {

Result<PathRankResult> RankPaths(const Snapshot& snapshot, SpaceId space,
                                 std::span<const float> query, std::span<const TraverseHit> hits,
                                 const PathRankOptions& options) try {
  PLEXUS_ASSIGN(
      const retrieval_internal::SpaceQuery prepared,
      retrieval_internal::SpaceQuery::Make(snapshot, space, query, options.metric, options.level));
  if (!(options.path_share >= 0 && options.path_share <= 1))
    return Fail(ErrorCode::kInvalidArgument, "path_share is a share from 0 to 1");
  PathRankResult result;
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (hits[i].node >= snapshot.node_count())
      return Fail(ErrorCode::kInvalidArgument, "hit " + std::to_string(i) + " is node " +
                                                   std::to_string(hits[i].node) +
                                                   ", which this snapshot has not");
    if (!prepared.view().has(hits[i].node)) {
      ++result.without_vector;
      continue;
    }
    PathRankHit hit;
    hit.hit = i;
    hit.path = hits[i].score;
    result.hits.push_back(hit);
    nodes.push_back(hits[i].node);
  }
  const auto ranked = prepared.RankNodes(nodes, internal::Pick(options.executor));
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const NearestHit similar = prepared.ToSimilar(ranked[i]);
    PathRankHit& hit = result.hits[i];
    hit.node = similar.node;
    hit.similarity = similar.similarity;
    hit.measure = similar.measure;
    hit.score = options.path_share * hit.path + (1 - options.path_share) * hit.similarity;
  }
  std::sort(result.hits.begin(), result.hits.end(), [](const PathRankHit& a, const PathRankHit& b) {
    return a.score != b.score ? a.score > b.score : a.node < b.node;
  });
  return result;
}
PLEXUS_CATCH_NO_MEMORY

}  // namespace plexus
