// Rerank: candidates for a query, ordered by likeness and by how they hang together.
//
//   score  = (1 - boost) * similarity + boost * graph
//   graph  = weighted degree inside the candidate set / the largest such degree
// The degree of a candidate is the sum of the weights of the edges that join it to
// other candidates: both directions, parallel edges each, symmetric ones once, loops
// never; all graph terms are 0 when no two candidates are joined. `similarity` is as
// in nearest_neighbors.h; a cosine is mapped to [0, 1] by (1 + c) / 2 only if asked.
//
// Candidates are those the caller names, or the k nearest.
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
  std::size_t k = 30;            // candidates when none are named: the k nearest; 0 = every vector
  std::size_t top = 0;           // results given, 0 = every candidate
  double boost = 0.3;            // share of the graph term, in [0, 1]
  bool unit_similarity = false;  // cosine as (1 + c) / 2; refused for inner products
  std::optional<Metric> metric = {};  // absent: the space's own
  // kinds: edges that join candidates. subset: candidates outside are left out.
  GraphFilter filter = {};
  NodeId skip = kNoNode;  // never among the k nearest: where the query was taken from
  // budget: nodes are vectors measured, edges arcs of candidates' rows looked at.
  RunOptions run = {};
  SimdLevel level = SimdLevel::kBest;
};

struct RerankHit {
  NodeId node = kNoNode;
  double score = 0;
  double similarity = 0;  // as it went into the score
  double graph = 0;
  double measure = 0;  // the cosine, the product or the distance itself
  double degree = 0;   // weighted, inside the candidate set
  bool operator==(const RerankHit&) const = default;
};

struct RerankResult {
  std::vector<RerankHit> hits;       // best score first, ties by smaller id
  std::uint64_t candidates = 0;      // ranked
  std::uint64_t without_vector = 0;  // named, and left out for that
  std::uint64_t outside = 0;         // named, and removed, an index node or not in the subset
  // The budget ended the measuring (what was not measured is no candidate) or the walk over
  // rows (later candidates in order of similarity have no graph term).
  bool truncated = false;
};

// Reranks the k nearest. Cost: Nearest's, plus the rows of the candidates. The same bits
// at any thread count. Thread-safe. kInvalidArgument: Nearest's reasons, a boost outside
// [0, 1], a kind out of range, unit_similarity of an inner product.
Result<RerankResult> Rerank(const Snapshot& snapshot, SpaceId space, std::span<const float> query,
                            const RerankOptions& options = {});

// Reranks exactly these (doubles count once). Also kInvalidArgument: an id that the
// snapshot does not have.
Result<RerankResult> RerankCandidates(const Snapshot& snapshot, SpaceId space,
                                      std::span<const float> query,
                                      std::span<const NodeId> candidates,
                                      const RerankOptions& options = {});

}  // namespace plexus
