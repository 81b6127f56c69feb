// A row is marked in a bitmap over all nodes; the rows it points to are then looked up
// there, or, when they are a hub's, compared with it a word at a time. Marks are taken
// back one by one, so a row costs what it holds.
#include "algorithms/community/internal/oriented_graph.h"

#include <algorithm>

#include "algorithms/common/internal/object_pool.h"
#include "algorithms/community/internal/bitset_intersection.h"
#include "algorithms/community/internal/oriented_count.h"
#include "engine/error.h"
#include "engine/internal/prefetch.h"

namespace plexus::community::internal {

namespace {

constexpr std::size_t kOrientGrain = 1024;
constexpr double kSkew = 2;  // mean square degree over squared mean that is worth sorting for
constexpr double kSparse =
    10;  // arcs a node below which numbering by degree is not worth it, as long as
constexpr double kShort =
    128;  // the sum of squared degrees, a bound of the work, is within so many times the arcs
constexpr std::size_t kSquaresGrain = 1 << 14;
constexpr NodeId kMaxHubs = 8192;  // 8 MiB of bits

using Words = std::vector<std::uint64_t>;

// A bit a node for as many blocks of rows as run at once, all made before the loop.
void ReserveMarks(common_internal::ObjectPool<Words>& scratch, NodeId nodes, NodeId rows,
                  const Executor& executor) {
  scratch.Reserve(executor, rows / kCountGrain + 1,
                  [&] { return std::make_unique<Words>((std::size_t{nodes} + 63) / 64, 0); });
}

// Numbers by falling degree, ties by smaller id. O(nodes + largest degree).
std::vector<NodeId> ByDegree(const CsrView& graph) {
  const NodeId n = graph.node_count();
  std::uint32_t most = 0;
  for (NodeId v = 0; v < n; ++v) most = std::max(most, graph.degree(v));
  std::vector<NodeId> start(std::size_t{most} + 2, 0);
  for (NodeId v = 0; v < n; ++v) ++start[most - graph.degree(v) + 1];
  for (std::size_t d = 1; d < start.size(); ++d) start[d] += start[d - 1];
  std::vector<NodeId> order(n);
  for (NodeId v = 0; v < n; ++v) order[start[most - graph.degree(v)]++] = v;
  return order;
}

void MarkHubs(OrientedGraph& graph, Executor& executor) {
  graph.hubs = std::min(kMaxHubs, graph.node_count());
  graph.hub_words = (std::size_t{graph.hubs} + 63) / 64;
  graph.hub_bits = AlignedArray<std::uint64_t>(graph.hubs * graph.hub_words);
  ParallelFor(executor, graph.hubs, 256, [&](std::size_t begin, std::size_t end) {
    std::fill(graph.hub_bits.begin() + begin * graph.hub_words,
              graph.hub_bits.begin() + end * graph.hub_words, 0);
    for (std::size_t v = begin; v < end; ++v)
      for (std::uint32_t a = graph.offsets[v]; a < graph.offsets[v + 1]; ++a)
        graph.hub_bits[v * graph.hub_words + graph.neighbors[a] / 64] |=
            std::uint64_t{1} << (graph.neighbors[a] % 64);
  });
}

std::uint64_t CountRow(const OrientedGraph& graph, NodeId u, std::uint64_t* marks,
                       CountCommonFn common) {
  const std::uint32_t first = graph.offsets[u], past = graph.offsets[u + 1];
  std::uint64_t count = 0;
  if (past - first >= 2) {
    for (std::uint32_t a = first; a < past; ++a)
      marks[graph.neighbors[a] / 64] |= std::uint64_t{1} << (graph.neighbors[a] % 64);
    for (std::uint32_t a = first; a < past; ++a) {
      const NodeId v = graph.neighbors[a];
      PrefetchRow(graph, a);
      const std::uint32_t begin = graph.offsets[v], end = graph.offsets[v + 1];
      if (ComparedByWords(graph, v)) {
        count += common(marks, graph.hub_row(v), v / 64 + 1);
        continue;
      }
      for (std::uint32_t b = begin; b < end; ++b) {
        const NodeId w = graph.neighbors[b];
        count += (marks[w / 64] >> (w % 64)) & 1;
      }
    }
    for (std::uint32_t a = first; a < past; ++a) marks[graph.neighbors[a] / 64] = 0;
  }
  return count;
}

}  // namespace

OrientedGraph Orient(const CsrView& simple, Executor& executor, Numbering numbering) {
  const NodeId n = simple.node_count();
  OrientedGraph graph;
  std::vector<NodeId> number;
  if (n > 0 && (numbering == Numbering::kByDegree ||
                (numbering == Numbering::kByShape && WorthOrienting(simple, executor)))) {
    graph.order = ByDegree(simple);
    number.resize(n);
    for (NodeId v = 0; v < n; ++v) number[graph.order[v]] = v;
  }
  graph.offsets = AlignedArray<std::uint32_t>(std::size_t{n} + 1);
  graph.offsets[0] = 0;
  graph.neighbors = AlignedArray<NodeId>(simple.arc_count() / 2);
  // Each block fills its own part of `staged`, which has room for all its arcs.
  const std::size_t blocks = (n + kOrientGrain - 1) / kOrientGrain;
  std::vector<std::uint32_t> room(blocks), starts(blocks);
  std::uint32_t total = 0;
  for (NodeId u = 0; u < n; ++u) {
    if (u % kOrientGrain == 0) room[u / kOrientGrain] = total;
    total += simple.degree(graph.node(u));
  }
  AlignedArray<NodeId> staged(simple.arc_count());
  ParallelFor(executor, n, kOrientGrain, [&](std::size_t begin, std::size_t end) {
    const std::uint32_t first = room[begin / kOrientGrain];
    std::uint32_t past = first;
    for (auto u = static_cast<NodeId>(begin); u < end; ++u) {
      const NodeId from = graph.node(u);
      for (std::uint32_t a = simple.offsets[from]; a < simple.offsets[from + 1]; ++a) {
        const NodeId v = number.empty() ? simple.neighbors[a] : number[simple.neighbors[a]];
        if (v < u)
          staged[past++] = v;
        else if (number.empty())
          break;
      }
      graph.offsets[u + 1] = past - first;
    }
  });
  total = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    starts[b] = total;
    total += graph.offsets[std::min<std::size_t>(n, (b + 1) * kOrientGrain)];
  }
  PLEXUS_CHECK(total == graph.neighbors.size(), "rows are symmetric, without loops");
  ParallelFor(executor, n, kOrientGrain, [&](std::size_t begin, std::size_t end) {
    const std::size_t b = begin / kOrientGrain;
    std::copy_n(staged.begin() + room[b], graph.offsets[end], graph.neighbors.begin() + starts[b]);
    for (std::size_t u = begin; u < end; ++u) graph.offsets[u + 1] += starts[b];
  });
  if (!number.empty()) MarkHubs(graph, executor);
  return graph;
}

