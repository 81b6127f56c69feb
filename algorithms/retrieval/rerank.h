// Rerank: candidates for a query, ordered by similarity and by the edges among them.
//
//   score  = (1 - boost) * similarity + boost * graph
//   graph  = weighted degree inside the candidate set / the largest such degree
//
// The degree of a candidate is the sum of the weights of the edges that join it to other
// candidates: both directions, parallel edges each, symmetric ones once, loops never. All graph
// terms are 0 when no two candidates are joined. `similarity` is that of nearest_neighbors.h.
// Candidates are named nodes or the k nearest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "algorithms/retrieval/nearest_neighbors.h"

namespace plexus {

struct RerankOptions {
  std::size_t k = 30;                 // Candidates when none are named: the k nearest. 0: all.
  std::size_t top = 0;                // Results returned. 0: every candidate.
  double boost = 0.3;                 // Share of the graph term, in [0, 1].
  bool unit_similarity = false;       // Maps a cosine c to (1 + c) / 2. Refused for inner products.
  std::optional<Metric> metric = {};  // Absent: the space's own.
  // kinds: edges that join candidates. subset: candidates outside are left out.
  GraphFilter filter = {};
  NodeId skip = kNoNode;  // Never among the k nearest: the node of the query vector.
  // budget: nodes are vectors measured, edges arcs read in candidates' rows.
  RunOptions run = {};
  SimdLevel level = SimdLevel::kBest;
  std::optional<Prefilter> prefilter = {};  // Of the k nearest, as in NearestOptions.
};

struct RerankHit {
  NodeId node = kNoNode;
  double score = 0;
  double similarity = 0;  // As used in the score.
  double graph = 0;
  double measure = 0;  // The cosine, the product or the distance.
  double degree = 0;   // Weighted, inside the candidate set.
  bool operator==(const RerankHit&) const = default;
};

struct RerankResult {
  std::vector<RerankHit> hits;       // Best score first, ties by smaller id.
  std::uint64_t candidates = 0;      // Ranked candidates.
  std::uint64_t without_vector = 0;  // Named nodes left out because they have no vector.
  std::uint64_t outside = 0;  // Named nodes that are removed, index nodes or outside the subset.
  // The budget ended the measuring (unmeasured nodes are no candidates) or the walk over rows
  // (later candidates in order of similarity have no graph term).
  bool truncated = false;
};

// Computes: a ranking of the k nearest.
// Complexity: that of Nearest, and the rows of the candidates.
// Errors: those of Nearest. kInvalidArgument: a boost outside [0, 1], a kind out of range, or
//   unit_similarity with an inner product.
// Threads: thread-safe. The bits are the same at any thread count.
Result<RerankResult> Rerank(const Snapshot& snapshot, SpaceId space, std::span<const float> query,
                            const RerankOptions& options = {});

// Computes: a ranking of exactly these candidates. Duplicates count once.
// Errors: those of Rerank. kInvalidArgument: an id that the snapshot does not have.
// Complexity and threads: as Rerank.
Result<RerankResult> RerankCandidates(const Snapshot& snapshot, SpaceId space,
                                      std::span<const float> query,
                                      std::span<const NodeId> candidates,
                                      const RerankOptions& options = {});

}  // namespace plexus
