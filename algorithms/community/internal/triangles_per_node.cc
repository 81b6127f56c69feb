// A triangle u > v > w counts at all three corners. At u they add up in a register; v and w need
// one or two adds to memory a triangle if done one by one.
//
// Among hubs it is done by words: hubs' rows are kept as bits in both directions, so that a
// member x of u's row has as many triangles with u as x's bits and the row's have in
// common, in whatever role, without any update of v and w. An edge between hubs is a bit where the
// row of its larger end is full enough; all other edges v -> w are looked up, and the w
// that u points to as well are collected without a branch and updated afterwards. Every block has
// counters of its own: no atomics.
#include <algorithm>
#include <functional>
#include <memory>

#include "algorithms/common/internal/object_pool.h"
#include "algorithms/community/internal/bitset_intersection.h"
#include "algorithms/community/internal/oriented_count.h"
#include "algorithms/community/internal/oriented_graph.h"

namespace plexus::community::internal {

namespace {

constexpr std::size_t kSumGrain = 1 << 14;

// Edges between hubs that are compared by words, at both their ends.
struct HubEdges {
  NodeId hubs = 0;
  std::size_t words = 0;
  AlignedArray<std::uint64_t> bits;
  const std::uint64_t* row(NodeId v) const { return bits.data() + v * words; }
};

HubEdges BothWays(const OrientedGraph& graph, Executor& executor) {
  HubEdges edges{graph.hubs, graph.hub_words,
                 AlignedArray<std::uint64_t>(graph.hubs * graph.hub_words)};
  // A block has 512 columns for its own, a line of every row.
  ParallelFor(executor, edges.words, 8, [&](std::size_t begin, std::size_t end) {
    for (NodeId v = 0; v < edges.hubs; ++v) {
      std::uint64_t* const to = edges.bits.data() + v * edges.words;
      if (ComparedByWords(graph, v))
        std::copy(graph.hub_row(v) + begin, graph.hub_row(v) + end, to + begin);
      else
        std::fill(to + begin, to + end, 0);
    }
    const auto past = static_cast<NodeId>(std::min<std::size_t>(edges.hubs, end * 64));
    for (auto v = static_cast<NodeId>(begin * 64); v < past; ++v) {
      if (!ComparedByWords(graph, v)) continue;
      for (std::uint32_t a = graph.offsets[v]; a < graph.offsets[v + 1]; ++a)
        edges.bits[graph.neighbors[a] * edges.words + v / 64] |= std::uint64_t{1} << (v % 64);
    }
  });
  return edges;
}

// What a block needs, made before the loop.
struct Corners {
  std::vector<std::uint64_t> marks;      // of a row, as bits
  std::vector<std::uint64_t> triangles;  // by number
  std::vector<NodeId> found;             // room for a row's
};

void CountRow(const OrientedGraph& graph, const HubEdges& edges, NodeId u, Corners& mine,
              CountCommonFn common) {
  const std::uint32_t first = graph.offsets[u], past = graph.offsets[u + 1];
  if (past - first < 2) return;
  std::uint64_t* const marks = mine.marks.data();
  std::uint64_t* const triangles = mine.triangles.data();
  NodeId* const found = mine.found.data();
  NodeId last = 0;  // hub
  for (std::uint32_t a = first; a < past; ++a) {
    const NodeId v = graph.neighbors[a];
    marks[v / 64] |= std::uint64_t{1} << (v % 64);
    if (v < edges.hubs) last = std::max(last, v);
  }
  std::uint64_t by_words = 0, looked_up = 0;
  for (std::uint32_t a = first; a < past; ++a) {
    const NodeId v = graph.neighbors[a];
    PrefetchRow(graph, a);
    if (v < edges.hubs) {
      const std::uint64_t count = common(marks, edges.row(v), last / 64 + 1);
      by_words += count;
      triangles[v] += count;
      if (ComparedByWords(graph, v)) continue;
    }
    std::size_t count = 0;
    for (std::uint32_t b = graph.offsets[v]; b < graph.offsets[v + 1]; ++b) {
      const NodeId w = graph.neighbors[b];
      found[count] = w;
      count += (marks[w / 64] >> (w % 64)) & 1;
    }
    for (std::size_t i = 0; i < count; ++i) ++triangles[found[i]];
    triangles[v] += count;
    looked_up += count;
  }
  triangles[u] += by_words / 2 + looked_up;
  for (std::uint32_t a = first; a < past; ++a) marks[graph.neighbors[a] / 64] = 0;
}

// The same where an arc represents one or two: looked up one by one.
struct DirectedCorners {
  std::vector<std::uint8_t> marks;  // by number: what the arc of the row represents
  std::vector<std::uint64_t> triangles, arcs;
};

void CountRow(const OrientedGraph& graph, const std::vector<std::uint8_t>& directions, NodeId u,
              DirectedCorners& mine) {
  const std::uint32_t first = graph.offsets[u], past = graph.offsets[u + 1];
  if (past - first < 2) return;
  for (std::uint32_t a = first; a < past; ++a) mine.marks[graph.neighbors[a]] = directions[a];
  std::uint64_t at_u = 0, arcs_u = 0;
  for (std::uint32_t a = first; a < past; ++a) {
    const NodeId v = graph.neighbors[a];
    PrefetchRow(graph, a);
    std::uint64_t at_v = 0, arcs_v = 0;
    for (std::uint32_t b = graph.offsets[v]; b < graph.offsets[v + 1]; ++b) {
      const NodeId w = graph.neighbors[b];
      const std::uint8_t mark = mine.marks[w];
      if (mark == 0) continue;
      ++at_v;
      arcs_v += mark;
      arcs_u += directions[b];
      ++mine.triangles[w];
      mine.arcs[w] += directions[a];
    }
    at_u += at_v;
    mine.triangles[v] += at_v;
    mine.arcs[v] += arcs_v;
  }
  mine.triangles[u] += at_u;
  mine.arcs[u] += arcs_u;
  for (std::uint32_t a = first; a < past; ++a) mine.marks[graph.neighbors[a]] = 0;
}

// Counters of all blocks, by node.
template <class Mine>
void AddUp(const OrientedGraph& graph, const std::vector<std::unique_ptr<Mine>>& all,
           std::vector<std::uint64_t> Mine::* from, std::vector<std::uint64_t>& sums,
           Executor& executor) {
  sums.assign(graph.node_count(), 0);
  ParallelForEach(executor, graph.node_count(), kSumGrain, [&](NodeId v) {
    std::uint64_t sum = 0;
    for (const auto& mine : all) sum += ((*mine).*from)[v];
    sums[graph.node(v)] = sum;
  });
}

// row(u, mine) for the rows that the extent goes over.
template <class Mine, class Row>
void ForEachRow(Extent& extent, common_internal::ObjectPool<Mine>& pool, Executor& executor,
                Row&& row) {
  ParallelFor(executor, extent.rows(), kCountGrain, [&](std::size_t begin, std::size_t end) {
    if (!extent.Goes()) return;
    const auto mine = pool.Acquire();
    for (auto u = static_cast<NodeId>(begin); u < end; ++u) row(u, *mine);
  });
}

}  // namespace

NodeTriangles CountPerNode(const OrientedGraph& graph, const std::vector<std::uint8_t>& directions,
                           const Budget& budget, Executor& executor) {
  NodeTriangles sums;
  const NodeId n = graph.node_count();
  Extent extent(graph, budget);
  const std::size_t blocks = extent.rows() / kCountGrain + 1;
  const bool alike = std::adjacent_find(directions.begin(), directions.end(),
                                        std::not_equal_to()) == directions.end();
  if (alike) {
    const CountCommonFn common = FindCountCommon(SimdLevel::kBest);
    const HubEdges edges = BothWays(graph, executor);
    std::uint32_t longest = 0;
    for (NodeId v = 0; v < n; ++v)
      longest = std::max(longest, graph.offsets[v + 1] - graph.offsets[v]);
    common_internal::ObjectPool<Corners> pool;
    pool.Reserve(executor, blocks);
    for (auto& mine : pool.idle()) {
      mine->marks.assign((std::size_t{n} + 63) / 64, 0);
      mine->triangles.assign(n, 0);
      mine->found.resize(longest);
    }
    ForEachRow(extent, pool, executor,
               [&](NodeId u, Corners& mine) { CountRow(graph, edges, u, mine, common); });
    AddUp(graph, pool.idle(), &Corners::triangles, sums.triangles, executor);
    sums.arcs = sums.triangles;
    if (!directions.empty())
      for (std::uint64_t& arcs : sums.arcs) arcs *= directions[0];
  } else {
    common_internal::ObjectPool<DirectedCorners> pool;
    pool.Reserve(executor, blocks);
    for (auto& mine : pool.idle()) {
      mine->marks.assign(n, 0);
      mine->triangles.assign(n, 0);
      mine->arcs.assign(n, 0);
    }
    ForEachRow(extent, pool, executor,
               [&](NodeId u, DirectedCorners& mine) { CountRow(graph, directions, u, mine); });
    AddUp(graph, pool.idle(), &DirectedCorners::triangles, sums.triangles, executor);
    AddUp(graph, pool.idle(), &DirectedCorners::arcs, sums.arcs, executor);
  }
  sums.truncated = extent.truncated();
  return sums;
}

}  // namespace plexus::community::internal