OrientedCount CountOriented(const OrientedGraph& graph, const Budget& budget, Executor& executor) {
  const CountCommonFn common = FindCountCommon(SimdLevel::kBest);
  Extent extent(graph, budget);
  const NodeId rows = extent.rows();
  common_internal::ObjectPool<Words> scratch;
  ReserveMarks(scratch, graph.node_count(), rows, executor);
  OrientedCount count;
  count.triangles =
      ParallelSum(executor, rows, kCountGrain, [&](std::size_t begin, std::size_t end) {
        if (!extent.Goes()) return std::uint64_t{0};
        const auto marks = scratch.Acquire();
        std::uint64_t sum = 0;
        for (auto u = static_cast<NodeId>(begin); u < end; ++u)
          sum += CountRow(graph, u, marks->data(), common);
        return sum;
      });
  count.truncated = extent.truncated();
  return count;
}

bool WorthOrienting(const CsrView& simple, Executor& executor) {
  const double squares = ParallelSum(
      executor, simple.node_count(), kSquaresGrain, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t v = begin; v < end; ++v) {
          const double degree = simple.degree(static_cast<NodeId>(v));
          sum += degree * degree;
        }
        return sum;
      });
  const double n = simple.node_count(), arcs = static_cast<double>(simple.arc_count());
  if (squares * n <= kSkew * arcs * arcs) return false;
  return arcs >= kSparse * n || squares > kShort * (arcs + n);
}

OrientedCount CountSimple(const CsrView& simple, const Budget& budget, Executor& executor) {
  Extent extent(simple, budget);
  const NodeId n = simple.node_count(), rows = extent.rows();
  const NodeId* const neighbors = simple.neighbors.data();
  const std::size_t arcs = simple.arc_count();
  common_internal::ObjectPool<Words> scratch;
  ReserveMarks(scratch, n, rows, executor);
  OrientedCount count;
  count.triangles =
      ParallelSum(executor, rows, kCountGrain, [&](std::size_t begin, std::size_t end) {
        if (!extent.Goes()) return std::uint64_t{0};
        const auto taken = scratch.Acquire();
        std::uint64_t* const marks = taken->data();
        std::uint64_t sum = 0;
        for (auto u = static_cast<NodeId>(begin); u < end; ++u) {
          const std::uint32_t first = simple.offsets[u], past = simple.offsets[u + 1];
          std::uint32_t a = first;
          for (; a < past && neighbors[a] < u; ++a)
            marks[neighbors[a] / 64] |= std::uint64_t{1} << (neighbors[a] % 64);
          const std::uint32_t middle = a;
          // The smallest neighbour has no partner below it in this row.
          for (a = first + 1; a < middle; ++a) {
            const NodeId v = neighbors[a];
            if (a + kFar < arcs) Prefetch(&simple.offsets[neighbors[a + kFar]]);
            if (a + kNear < arcs) Prefetch(&neighbors[simple.offsets[neighbors[a + kNear]]]);
            for (std::uint32_t b = simple.offsets[v]; b < simple.offsets[v + 1]; ++b) {
              const NodeId w = neighbors[b];
              if (w >= v) break;
              sum += (marks[w / 64] >> (w % 64)) & 1;
            }
          }
          for (a = first; a < middle; ++a) marks[neighbors[a] / 64] = 0;
        }
        return sum;
      });
  count.truncated = extent.truncated();
  return count;
}

}  // namespace plexus::community::internal
