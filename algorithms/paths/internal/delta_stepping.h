// Delta-stepping over bare arrays: cheapest costs from one node to all.
//
// Nodes wait in buckets of width delta (Meyer, Sanders, 2003). Buckets are private to a worker; no
// thread waits at a bucket's end, but a worker that runs out of entries, or is two buckets ahead of
// the last, receives half of another's (paths/internal/work_sharing.h). So which worker holds a
// node depends on timing; the costs do not: they are the least fixed point of cost(v) = min over
// arcs of cost(u) + arc, which rounding, being monotone, leaves unique.
//
// At most kWindow buckets exist; what costs more waits in a heap (cost_buckets.h) until they are
// empty. So a delta far too small costs time, never memory; one far too wide may relax a
// node again and again, and holds a few entries for each node and thread.
#pragma once

#include <span>

#include "algorithms/common/common.h"
#include "algorithms/paths/internal/weighted_rows.h"
#include "engine/arrays/aligned_array.h"
#include "engine/parallel.h"
#include "engine/types.h"

namespace plexus::paths::internal {

template <class T>
struct DeltaResult {
  AlignedArray<T> costs;   // by node; infinity = unreached
  bool truncated = false;  // then nodes not yet certain are infinity too
};

// T is float or double: what costs are added in. A step goes along every one of
// `rows`. REQUIRES costs >= 0, delta > 0, source below the node count.
template <class T>
DeltaResult<T> DeltaStepping(std::span<const WeightedRows> rows, NodeId source, T delta,
                             const Budget& budget, Executor& executor);

}  // namespace plexus::paths::internal
