// Maximum flow and minimum cut between two nodes.
//
// The most that flows from source to sink when no edge carries more than its capacity equals the
// least capacity of edges whose removal separates them (Ford, Fulkerson, 1956). With unit
// capacities it is the number of edge-disjoint paths. The method is augmenting paths between two
// trees (Boykov, Kolmogorov, 2004) by Boost.Graph, on the nodes that lie on a path from source to
// sink. Parallel edges are one.
//
// Capacities are integers: weights in units of 2^-k, with the largest k that keeps their sum below
// 2^61. Rounding occurs only where weights lie farther apart; `error` then bounds it.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/edge_step.h"
#include "algorithms/common/graph_filter.h"
#include "algorithms/common/run_options.h"
#include "engine/error.h"
#include "engine/snapshot.h"
#include "engine/types.h"

namespace plexus {

struct MaxFlowOptions {
  bool unit_capacities = false;  // Every edge carries 1.
  bool undirected = false;       // Edges carry as much either way, one way at a time.
  GraphFilter filter = {};       // subset: source and sink need not be in it.
  // budget: only the deadline and the cancel flag. executor: makes the network; one thread searches
  // it.
  RunOptions run = {};
};

struct MaxFlowResult {
  static constexpr std::uint64_t kMaxPairs = std::uint64_t{1} << 30;

  double flow = 0;
  double error = 0;               // The flow is off by this at most. 0: exact to f64.
  std::vector<PathEdge> cut;      // Edges from the source's side to the sink's, by node and row.
  std::uint64_t nodes = 0;        // On a path from source to sink, both included; or 0.
  std::uint64_t pairs = 0;        // Of neighbours among `nodes`.
  std::uint64_t source_side = 0;  // Of `nodes`, those on the source's side of the cut.
  bool truncated = false;         // The budget ran out. Then there is no flow and no cut.
};

// Computes: the maximum flow and the minimum cut nearest to the source, which is unique. Edges of
//   weight 0 carry nothing, unless capacities are unit ones. An index node has no flow while only
//   fact kinds are followed.
// Complexity: O(nodes^2 * pairs * paths) at worst, in practice near the size of the network.
// Memory: 32 bytes a pair and 60 a node of the network.
// Errors: kInvalidArgument: a kind or node out of range, or a source that is the sink. kNotFound:
//   an end that was removed. kResourceExhausted: more than kMaxPairs, or no memory.
// Threads: thread-safe. The bits are the same at any thread count.
Result<MaxFlowResult> MaxFlow(const Snapshot& snapshot, NodeId source, NodeId sink,
                              const MaxFlowOptions& options = {});

}  // namespace plexus
