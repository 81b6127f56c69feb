// WeightedRows: rows, what their arcs cost, and how a search gets them into the caches in time.
//
// A search by costs reads rows in an order that no processor can predict. A row costs a wait for
// its offset, then one for every line of its arcs. A search that knows its next nodes prefetches
// both: PrefetchOffset, and some steps later PrefetchRow, which reads the offset. Both are hints
// and change no result.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/arrays/views.h"
#include "engine/internal/prefetch.h"
#include "engine/types.h"

namespace plexus::paths::internal {

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

// A width of delta-stepping's buckets that suits the graph: mean cost of an arc (at most eight
// medians) over the mean degree, from about a thousand arcs; the same for the same rows.
double ChooseDelta(std::span<const WeightedRows> rows);

}  // namespace plexus::paths::internal
