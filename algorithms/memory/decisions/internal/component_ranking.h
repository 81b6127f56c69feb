// PageRank solved component by component, in the order in which rank flows.
//
// With a uniform teleport, to which dangling mass returns, the ranking is y / sum(y) for
//   y(v) = 1 + d * sum over arcs u->v of y(u) * w(u,v) / W(u)
// so a node's y depends only on what reaches it. Strong components are taken one after the other:
// of a single node y is one sum, a cycle is iterated by itself (block triangular form: Arasu,
// Novak, Tomkins, Tomlin, 2002). A graph without cycles takes one pass, whatever the damping. Sums
// go from the smallest term up, so nodes in like places have the same bits, however they are
// numbered; in cycles of more than kSortedCycle nodes they go by numbers. Private to
// algorithms/memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "engine/arrays/views.h"

namespace plexus::memory::internal {

inline constexpr std::size_t kSortedCycle = 4096;

struct ComponentRankingOptions {
  double damping = 0.85;     // In [0, 1).
  double tolerance = 1e-12;  // Above 0: of the L1 distance to the ranking, as far as f64 reaches.
  Budget budget = {};        // The deadline and the cancel flag.
};

struct ComponentRanking {
  std::vector<double> scores;  // By node; sum 1.
  bool truncated = false;
};

// `components` of the out-rows, as StrongComponents() numbers them. Both views are of the same
// arcs, without loops. O(nodes + arcs), and an iteration of each cycle: O(its arcs). On one thread.
// Throws std::bad_alloc.
ComponentRanking RankByComponents(const CsrView& out, const CsrView& in,
                                  std::span<const std::uint32_t> components,
                                  const ComponentRankingOptions& options);

}  // namespace plexus::memory::internal
