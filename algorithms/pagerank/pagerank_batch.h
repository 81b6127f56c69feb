// Many personalised PageRanks in one pass: up to 16 seed sets share every sweep over
// the arcs (more are done 16 at a time).
//
// The same formula as PageRank() in pagerank.h, in f32. A sweep for 16 costs what 2 to 3
// single ones do, because the cache line fetched for a source holds its contribution to
// all 16; one while the seeds have reached few nodes yet, a quarter of that. The layout of the arcs
// is one of its own (pagerank/internal/batch_layout.h), made at the first batch and kept as those
// of PageRank() are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/pagerank/pagerank.h"
#include "engine/arrays/aligned_array.h"

namespace plexus {

struct PageRankBatchResult {
  std::size_t sets = 0;
  // Score of node v for set s: scores[v * sets + s]; 0 for nodes that are not selected.
  AlignedArray<float> scores;
  std::vector<double> errors;  // by set: bound on the L1 distance to its fixed point
  int iterations = 0;          // the most that any set took
  bool converged = false;      // every error <= tolerance
  bool truncated = false;      // the budget ran out, or max_iterations
  std::uint64_t edges = 0;     // arcs that took part
  double preparation_ms = 0;   // as in PageRankResult
  // Of one sweep for sixteen sets, modelled: every array once, each line fetched used to the end
  // (ids, weights, lists of rows, the lines of the nodes with arcs, and the row sums read and
  // written once a segment). While few nodes are reached a sweep moves less.
  std::uint64_t bytes_per_iteration = 0;

  float score(NodeId node, std::size_t set) const { return scores[node * sets + set]; }
};

// O(iterations * (nodes + arcs)) for every sixteen sets, and O(nodes + arcs) for the layout,
// once a snapshot. options.seeds must be empty, options.precision kF32 and
// options.tolerance at least 2^-20 / (1 - d), unless iterations are given; a set without
// seeds is the uniform teleport. Sets in the same sixteen stop together, when the last of them is
// within tolerance: the others may run some iterations more than alone. A deadline or a
// cancel ends the sweep that is under way; sets that were not begun are given as they begin,
// at their seeds, with an error of 2, and those that were cut short of counted iterations
// with the error known beforehand, 2 d^k after k. Memory: 136 bytes a node (8 for one without
// arcs; 72 for sixteen sets over all nodes) besides the scores, and a layout of 4 to 8 bytes an arc
// (weighted 8 to 12). Same bits at any thread count and instruction level, and with
// options.iterations whatever else is in the batch. Thread-safe. Errors as
// PageRank(), and kInvalidArgument for no set or more than 4096.
Result<PageRankBatchResult> PageRankBatch(const Snapshot& snapshot,
                                          std::span<const std::vector<NodeWeight>> sets,
                                          const PageRankOptions& options);

// The least options.tolerance that it takes. REQUIRES damping in [0, 1).
double LeastBatchTolerance(double damping);

}  // namespace plexus
