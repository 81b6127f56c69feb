// Spanning forest of bare rows: what the kernel of connectivity.h runs, for it, tests and
// benches.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/connectivity/connectivity.h"
#include "engine/arrays/views.h"

namespace plexus::connectivity {

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
