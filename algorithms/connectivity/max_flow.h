// Maximum flow and minimum cut between two nodes.
//
// How much can go from the source to the sink when no edge carries more than its
// capacity, and the fewest (least) edges whose removal parts the two: the same number
// (Ford, Fulkerson, 1956). With capacities of 1 it is the number of paths that share no
// edge. Augmenting paths between two trees that grow from the ends (Boykov, Kolmogorov,
// 2004) by Boost.Graph, on the nodes that lie on some path from source to sink alone;
// parallel edges are one.
//
// Capacities are whole numbers inside: weights in units of 2^-k with the largest k that
// keeps their sum below 2^61, so nothing is lost to rounding unless weights lie more than
// that far apart; then `error` says how much. The cut reported is the one nearest to the
// source, which is unique, so no result depends on the order of work.
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
  bool unit_capacities = false;  // every edge carries 1, whatever its weight
  bool undirected = false;       // edges carry as much either way, one way at a time
  // subset: source and sink need not be in it.
  GraphFilter filter = {};
  // budget: deadline and cancel flag alone. executor: makes the network; one thread searches in it.
  RunOptions run = {};
};

struct MaxFlowResult {
  static constexpr std::uint64_t kMaxPairs = std::uint64_t{1} << 30;

  double flow = 0;
  double error = 0;               // the flow is off by this at most; 0 = exact to f64
  std::vector<PathEdge> cut;      // edges from the source's side to the sink's, by node and row
  std::uint64_t nodes = 0;        // on some path from source to sink, those two included; or 0
  std::uint64_t pairs = 0;        // of neighbours among them
  std::uint64_t source_side = 0;  // nodes of `nodes` on the source's side of the cut
  bool truncated = false;         // the budget ran out; then there is no flow and no cut
};

// O(nodes^2 * pairs * paths) at worst, in practice near the size of the network, which a
// budget can stop. 32 bytes a pair and 60 a node of the network. Edges of weight 0 carry
// nothing, unless capacities are unit ones. Thread-safe, same bits at any thread count.
// Nothing flows from or to an index node while only kinds of facts are followed.
// kInvalidArgument: a kind or node out of range, source and sink the same; kNotFound: an end
// that was removed; kResourceExhausted: more than kMaxPairs.
Result<MaxFlowResult> MaxFlow(const Snapshot& snapshot, NodeId source, NodeId sink,
                              const MaxFlowOptions& options = {});

}  // namespace plexus
