// What Nearest and Rerank share: a checked query, and measuring a list of nodes.
//
// Inside, everything is ordered by a rank that is larger for nearer vectors: the
// cosine, the product, or minus the squared distance (a square root could make equal
// what was not).
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stoppable_executor.h"
#include "algorithms/retrieval/internal/vectors/vector_query.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/vectors/vector_view.h"

namespace plexus::retrieval::internal {

struct RankedNode {
  double rank = 0;
  NodeId node = kNoNode;
  // Nearer first, then the smaller id.
  bool operator<(const RankedNode& other) const {
    return rank != other.rank ? rank > other.rank : node < other.node;
  }
};

// A query against one space of one snapshot. Keeps pointers to its arguments.
class SpaceQuery {
 public:
  static Result<SpaceQuery> Make(const Snapshot& snapshot, SpaceId space,
                                 std::span<const float> query, std::optional<Metric> metric,
                                 SimdLevel level);

  const VectorView& view() const { return *view_; }
  SpaceId space() const { return space_; }
  std::span<const float> query() const { return given_; }
  Metric metric() const { return metric_; }
  SimdLevel level() const { return level_; }

  // ranks[i] of row i, as RowReader reads them.
  void Rank(Rows rows, double* ranks) const {
    query_.Measure(rows, ranks);
    if (metric_ == Metric::kL2)
      for (std::size_t i = 0; i < rows.count; ++i) ranks[i] = -ranks[i];
  }
  // ranks[q * rows.count + i] of row i and queries[q], which are of one space, metric and level.
  static void RankMany(std::span<const SpaceQuery> queries, Rows rows, std::span<double> ranks);
  // Ranks of nodes that all have a vector here, in their order; rows are fetched ahead. Those
  // of blocks that the executor passes over have no node (kNoNode).
  std::vector<RankedNode> RankNodes(std::span<const NodeId> nodes, Executor& executor) const;

  NearestHit ToSimilar(RankedNode ranked) const {
    if (metric_ != Metric::kL2) return {ranked.node, ranked.rank, ranked.rank};
    const double distance = std::sqrt(-ranked.rank);
    return {ranked.node, 1 / (1 + distance), distance};
  }

 private:
  SpaceQuery(const VectorView& view, SpaceId space, std::span<const float> query, Metric metric,
             SimdLevel level)
      : view_(&view),
        space_(space),
        given_(query),
        metric_(metric),
        level_(level),
        query_(query, view.stride(), metric, level) {}

  const VectorView* view_;
  SpaceId space_;
  std::span<const float> given_;
  Metric metric_;
  SimdLevel level_;
  VectorQuery query_;
};

// Nearest before ranks become similarities.
struct NearestRanks {
  std::vector<RankedNode> ranked;  // nearest first
  std::uint64_t measured = 0, exact = 0;
  bool truncated = false;
};
// Measures nodes that all have a vector, in their order, as far as the budget goes; not sorted.
NearestRanks RankNodesWithin(const SpaceQuery& query, std::vector<NodeId> nodes,
                             const Budget& budget, common_internal::StoppableExecutor& executor);
Result<NearestRanks> RankNearest(const Snapshot& snapshot, const SpaceQuery& query,
                                 const NearestOptions& options);
// The same of each query, in one pass. REQUIRES queries of one space, metric and level.
Result<std::vector<NearestRanks>> RankNearestMany(const Snapshot& snapshot,
                                                  std::span<const SpaceQuery> queries,
                                                  const NearestOptions& options);

}  // namespace plexus::retrieval::internal
