// A scan of narrow rows: the only nodes that can be among the `top` nearest.
#pragma once

#include <optional>

#include "algorithms/retrieval/internal/vectors/candidate_search.h"
#include "algorithms/retrieval/internal/vectors/narrow_rows.h"

namespace plexus::retrieval::internal {

// Computes: the nodes of `selection` whose upper bound is not below the top-th best lower bound,
//   among the first `rows` rows, in order of row. All nodes of the `top` best are there, ties
//   included. Absent: they would be more than a quarter of the rows, so that measuring all costs
//   less. REQUIRES top > 0.
// Complexity: O(rows * dimensions) of 8-bit values.
// Threads: parallel. The same nodes at any thread count.
std::optional<std::vector<NodeId>> NarrowCandidates(const VectorView& view,
                                                    const NarrowRows& narrow,
                                                    const NarrowQuery& query,
                                                    const common_internal::Selection& selection,
                                                    NodeId skip, std::size_t top,
                                                    std::uint32_t rows, Executor& executor);

}  // namespace plexus::retrieval::internal
