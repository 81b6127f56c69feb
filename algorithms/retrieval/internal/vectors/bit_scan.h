// A scan of bit rows: the nodes that are estimated to be nearest.
#pragma once

#include "algorithms/retrieval/internal/vectors/bit_rows.h"
#include "algorithms/retrieval/internal/vectors/candidate_search.h"

namespace plexus::retrieval_internal {

// Computes: the `keep` nodes of `selection` with the best estimates, ties by smaller id, among the
//   first `rows` rows; by ascending id. REQUIRES keep > 0.
// Complexity: O(rows * dimensions) of single bits, four times.
// Threads: parallel. The same nodes at any thread count.
std::vector<NodeId> BitCandidates(const VectorTable::View& view, const BitRows& bits,
                                  const BitQuery& query, const Selection& selection, NodeId skip,
                                  std::size_t keep, std::uint32_t rows, Executor& executor);

}  // namespace plexus::retrieval_internal
