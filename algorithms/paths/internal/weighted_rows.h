// WeightedRows: rows, what their arcs cost, and how a search gets them into the caches in time.
//
// A search by costs reads rows in an order that no processor can guess, and each begins with
// a wait for where it begins, then one for every line of its arcs. Who knows its next nodes asks
// for both beforehand: PrefetchOffset, and a while later FetchRow, which reads the place. Hints:
// they change nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/adjacency/csr_view.h"
#include "engine/internal/prefetch.h"
#include "engine/types.h"

namespace plexus::paths_internal {

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

}  // namespace plexus::paths_internal
