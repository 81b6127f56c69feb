// PageRank from the scores of an earlier state of the graph, by what has changed since.
//
// 1. Where the earlier state is at hand, rows that differ give the residuals (ResidualPush);
//    else one sweep over all rows turns the earlier scores x into x + r, where r is what the
//    graph as it is now makes of them.
// 2. While few nodes hold most of r only their residuals are pushed, one by one; where they are
//    more, but their rows few still, all at once.
// 3. When changes have spread, or to make sure: block Gauss-Seidel sweeps, which know the residual
//    after every part (BlockGaussSeidel): the last sweep ends as soon as it is small enough.
//    Scores that are not of this graph may lose their sum that way: then all begins again at the
//    teleport, once.
//
// Rows are read where they are, in the base and the delta: nothing is packed, no layout
// is made; one that the base has can be swept over (BaseTileSpmv). Sums follow rows and dense ids,
// so bits depend only on the graph, the start and the options; over tiles on what is in the base,
// too.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/pagerank/internal/block_gauss_seidel.h"
#include "algorithms/pagerank/internal/csr_spmv.h"
#include "algorithms/pagerank/internal/preparation.h"
#include "engine/parallel.h"
#include "engine/snapshot.h"

namespace plexus::pagerank::internal {

struct PageRankRefreshOptions {
  double damping = 0.85, tolerance = 1e-9;
  int max_iterations = 1000;
  bool weighted = true;
  // The state whose scores the start is, as far as the caller knows: selects the rows that are
  // compared first. A wrong one costs sweeps; the error stated holds.
  const Snapshot* earlier = nullptr;
  // Of rows.in, to be swept over instead of it; null: none.
  std::shared_ptr<const PageRankTiles> tiles = nullptr;
  Budget budget;
  std::uint64_t part_work = BlockGaussSeidel<float>::kPartWork;  // less in tests
};

struct PageRankRefreshed {
  std::vector<double> scores;  // by dense id
  int iterations = 0;  // sweeps over all rows, the last may be part of one, and rounds of pushes
  double error = 2;    // bound on the L1 distance to the fixed point
  bool truncated = false;
  bool tiled = false;      // swept over tiles
  std::uint64_t arcs = 0;  // of the graph
};

// Rounding adds up over pushes, which a full run's does not: whether it stays well below
// the tolerance.
inline bool RefreshReaches(double tolerance, double damping) {
  return tolerance * (1.0 - damping) * (1.0 - damping) >= 1e-12;
}

// `start` sums to 1; `seeds` empty: uniform teleport. Memory: 32 bytes a node, 40
// where strengths are beyond f32; rows of a group of 64 that the delta touches, by thread.
PageRankRefreshed RefreshPageRank(const LiveCsr& rows, std::vector<double> start,
                                  std::span<const SeedShare> seeds,
                                  const PageRankRefreshOptions& options, Executor& executor);

}  // namespace plexus::pagerank::internal
