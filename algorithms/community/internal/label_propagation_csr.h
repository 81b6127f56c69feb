// Label propagation on bare rows: what the kernel of label_propagation.h runs, for it, tests and
// benches.
#pragma once

#include "algorithms/community/label_propagation.h"
#include "engine/adjacency/csr_view.h"

namespace plexus {

// On bare rows of both directions. Kinds, valid_at and subset do not count. REQUIRES as
// many nodes in both.
Result<LabelPropagationResult> LabelPropagationCsr(const CsrView& out, const CsrView& in,
                                                   const LabelPropagationOptions& options = {});

}  // namespace plexus
