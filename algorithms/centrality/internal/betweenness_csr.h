// Betweenness on bare rows: what the kernel of centrality.h runs, for it, tests and benches.
#pragma once

#include <span>
#include <vector>

#include "algorithms/centrality/centrality.h"
#include "engine/arrays/views.h"

namespace plexus::centrality {

// Sums over the given sources on bare arrays, neither halved nor scaled.
// REQUIRES rows without doubles and loops, `in` the transpose of `out` (or empty: then one
// source a thread), sources below out.node_count().
Result<std::vector<double>> BetweennessCsr(const CsrView& out, const CsrView& in,
                                           std::span<const NodeId> sources,
                                           Executor* executor = nullptr);

}  // namespace plexus::centrality
