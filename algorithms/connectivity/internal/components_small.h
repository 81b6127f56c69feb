// Components of a small graph on bare arrays, in six short loops that hardly branch.
//
// While a graph is in the caches, what costs is not its arcs but mispredicted branches: whether a
// row has another arc, whether its ends are linked already. So:
//   1. every node is linked under its row's first neighbour, if that is smaller (by out rows or in
//      rows: the view with more such neighbours);
//   2. every label is a root;
//   3. what a row's node is labelled is written next to each of its arcs, so that arcs need no
//      rows: those whose ends have different roots are collected, without a branch;
//   4. the larger root of each pair is linked under the smallest other root of its pairs, without a
//      compare-and-swap: a link lost to another thread is still in the list;
//   5. pairs that still differ are joined by compare-and-swap (WordNet: one pair in 20);
//   6. every label is a root again.
// A parent is always smaller than its child, so that root is the smallest id of its component
// whatever the order of all this.
#pragma once

#include <cstddef>
#include <span>

#include "engine/arrays/views.h"
#include "engine/parallel.h"
#include "engine/types.h"

namespace plexus::connectivity::internal {

// They take 12 bytes an arc, in blocks that AlignedArray keeps between calls.
inline constexpr std::size_t kSmallComponentsArcs = 600'000;

// `in` is the transpose of `out`, or the same view for a symmetric graph. REQUIRES at most
// kSmallComponentsArcs arcs, as many labels as nodes, and when `executor` may pass blocks over,
// that labels[v] <= v.
void SmallComponents(const CsrView& out, const CsrView& in, std::span<NodeId> labels,
                     Executor& executor);

}  // namespace plexus::connectivity::internal
