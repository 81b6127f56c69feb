// The loops; what several threads read and write at once goes through union_find.h.
#include "algorithms/connectivity/internal/components_small.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "algorithms/connectivity/internal/union_find.h"
#include "engine/arrays/aligned_array.h"

namespace plexus::connectivity::internal {

namespace {

constexpr std::size_t kBlock = 8192;       // nodes
constexpr std::uint32_t kWide = 8;         // labels written at a time
constexpr std::size_t kSampledRows = 256;  // rows tested for the direction of their first arcs

struct Pair {
  NodeId a, b;  // roots
};

// The view in which more of some evenly spaced rows begin with a smaller neighbour. Either
// has all edges.
const CsrView& PickDownwardView(const CsrView& out, const CsrView& in) {
  const std::size_t stride = out.node_count() / kSampledRows + 1;
  std::size_t by_out = 0, by_in = 0;
  for (NodeId v = 0; v < out.node_count(); v += static_cast<NodeId>(stride)) {
    by_out += out.degree(v) > 0 && out.neighbors[out.offsets[v]] < v;
    by_in += in.degree(v) > 0 && in.neighbors[in.offsets[v]] < v;
  }
  return by_in > by_out ? in : out;
}

void LinkToFirstNeighbor(const CsrView& view, std::size_t begin, std::size_t end, Labels labels) {
  const std::uint32_t last = static_cast<std::uint32_t>(view.arc_count()) - 1;
  for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
    const std::uint32_t row = view.offsets[v];
    const NodeId first = view.neighbors[std::min(row, last)];
    const auto down =
        static_cast<NodeId>(row < view.offsets[v + 1]) & static_cast<NodeId>(first < v);
    labels[v] =
        v ^ ((v ^ first) & (0 - down));  // first or v, with no branch for the compiler to see
  }
}

// Parents are smaller, so most are done before their children; two steps need no branch.
void CompressPaths(std::size_t begin, std::size_t end, Labels labels) {
  for (auto v = static_cast<NodeId>(begin); v < end; ++v)
    Store(labels, v, Root(labels, Load(labels, Load(labels, Load(labels, v))), begin));
}

// Writes labels[v] for every arc of v. Writes up to kWide - 1 beyond the last.
void CopyLabelsToArcs(const CsrView& view, std::size_t begin, std::size_t end, Labels labels,
                      NodeId* arc_labels) {
  for (auto v = static_cast<NodeId>(begin); v < end; ++v) {
    const NodeId label = Load(labels, v);
    NodeId* const to = arc_labels + (view.offsets[v] - view.offsets[begin]);
    for (std::uint32_t i = 0; i < kWide; ++i) to[i] = label;
    if (const std::uint32_t degree = view.degree(v); degree > kWide)
      std::fill(to + kWide, to + degree, label);
  }
}

// Returns how many. Room for one pair more than there are arcs.
std::size_t CollectUnlinkedPairs(std::span<const NodeId> neighbors, const NodeId* arc_labels,
                                 Labels labels, Pair* pairs) {
  std::size_t unlinked = 0;
  for (std::size_t a = 0; a < neighbors.size(); ++a) {
    const NodeId here = arc_labels[a], there = Load(labels, neighbors[a]);
    pairs[unlinked] = {here, there};
    unlinked += here != there;
  }
  return unlinked;
}

void LinkToSmallestRoot(std::span<const Pair> pairs, Labels labels) {
  for (const auto [a, b] : pairs) {
    const NodeId low = std::min(a, b), high = a ^ b ^ low;
    Store(labels, high, std::min(Load(labels, high), low));
  }
}

// Keeps the pairs whose roots still differ after two steps; returns how many.
std::size_t KeepUnlinkedPairs(std::span<Pair> pairs, Labels labels) {
  std::size_t unlinked = 0;
  for (const auto [a, b] : pairs) {
    const Pair above{Load(labels, Load(labels, a)), Load(labels, Load(labels, b))};
    pairs[unlinked] = above;
    unlinked += above.a != above.b;
  }
  return unlinked;
}

}  // namespace

void SmallComponents(const CsrView& out, const CsrView& in, Labels labels, Executor& executor) {
  const std::size_t n = labels.size(), blocks = (n + kBlock - 1) / kBlock;
  if (out.arc_count() == 0) {
    for (NodeId v = 0; v < n; ++v) labels[v] = v;
    return;
  }
  const CsrView view = PickDownwardView(out, in);
  ParallelFor(executor, n, kBlock, [&](std::size_t begin, std::size_t end) {
    LinkToFirstNeighbor(view, begin, end, labels);
  });
  auto compress = [&](std::size_t begin, std::size_t end) { CompressPaths(begin, end, labels); };
  ParallelFor(executor, n, kBlock, compress);
  AlignedArray<Pair> pairs(view.arc_count() + blocks);
  AlignedArray<NodeId> arc_labels(view.arc_count() + blocks * kWide);
  std::vector<std::size_t> unlinked(blocks, 0);
  auto pairs_at = [&](std::size_t begin) {
    return pairs.data() + view.offsets[begin] + begin / kBlock;
  };
  ParallelFor(executor, n, kBlock, [&](std::size_t begin, std::size_t end) {
    NodeId* const block_labels = arc_labels.data() + view.offsets[begin] + begin / kBlock * kWide;
    CopyLabelsToArcs(view, begin, end, labels, block_labels);
    const auto arcs =
        view.neighbors.subspan(view.offsets[begin], view.offsets[end] - view.offsets[begin]);
    const std::size_t count = CollectUnlinkedPairs(arcs, block_labels, labels, pairs_at(begin));
    unlinked[begin / kBlock] = count;
    LinkToSmallestRoot({pairs_at(begin), count}, labels);
  });
  ParallelFor(executor, n, kBlock, [&](std::size_t begin, std::size_t) {
    const std::span<Pair> all(pairs_at(begin), unlinked[begin / kBlock]);
    for (const Pair& pair : all.first(KeepUnlinkedPairs(all, labels))) Join(labels, pair.a, pair.b);
  });
  ParallelFor(executor, n, kBlock, compress);
}

}  // namespace plexus::connectivity::internal
