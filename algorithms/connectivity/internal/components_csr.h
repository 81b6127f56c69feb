// Components of bare rows: what the kernel of connectivity.h runs, for it, tests and benches.
#pragma once

#include "algorithms/connectivity/connectivity.h"
#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"

namespace plexus::connectivity {

// Labels on bare arrays; `in` is the transpose of `out` (the same view for a
// symmetric graph).
Result<AlignedArray<NodeId>> ComponentsCsr(const CsrView& out, const CsrView& in,
                                           Executor* executor = nullptr);

}  // namespace plexus::connectivity
