// PageRank from the scores of an earlier state of the graph, by what has changed since.
//
// One sweep over all rows turns the earlier scores x into x + r, where r is what the
// graph as it is now makes of them. From there on only changes travel: a change of a
// node's score is *pending* until its out-rows have been told of it. What all pending
// changes together can still move is known, d / (1 - d) times their sum, so the stop rule
// is that of a full run. While few nodes hold the pending mass their rows are pushed one
// by one; otherwise a sweep pulls everything at once. (Residual propagation: Berkhin,
// "Bookmark-coloring algorithm", 2006; Lofgren's thesis, 2015, chapter 2.)
//
// Rows are read where they are, in the base and the delta: nothing is packed, no layout
// is made. Sums follow rows and dense ids, so bits depend on the graph, the start and the
// options alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/budget.h"
#include "algorithms/internal/pagerank_prepare.h"
#include "engine/csr_view.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::internal {

// Rows by dense id: those of `csr`, or of `live` where the delta touches them.
struct PageRankRows {
  CsrView out, in;
  const Snapshot* live = nullptr;  // null: `csr` is all; else dense ids are NodeIds
  NodeId node_count = 0;
};

struct PageRankRefreshOptions {
  double damping = 0.85, tolerance = 1e-9;
  int max_iterations = 1000;
  bool weighted = true;
  Budget budget;
};

struct PageRankRefreshed {
  std::vector<double> scores;  // by dense id
  int iterations = 0;          // sweeps over all rows, and rounds of pushes
  double error = 2;            // bound on the L1 distance to the fixed point
  bool truncated = false;
  std::uint64_t arcs = 0;  // of the graph
};

// Rounding adds up over sweeps, which a full run's does not: whether it stays well below
// the tolerance.
inline bool RefreshReaches(double tolerance, double damping) {
  return tolerance * (1.0 - damping) * (1.0 - damping) >= 1e-12;
}

// `start` sums to 1; `seeds` empty: uniform teleport. Memory: 40 bytes a node.
PageRankRefreshed RefreshPageRank(const PageRankRows& rows, std::vector<double> start,
                                  std::span<const SeedShare> seeds,
                                  const PageRankRefreshOptions& options, Executor& executor);

}  // namespace plexus::internal
