// AdjacencyRows: for every selected node the arcs whose far ends it sums over, with weights.
//
// What linear centralities (Katz, HITS, eigenvector) pull along: arriving arcs, leaving
// ones, or both. Parallel edges and kinds each count, as in PageRank; under kBoth an edge
// of a symmetric kind and a loop count once, as the row iterator has it.
#pragma once

#include <cstdint>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/row_dot.h"
#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"
#include "engine/error.h"
#include "engine/parallel.h"

namespace plexus::centrality::internal {

struct AdjacencyRows {
  DenseView view;                       // the numbering
  CsrView rows;                         // by dense id; weights empty = all 1
  AlignedArray<std::uint32_t> offsets;  // of kBoth
  AlignedArray<NodeId> neighbors;
  AlignedArray<float> weights;
};

// O(nodes + arcs). `options.out` and `in` do not count. The errors of DenseView::Make;
// kResourceExhausted: more arcs than a csr holds.
Result<AdjacencyRows> MakeAdjacencyRows(const Snapshot& snapshot, Direction direction,
                                        DenseViewOptions options);

// Sum over a row of weight * x.
inline double RowProduct(const CsrView& rows, const double* x, NodeId v) {
  const std::uint32_t at = rows.offsets[v], count = rows.offsets[v + 1] - at;
  const NodeId* const neighbors = rows.neighbors.data() + at;
  return rows.weights.empty()
             ? common_internal::RowDot<false>(neighbors, nullptr, count, x)
             : common_internal::RowDot<true>(neighbors, rows.weights.data() + at, count, x);
}

inline constexpr std::size_t kRowGrain = 4096;  // nodes a block; part of a sum's definition

// finish(v, RowProduct of v, partial&) for every node; partials are added in the order of blocks.
template <class Partial, class Finish, class Add>
Partial MultiplyRows(const CsrView& rows, const double* x, Executor& executor, Partial zero,
                     Finish&& finish, Add&& add) {
  return ParallelReduce(
      executor, rows.node_count(), kRowGrain, zero,
      [&](std::size_t begin, std::size_t end) {
        Partial partial = zero;
        for (auto v = static_cast<NodeId>(begin); v < end; ++v)
          finish(v, RowProduct(rows, x, v), partial);
        return partial;
      },
      add);
}

}  // namespace plexus::centrality::internal
