// Path rank: the hits of a traversal, ordered by path weight and similarity.
//
//   score = path_share * path weight + (1 - path_share) * similarity
//
// The path weight is the score of the hit. With seeds of weight 1 and weights in [0, 1] both terms
// are at most 1.
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
  double path_share = 0.4;            // In [0, 1].
  std::optional<Metric> metric = {};  // Absent: the space's own.
  SimdLevel level = SimdLevel::kBest;
  Executor* executor = nullptr;
};

struct PathRankHit {
  std::size_t hit = 0;  // Index into the traversal's hits, which hold the path.
  NodeId node = kNoNode;
  double score = 0;
  double path = 0;        // The score of the hit.
  double similarity = 0;  // As in nearest_neighbors.h.
  double measure = 0;
};

struct PathRankResult {
  std::vector<PathRankHit> hits;     // Best first, ties by smaller id.
  std::uint64_t without_vector = 0;  // Hits left out because they have no vector.
};

// Computes: the hits with a vector, ranked.
// Complexity: O(hits * dimensions).
// Errors: those of Nearest. kInvalidArgument: a share outside [0, 1], or a hit that the snapshot
//   does not have.
// Threads: thread-safe. The bits are the same at any thread count.
Result<PathRankResult> RankPaths(const Snapshot& snapshot, SpaceId space,
                                 std::span<const float> query, std::span<const TraverseHit> hits,
                                 const PathRankOptions& options = {});

}  // namespace plexus
