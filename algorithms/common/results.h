// What results hold: scored and weighted nodes, steps of a path, what a call prepared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/options.h"
#include "engine/error.h"
#include "engine/types.h"

namespace plexus {

// --- NodeWeight: a start node of a kernel and its weight.

struct NodeWeight {
  NodeId node = kNoNode;
  double weight = 1;
  bool operator==(const NodeWeight&) const = default;
};

// --- Ranking: top scores, scores divided by the maximum, percentile ranks.
//
// PageRank sums to 1, so a raw score says little. Thresholds ("salience above 0.7") use the
// percentile. `nodes` holds the ids that take part; the others get 0. REQUIRES scores without NaN.
//
// Errors: kResourceExhausted: no memory. Threads: thread-safe; they run on the caller's thread.

struct ScoredNode {
  NodeId node = kNoNode;
  double score = 0;
  bool operator==(const ScoredNode&) const = default;
};

// Computes: the `top` best of `nodes`, best first, ties by smaller id. 0 = all of them.
// Complexity: O(n + top log top) expected.
Result<std::vector<ScoredNode>> TopScores(std::span<const double> scores, const NodeSubset& nodes,
                                          std::size_t top);

// Computes: score / largest score. All are 0 when the largest is 0.
// Complexity: O(n).
Result<std::vector<double>> ScaleByMaximum(std::span<const double> scores, const NodeSubset& nodes);

// Computes: the share of other nodes with a smaller score; ties count half. The best of distinct
//   scores gets 1, the worst 0. Equal scores all get 0.5, and so does a single node.
// Complexity: O(n log n).
Result<std::vector<double>> PercentileRanks(std::span<const double> scores,
                                            const NodeSubset& nodes);

// --- PathEdge: one step of a path in a reply, as an edge in its own direction.

// Steps are in walking order. A step against the edge's direction has the node walked to as
// `source`. `label` distinguishes parallel edges.
struct PathEdge {
  NodeId source = kNoNode;
  NodeId target = kNoNode;
  EdgeKindId kind{};
  StringId label = 0;
  float weight = 1.0f;
  bool operator==(const PathEdge&) const = default;
};

// --- RunStats: what a call prepared and moved, for tuning and benches. Answers do not need it.

struct RunStats {
  // Time for layout, strengths and packed rows. Near 0 when they were kept.
  double preparation_ms = 0;
  std::uint64_t layout_bytes = 0;  // Of a private layout of the arcs. 0: plain rows were read.
  // Iterations that repay a layout for a graph of this shape, measured
  // (bench/notes/kernels/pagerank.md). 0: plain rows are never slower.
  int break_even_iterations = 0;
  // Modelled: every array of the kernel once, each cache line used to its end.
  std::uint64_t bytes_per_iteration = 0;
};

}  // namespace plexus
