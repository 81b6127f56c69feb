// Dominators on bare rows: what the kernel of dominators.h runs, for it, tests and benches.
#pragma once

#include <vector>

#include "algorithms/connectivity/dominators.h"
#include "engine/adjacency/csr_view.h"

namespace plexus {

// Immediate dominators on bare rows, kNoNode as above; `in` is the transpose of `out`.
// REQUIRES root < out.node_count(). Empty when the budget ran out.
Result<std::vector<NodeId>> DominatorsCsr(const CsrView& out, const CsrView& in, NodeId root,
                                          const Budget& budget = {});

}  // namespace plexus
