// CommunityGraph: a weighted undirected graph that shrinks, level by level.
//
// The first level is the caller's graph: every pair of neighbours once, with the sum of
// the weights between them; every later one has the communities of the one before as
// nodes. Between rows there may be unused room. Weights are positive; a graph
// whose weights are all alike has none and counts in that unit.
// Loops are kept apart: they cause no move, but they count in the strengths.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/object_pool.h"
#include "algorithms/community/internal/sparse_accumulator.h"
#include "engine/arrays/aligned_array.h"
#include "engine/parallel.h"
#include "engine/types.h"

namespace plexus::community::internal {

struct CommunityGraph {
  struct Row {
    std::uint64_t begin, end;
  };
  NodeId nodes = 0;
  bool unit = false;  // all weights are 1 and `weights` means nothing
  // All in `memory`, as one block lies on huge pages where five would not.
  std::span<Row> rows;          // by node
  std::span<double> strengths;  // A_vv of the adjacency matrix and the weights of the row
  std::span<double> loops;      // A_vv: twice a loop's weight
  std::span<NodeId> neighbors;  // never the row's own node
  std::span<double> weights;    // of the arcs to them
  AlignedArray<std::byte> memory;
  double total = 0;  // of all strengths: 2m

  // Of an arc, in the accumulator's type. REQUIRES kUnit == unit.
  template <bool kUnit>
  SparseAccumulator::Row<kUnit>::Sum Weight(std::uint64_t arc) const {
    if constexpr (kUnit)
      return 1;
    else
      return weights[arc];
  }
  std::uint64_t degree(NodeId v) const { return rows[v].end - rows[v].begin; }
  // Makes room; what was in it is lost.
  void Reserve(NodeId node_count, std::uint64_t arcs);
};

// Nodes by their label: those of label c are nodes[starts[c]] ..., ascending.
struct Groups {
  std::vector<NodeId> starts, nodes;
  // Labels cut into blocks of about equal work, block b being labels
  // [blocks[b], blocks[b + 1]); a pure function of the graph and the labels.
  std::vector<NodeId> blocks;
  std::vector<std::uint64_t> arcs;     // in the rows before each block, and in all
  std::vector<std::uint64_t> arcs_of;  // by label
  std::size_t block_count() const { return blocks.size() - 1; }
};
// Prefetches the labels of the first neighbours of v; always four, since the end of a loop would be
// mispredicted on most shorter rows.
inline void FetchLabels(const CommunityGraph& graph, NodeId v, const NodeId* labels) {
  const CommunityGraph::Row row = graph.rows[v];
  if (row.begin == row.end) return;
  for (std::uint64_t i = 0; i < 4; ++i)
    __builtin_prefetch(&labels[graph.neighbors[std::min(row.begin + i, row.end - 1)]]);
}
// While the nodes of groups are walked, at place i: prefetches the rows some places ahead, and the
// labels of the first neighbours in rows that are nearer.
inline void FetchAhead(const CommunityGraph& graph, const Groups& groups, std::size_t i,
                       const std::vector<NodeId>& labels) {
  constexpr std::size_t kAhead = 6;
  if (i + 3 * kAhead >= groups.nodes.size()) return;
  __builtin_prefetch(&graph.rows[groups.nodes[i + 3 * kAhead]]);
  const NodeId next = groups.nodes[i + 2 * kAhead];
  __builtin_prefetch(&graph.strengths[next]);
  // Pointers, since the row may be an empty one behind the last arc.
  __builtin_prefetch(graph.neighbors.data() + graph.rows[next].begin);
  if (!graph.unit) __builtin_prefetch(graph.weights.data() + graph.rows[next].begin);
  FetchLabels(graph, groups.nodes[i + kAhead], labels.data());
}
void MakeGroups(const CommunityGraph& graph, const std::vector<NodeId>& labels, NodeId count,
                Groups& groups);

// Replaces labels by 0, 1, ... in the order of the first node that has each; returns how
// many there are. REQUIRES labels below labels.size(). `numbers` is scratch.
NodeId Renumber(std::vector<NodeId>& labels, std::vector<NodeId>& numbers);

// The graph whose nodes are the groups of `graph`. Sums are taken in the order of nodes
// and rows, so the bits do not depend on threads. False, and a graph that means nothing,
// when `budget` (null = none) says to stop: looked at in every block and, in large groups,
// every 4,096 nodes. REQUIRES labels below count.
bool Aggregate(const CommunityGraph& graph, const std::vector<NodeId>& labels, const Groups& groups,
               Executor& executor, common_internal::ObjectPool<SparseAccumulator>& accumulators,
               const Budget* budget, CommunityGraph& coarse);

// Sum of A_ij - resolution * k_i k_j / 2m over all pairs of one community, over 2m; 0
// when there are no weights.
double Modularity(const CommunityGraph& graph, const std::vector<NodeId>& labels, NodeId count,
                  double resolution, Executor& executor);

// Cuts every community into its connected parts, numbered as Renumber does; returns how many.
NodeId SplitIntoConnected(const CommunityGraph& graph, std::vector<NodeId>& labels, NodeId count,
                          Executor& executor);

}  // namespace plexus::community::internal
