// Components and spanning forest of bare rows: what the kernels of connectivity.h run, for them,
// tests and benches.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/connectivity/connectivity.h"
#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"

namespace plexus::connectivity {

// Labels on bare arrays; `in` is the transpose of `out` (the same view for a
// symmetric graph).
Result<AlignedArray<NodeId>> ComponentsCsr(const CsrView& out, const CsrView& in,
                                           Executor* executor = nullptr);

// On bare rows. An edge may be there in one direction or in both: then the first of its
// two positions counts.
struct SpanningForestCsrOptions {
  bool maximum = false;
  RunOptions run = {};
};

struct SpanningForestCsrResult {
  std::vector<std::uint32_t> arcs;  // positions, ascending
  bool truncated = false;
};

Result<SpanningForestCsrResult> SpanningForestCsr(const CsrView& rows,
                                                  const SpanningForestCsrOptions& options = {});

}  // namespace plexus::connectivity
