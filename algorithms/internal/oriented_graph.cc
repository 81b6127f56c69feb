// A row is marked in a bitmap over all nodes; the rows it points to are then looked up
// there, or, when they are a hub's, compared with it a word at a time. Marks are taken
// back one by one, so a row costs what it holds.
#include "algorithms/internal/oriented_graph.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "algorithms/internal/bit_kernels.h"
#include "algorithms/internal/pool.h"
#include "engine/error.h"

namespace plexus::internal {

namespace {

constexpr std::size_t kOrientGrain = 1024, kCountGrain = 512;
constexpr double kSkew = 2;     // mean square degree over squared mean that is worth sorting for
constexpr double kSparse = 10;         // arcs a node below which numbering by degree does not pay, as long as
constexpr double kShort = 128;         // the sum of squared degrees, a bound of the work, is within so many times the arcs
constexpr std::size_t kSquaresGrain = 1 << 14;
constexpr NodeId kMostHubs = 8192;     // 8 MiB of bits
constexpr std::uint32_t kFar = 24, kNear = 12;  // arcs ahead whose row's place and row are fetched

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
  graph.hubs = std::min(kMostHubs, graph.node_count());
  graph.hub_words = (std::size_t{graph.hubs} + 63) / 64;
  graph.hub_bits = AlignedArray<std::uint64_t>(graph.hubs * graph.hub_words);
  ParallelFor(executor, graph.hubs, 256, [&](std::size_t begin, std::size_t end) {
    std::fill(graph.hub_bits.begin() + begin * graph.hub_words, graph.hub_bits.begin() + end * graph.hub_words, 0);
    for (std::size_t v = begin; v < end; ++v)
      for (std::uint32_t a = graph.offsets[v]; a < graph.offsets[v + 1]; ++a)
        graph.hub_bits[v * graph.hub_words + graph.neighbors[a] / 64] |= std::uint64_t{1} << (graph.neighbors[a] % 64);
  });
}

void Prefetch(const OrientedGraph& graph, std::uint32_t arc) {
  const std::size_t arcs = graph.neighbors.size();
  if (arc + kFar < arcs) __builtin_prefetch(&graph.offsets[graph.neighbors[arc + kFar]]);
  if (arc + kNear >= arcs) return;
  const NodeId v = graph.neighbors[arc + kNear];
  const std::uint32_t begin = graph.offsets[v], end = graph.offsets[v + 1];
  if (v < graph.hubs || begin == end) return;
  __builtin_prefetch(&graph.neighbors[begin]);
  __builtin_prefetch(&graph.neighbors[end - 1]);
}

std::uint64_t CountRow(const OrientedGraph& graph, NodeId u, std::uint64_t* marks, CountCommonFn common) {
  const std::uint32_t first = graph.offsets[u], past = graph.offsets[u + 1];
  std::uint64_t count = 0;
  if (past - first >= 2) {
    for (std::uint32_t a = first; a < past; ++a)
      marks[graph.neighbors[a] / 64] |= std::uint64_t{1} << (graph.neighbors[a] % 64);
    for (std::uint32_t a = first; a < past; ++a) {
      const NodeId v = graph.neighbors[a];
      Prefetch(graph, a);
      const std::uint32_t begin = graph.offsets[v], end = graph.offsets[v + 1];
      if (v < graph.hubs && (end - begin) > v / 128) {
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

// How far a count gets: rows whose edges the budget pays, blocks until it is interrupted.
class Extent {
 public:
  Extent(const OrientedGraph& graph, const Budget& budget) : budget_(budget), rows_(graph.node_count()) {
    if (budget.edges >= graph.neighbors.size()) return;
    const auto past = std::upper_bound(graph.offsets.begin(), graph.offsets.end(), budget.edges);
    rows_ = static_cast<NodeId>(past - graph.offsets.begin() - 1);
    cut_ = true;
  }
  Extent(const CsrView& simple, const Budget& budget) : budget_(budget), rows_(simple.node_count()) {
    if (budget.edges >= simple.arc_count() / 2) return;
    std::uint64_t edges = 0;
    for (rows_ = 0; (edges += Below(simple, rows_)) <= budget.edges;) ++rows_;
    cut_ = true;
  }
  // Members of row v that are smaller than v.
  static std::uint64_t Below(const CsrView& simple, NodeId v) {
    const auto begin = simple.neighbors.begin() + simple.offsets[v], end = simple.neighbors.begin() + simple.offsets[v + 1];
    return static_cast<std::uint64_t>(std::lower_bound(begin, end, v) - begin);
  }
  NodeId rows() const { return rows_; }
  bool Goes() {
    if (budget_.Interrupted()) stop_.store(true, std::memory_order_relaxed);
    return !stop_.load(std::memory_order_relaxed);
  }
  bool truncated() const { return cut_ || stop_.load(); }

 private:
  const Budget& budget_;
  NodeId rows_;
  bool cut_ = false;
  std::atomic<bool> stop_ = false;
};

// Marks of as many blocks as run at once, all made before the loop.
template <class Mark>
class Marks {
 public:
  Marks(std::size_t count, std::size_t blocks, const Executor& executor) {
    pool_.Reserve(executor, blocks);
    for (auto& marks : pool_.idle()) marks->assign(count, 0);
  }
  auto Take() { return pool_.Take(); }
  void Give(std::unique_ptr<std::vector<Mark>> marks) { pool_.Give(std::move(marks)); }

 private:
  Pool<std::vector<Mark>> pool_;
};

void Add(std::vector<std::uint64_t>& sums, NodeId v, std::uint64_t more) {
  if (more > 0) std::atomic_ref(sums[v]).fetch_add(more, std::memory_order_relaxed);
}

}  // namespace

OrientedGraph Orient(const CsrView& simple, Executor& executor, Numbering numbering) {
  const NodeId n = simple.node_count();
  OrientedGraph graph;
  std::vector<NodeId> number;
  if (n > 0 && (numbering == Numbering::kByDegree || (numbering == Numbering::kByShape && WorthOrienting(simple, executor)))) {
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
  Marks<std::uint64_t> scratch((std::size_t{graph.node_count()} + 63) / 64, rows / kCountGrain + 1, executor);
  OrientedCount count;
  count.triangles = ParallelReduce(
      executor, rows, kCountGrain, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end) {
        if (!extent.Goes()) return std::uint64_t{0};
        auto marks = scratch.Take();
        std::uint64_t sum = 0;
        for (auto u = static_cast<NodeId>(begin); u < end; ++u) sum += CountRow(graph, u, marks->data(), common);
        scratch.Give(std::move(marks));
        return sum;
      },
      [](std::uint64_t a, std::uint64_t b) { return a + b; });
  count.truncated = extent.truncated();
  return count;
}

bool WorthOrienting(const CsrView& simple, Executor& executor) {
  const double squares = ParallelReduce(
      executor, simple.node_count(), kSquaresGrain, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t v = begin; v < end; ++v) {
          const double degree = simple.degree(static_cast<NodeId>(v));
          sum += degree * degree;
        }
        return sum;
      },
      [](double a, double b) { return a + b; });
  const double n = simple.node_count(), arcs = static_cast<double>(simple.arc_count());
  if (squares * n <= kSkew * arcs * arcs) return false;
  return arcs >= kSparse * n || squares > kShort * (arcs + n);
}

OrientedCount CountSimple(const CsrView& simple, const Budget& budget, Executor& executor) {
  Extent extent(simple, budget);
  const NodeId n = simple.node_count(), rows = extent.rows();
  const NodeId* const neighbors = simple.neighbors.data();
  const std::size_t arcs = simple.arc_count();
  Marks<std::uint64_t> scratch((std::size_t{n} + 63) / 64, rows / kCountGrain + 1, executor);
  OrientedCount count;
  count.triangles = ParallelReduce(
      executor, rows, kCountGrain, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end) {
        if (!extent.Goes()) return std::uint64_t{0};
        auto taken = scratch.Take();
        std::uint64_t* const marks = taken->data();
        std::uint64_t sum = 0;
        for (auto u = static_cast<NodeId>(begin); u < end; ++u) {
          const std::uint32_t first = simple.offsets[u], past = simple.offsets[u + 1];
          std::uint32_t a = first;
          for (; a < past && neighbors[a] < u; ++a) marks[neighbors[a] / 64] |= std::uint64_t{1} << (neighbors[a] % 64);
          const std::uint32_t middle = a;
          // The smallest neighbour has no partner below it in this row.
          for (a = first + 1; a < middle; ++a) {
            const NodeId v = neighbors[a];
            if (a + kFar < arcs) __builtin_prefetch(&simple.offsets[neighbors[a + kFar]]);
            if (a + kNear < arcs) __builtin_prefetch(&neighbors[simple.offsets[neighbors[a + kNear]]]);
            for (std::uint32_t b = simple.offsets[v]; b < simple.offsets[v + 1]; ++b) {
              const NodeId w = neighbors[b];
              if (w >= v) break;
              sum += (marks[w / 64] >> (w % 64)) & 1;
            }
          }
          for (a = first; a < middle; ++a) marks[neighbors[a] / 64] = 0;
        }
        scratch.Give(std::move(taken));
        return sum;
      },
      [](std::uint64_t a, std::uint64_t b) { return a + b; });
  count.truncated = extent.truncated();
  return count;
}

NodeTriangles CountPerNode(const OrientedGraph& graph, const std::vector<std::uint8_t>& directions,
                           const Budget& budget, Executor& executor) {
  const NodeId n = graph.node_count();
  NodeTriangles sums{std::vector<std::uint64_t>(n, 0), std::vector<std::uint64_t>(n, 0)};
  auto times = [&](std::uint32_t arc) -> std::uint8_t { return directions.empty() ? 1 : directions[arc]; };
  Extent extent(graph, budget);
  const NodeId rows = extent.rows();
  Marks<std::uint8_t> scratch(n, rows / kCountGrain + 1, executor);
  ParallelFor(executor, rows, kCountGrain, [&](std::size_t begin, std::size_t end) {
    if (!extent.Goes()) return;
    auto marks = scratch.Take();
    for (auto u = static_cast<NodeId>(begin); u < end; ++u) {
      const std::uint32_t first = graph.offsets[u], past = graph.offsets[u + 1];
      if (past - first < 2) continue;
      for (std::uint32_t a = first; a < past; ++a) (*marks)[graph.neighbors[a]] = times(a);
      std::uint64_t at_u = 0, arcs_u = 0;
      for (std::uint32_t a = first; a < past; ++a) {
        const NodeId v = graph.neighbors[a];
        std::uint64_t at_v = 0, arcs_v = 0;
        for (std::uint32_t b = graph.offsets[v]; b < graph.offsets[v + 1]; ++b) {
          const std::uint8_t mark = (*marks)[graph.neighbors[b]];
          if (mark == 0) continue;
          ++at_v;
          arcs_v += mark;
          arcs_u += times(b);
          Add(sums.triangles, graph.node(graph.neighbors[b]), 1);
          Add(sums.arcs, graph.node(graph.neighbors[b]), times(a));
        }
        at_u += at_v;
        Add(sums.triangles, graph.node(v), at_v);
        Add(sums.arcs, graph.node(v), arcs_v);
      }
      Add(sums.triangles, graph.node(u), at_u);
      Add(sums.arcs, graph.node(u), arcs_u);
      for (std::uint32_t a = first; a < past; ++a) (*marks)[graph.neighbors[a]] = 0;
    }
    scratch.Give(std::move(marks));
  });
  sums.truncated = extent.truncated();
  return sums;
}

}  // namespace plexus::internal
