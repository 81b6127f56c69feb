// PageRankBatch: many personalised PageRanks, up to 16 seed sets in every sweep over the arcs.
//
// The formula is that of PageRank() (pagerank.h), in f32. A sweep for 16 sets costs 2 to 3 single
// sweeps, because one cache line of a source holds its contribution to all 16. While the seeds have
// reached few nodes it costs a quarter of that.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/pagerank/pagerank.h"
#include "engine/arrays/aligned_array.h"

namespace plexus {

struct PageRankBatchResult {
  std::size_t sets = 0;
  // The score of node v for set s is scores[v * sets + s]. 0 for unselected nodes.
  AlignedArray<float> scores;
  std::vector<double> errors;  // By set: bound on the L1 distance to its fixed point.
  int iterations = 0;          // The most of any set.
  bool converged = false;      // Every error <= tolerance.
  bool truncated = false;      // The budget or max_iterations ended the iteration.
  std::uint64_t edges = 0;     // Arcs that took part.
  // bytes_per_iteration: of one sweep for sixteen sets, row sums read and written once a segment. A
  // sweep moves less while few nodes are reached.
  RunStats stats;

  float score(NodeId node, std::size_t set) const { return scores[node * sets + set]; }
};

// Computes: the PageRank of every seed set; an empty set is the uniform teleport. Sets of one
//   sixteen stop together, when the last is within tolerance. A deadline or cancel flag ends the
//   current sweep. Sets not begun then have their seeds as scores and an error of 2. Sets cut short
//   of fixed iterations have the error 2 d^k after k.
// Complexity: O(iterations * (nodes + arcs)) for every sixteen sets, and O(nodes + arcs) for the
//   layout, once a snapshot.
// Memory: scores, and 136 bytes a node (8 without arcs; 72 for sixteen sets over all nodes),
//   and a layout of 4 to 8 bytes an arc (weighted 8 to 12), kept as those of PageRank() are.
// Errors: those of PageRank(). kInvalidArgument: no set or more than 4,096, options.seeds given, a
//   precision other than kF32, or a tolerance below 2^-20 / (1 - d) without iterations.
// Threads: thread-safe. The bits are the same at any thread count and instruction level. With
//   options.iterations they do not depend on the other sets.
Result<PageRankBatchResult> PageRankBatch(const Snapshot& snapshot,
                                          std::span<const std::vector<NodeWeight>> sets,
                                          const PageRankOptions& options);

// The least options.tolerance that PageRankBatch() takes. REQUIRES damping in [0, 1).
double LeastBatchTolerance(double damping);

}  // namespace plexus
