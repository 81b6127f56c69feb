// Pull: one iteration of PageRank over the rows of a graph as they are, nothing prepared.
#pragma once

#include "algorithms/pagerank/internal/iteration.h"
#include "engine/arrays/views.h"
#include "engine/parallel.h"

namespace plexus::pagerank::internal {

// Blocks are cut by node id and their partial sums added in order, so no bit depends on
// the threads.
template <class Real>
PageRankPartial StepByPull(const CsrView& in, const PageRankStep<Real>& step, Executor& executor);

}  // namespace plexus::pagerank::internal
