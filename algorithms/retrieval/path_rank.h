// Path rank: what a traversal reached, ordered by the path's weight and by likeness.
//
//   score = path_share * path weight + (1 - path_share) * similarity
// (0.4 and 0.6 by default). The path weight is the hit's score, so with seeds of weight 1 and
// weights in [0, 1] both terms are at most 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/retrieval/nearest_neighbors.h"
#include "algorithms/traversal/traverse.h"

namespace plexus {

struct PathRankOptions {
  double path_share = 0.4;            // in [0, 1]
  std::optional<Metric> metric = {};  // absent: the space's own
  SimdLevel level = SimdLevel::kBest;
  Executor* executor = nullptr;
};

struct PathRankHit {
  std::size_t hit = 0;  // index into the traversal's hits, where the path is
  NodeId node = kNoNode;
  double score = 0;
  double path = 0;        // the hit's score
  double similarity = 0;  // as in nearest_neighbors.h
  double measure = 0;
};

struct PathRankResult {
  std::vector<PathRankHit> hits;     // best first, ties by smaller id
  std::uint64_t without_vector = 0;  // left out
};

// O(hits * dimensions). The same bits at any thread count. Thread-safe. kInvalidArgument:
// Nearest's reasons, a share outside [0, 1], a hit that the snapshot does not have.
Result<PathRankResult> RankPaths(const Snapshot& snapshot, SpaceId space,
                                 std::span<const float> query, std::span<const TraverseHit> hits,
                                 const PathRankOptions& options = {});

}  // namespace plexus
