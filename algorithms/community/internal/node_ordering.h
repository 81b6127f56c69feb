// Which nodes of a graph read as undirected get rows, and in which order.
//
// Not every node needs a row. One without arcs is a community of its own. A node without a loop
// whose only neighbour is u (tested for nodes with at most 8 arcs) belongs to u's community
// whenever the resolution is at most 1 (pendant folding): with w between them it gains w by being
// there, and loses resolution * w K / 2m, K < 2m being the strength of the others in the community
// (Arenas, Duch, Fernandez, Gomez, "Size reduction of complex networks preserving modularity",
// 2007). So it shares u's row, as if an aggregation had joined them, and no best partition is lost.
//
// Busy nodes stand together, so that what most arcs point to stays in the cache: by quarter
// octaves of degree, falling, then by id. Where degrees are even the ids' own order is worth
// more (a rule on the graph, as triangles have it: the mean square degree is at most twice the
// squared mean).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "algorithms/common/common.h"
#include "algorithms/common/internal/stop_flag.h"
#include "engine/arrays/aligned_array.h"
#include "engine/parallel.h"
#include "engine/types.h"

namespace plexus::community::internal {

// Maps the caller's nodes to rows.
struct NodeOrdering {
  static constexpr NodeId kIsolated = kNoNode - 1;
  AlignedArray<NodeId> rows;   // by node; kAlone = has none, kNoNode = not selected
  AlignedArray<NodeId> nodes;  // by row: the node that it is named by
  AlignedArray<std::uint64_t>
      degrees;  // by row: at most so many arcs, nodes that share it not counted
};

// The second half of MakeNodeOrdering, once the only neighbours are known; none: every selected
// node has a row.
std::optional<NodeOrdering> OrderRows(NodeId all, std::span<const NodeId> selected,
                                      std::span<const std::uint64_t> degrees,
                                      const AlignedArray<NodeId>& only, Executor& executor,
                                      common_internal::StopFlag& stop_flag);

// `selected`: nodes below `all`, ascending; degrees[i]: the arcs of selected[i], at least
// as many as walk(selected[i], fn) calls fn(neighbour, weight) for, loops included; it may
// stop when fn returns false. Neighbours are selected ones.
// fold: nodes with one neighbour and no loop share its row, nodes with no arcs have none;
// only nodes of up to kFoldedDegree arcs, parallel ones counted, are tested. None when `budget`
// (null = none) interrupts. A few passes over the nodes, in parallel.
inline constexpr std::uint64_t kFoldedDegree = 8;
template <class Walk>
std::optional<NodeOrdering> MakeNodeOrdering(NodeId all, std::span<const NodeId> selected,
                                             std::span<const std::uint64_t> degrees, bool fold,
                                             Executor& executor, const Budget* budget,
                                             Walk&& walk) {
  constexpr std::size_t kGrain = 4096;
  AlignedArray<NodeId> only(fold ? all : 0);  // the one neighbour, of selected nodes
  common_internal::StopFlag stop_flag(budget);
  if (stop_flag.Poll()) return std::nullopt;
  ParallelFor(executor, fold ? selected.size() : 0, kGrain,
              [&](std::size_t begin, std::size_t end) {
                if (stop_flag.Poll()) return;
                for (std::size_t i = begin; i < end; ++i) {
                  NodeId one = kNoNode;
                  bool same = degrees[i] <= kFoldedDegree;
                  double sum = 0;
                  if (same)
                    walk(selected[i], [&](NodeId u, double weight) {
                      same &= u != selected[i] && (one == kNoNode || one == u);
                      one = u;
                      sum += weight;
                      return same;
                    });
                  only[selected[i]] = same && sum > 0 ? one : kNoNode;
                }
              });
  if (stop_flag.Poll()) return std::nullopt;
  return OrderRows(all, selected, degrees, only, executor, stop_flag);
}

}  // namespace plexus::community::internal
