// Distances on bare rows: what the kernel of paths.h runs, for it, tests and benches.
#pragma once

#include "algorithms/paths/paths.h"
#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"

namespace plexus::paths {

// On bare arrays, weights as lengths (1 when there are none), added in f32 (exact while sums of
// whole numbers stay below 2^24). Time as above without the making of costs; memory: 4 bytes a node
// and the buckets. Thread-safe, same bits at any thread count. REQUIRES weights >= 0, source <
// out.node_count().
struct DistancesCsrOptions {
  float delta = 0;  // 0 = chosen from the weights
  Executor* executor = nullptr;
};

Result<AlignedArray<float>> DistancesCsr(const CsrView& out, NodeId source,
                                         const DistancesCsrOptions& options = {});

}  // namespace plexus::paths
