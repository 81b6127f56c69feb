// What Nearest and Rerank share: a checked query, measuring a list of nodes, degrees among them.
//
// Inside, everything is ordered by a rank that is larger for nearer vectors: the
// cosine, the product, or minus the squared distance (a square root could make equal
// what was not).
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/selection.h"
#include "algorithms/common/internal/stoppable_executor.h"
#include "algorithms/retrieval/internal/vectors/distance_kernels.h"
#include "algorithms/retrieval/vectors.h"
#include "engine/arrays/aligned_array.h"
#include "engine/schema.h"
#include "engine/snapshot.h"
#include "engine/types.h"
#include "engine/vectors/vector_view.h"

namespace plexus::retrieval::internal {

// VectorQuery: a query made ready for a metric and an instruction level, and what it
// measures of rows.
//
// Keeps the query padded like the rows of a VectorTable and, where the metric allows
// it, scaled by a power of two (which changes no bit of a result's mantissa), so
// that products neither overflow nor vanish on the query's account. Rows whose f32
// sums overflowed, or whose norm is zero in f32, are done again in f64, so
// what Measure returns is always finite. Immutable, shared by threads.
class VectorQuery {
 public:
  // Rows will be `row_floats` >= query.size() floats, zeros behind the query's length.
  VectorQuery(std::span<const float> query, std::size_t row_floats, Metric metric, SimdLevel level);

  // kCosine: the cosine; kInnerProduct: the product; kL2: the squared distance.
  // out[i] of row i; out has rows.count places.
  void Measure(Rows rows, double* out) const;
  // The same of many queries, that read each row together: out[q] of queries[q], which are of one
  // metric and level.
  static void MeasureMany(std::span<const VectorQuery* const> queries, Rows rows,
                          double* const* out);

 private:
  void Finish(Rows rows, double* out) const;
  void FinishCosines(Rows rows, const double* norms, double* dots) const;
  void Cosines(Rows rows, double* out) const;

  Metric metric_;
  const RowKernels& kernels_;
  AlignedArray<float> query_;
  double scale_ = 1;       // query = query_ * scale_
  double norm_ = 0;        // query_ . query_, by kernels_
  double exact_norm_ = 0;  // the same in f64
};

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

struct CandidateDegrees {
  std::vector<double> degrees;  // Parallel to the candidates.
  std::uint64_t walked = 0;     // Candidates whose rows were read: the first ones.
  bool truncated = false;       // The edges ran out, or the time; degrees of later ones are 0.
};

// The weighted degree of each candidate among the candidates (vectors.h). A row is summed by one
// thread in its own order, so the bits do not depend on threads or storage. `candidates`: alive,
// each once; their order decides whose rows a budget of edges reads.
CandidateDegrees DegreesAmong(const Snapshot& snapshot, const ArcFilter& filter,
                              std::span<const NodeId> candidates, const RunOptions& run);

}  // namespace plexus::retrieval::internal
