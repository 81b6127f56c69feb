// Pull: one iteration of PageRank over the rows of a graph as they are, nothing prepared.
#pragma once

#include "algorithms/internal/pagerank_step.h"
#include "algorithms/internal/segmented_rows.h"
#include "engine/csr_view.h"
#include "engine/parallel.h"

namespace plexus::internal {

// Blocks are cut by node id and their partial sums added in order, so no bit depends on
// the threads.
template <class Real>
PageRankPartial StepByPull(const CsrView& in, const PageRankStep<Real>& step, Executor& executor);

// The same over segments, one after the other; `sums`: room for one a node.
template <class Real>
PageRankPartial StepBySegments(const SegmentedRows& rows, const PageRankStep<Real>& step,
                               double* sums, Executor& executor);

}  // namespace plexus::internal
