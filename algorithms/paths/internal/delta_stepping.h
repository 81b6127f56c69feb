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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/common/common.h"
#include "engine/arrays/aligned_array.h"
#include "engine/arrays/views.h"
#include "engine/internal/prefetch.h"
#include "engine/parallel.h"
#include "engine/types.h"

namespace plexus::paths::internal {

// Rows, what their arcs cost, and how a search gets them into the caches in time.
//
// A search by costs reads rows in an order that no processor can predict. A row costs a wait for
// its offset, then one for every line of its arcs. A search that knows its next nodes prefetches
// both: PrefetchOffset, and some steps later PrefetchRow, which reads the offset. Both are hints
// and change no result.
struct WeightedRows {
  CsrView rows;
  std::span<const double> costs =
      {};  // when not empty (infinity = closed); else the weights, else 1

  void PrefetchOffset(NodeId v) const { Prefetch(&rows.offsets[v]); }
  void PrefetchRow(NodeId v) const {
    const std::uint32_t first = rows.offsets[v], count = std::min(rows.degree(v), kMaxPrefetched);
    if (count == 0) return;
    Fetch(rows.neighbors.data() + first, count);
    if (!costs.empty())
      Fetch(costs.data() + first, count);
    else if (!rows.weights.empty())
      Fetch(rows.weights.data() + first, count);
  }

 private:
  static constexpr std::uint32_t kMaxPrefetched =
      128;  // arcs; the processor follows a longer row by itself
  static constexpr std::size_t kLine = 64;

  template <class Arc>
  static void Fetch(const Arc* arcs, std::uint32_t count) {
    for (std::uint32_t a = 0; a < count; a += kLine / sizeof(Arc)) Prefetch(arcs + a);
    Prefetch(arcs + count - 1);  // a row seldom begins where a line does
  }
};

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
