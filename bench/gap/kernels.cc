// Kernels by way of algorithms/, and their serial checks.
#include "bench/gap/kernels.h"
#include "algorithms/traversal/internal/bfs_csr.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "algorithms/pagerank/internal/pagerank_csr.h"

namespace plexus::bench {

GapPageRankInput PreparePageRank(const Topology& graph, int iterations) {
  Executor& executor = DefaultExecutor();
  GapPageRankInput made;
  made.reciprocal = pagerank::StrengthReciprocals<float>(
                        pagerank::OutStrengths(graph.out(), executor).value(), executor)
                        .value();
  made.layout = pagerank::MakePageRankLayout(graph.in(), graph.out(), executor, iterations).value();
  return made;
}

std::vector<float> GapPageRank(const Topology& graph, const GapPageRankInput& prepared,
                               int iterations, double tolerance) {
  pagerank::PageRankCsrInput<float> input;
  input.in = graph.in();
  input.reciprocal = prepared.reciprocal;
  input.layout = prepared.layout.get();
  pagerank::PageRankCsrOptions options;
  options.iterations = iterations;
  // The kernel stops on d / (1 - d) * step, the suite on the step itself.
  options.tolerance = tolerance * options.damping / (1 - options.damping);
  options.keep_dangling = false;
  return pagerank::PageRankCsr<float>(input, options).value().scores;
}

std::string CheckPageRank(const Topology& graph, std::span<const float> scores, int iterations,
                          double tolerance) {
  const CsrView out = graph.out();
  const NodeId n = graph.node_count;
  std::vector<double> now(n, 1.0 / n), next(n);
  for (int i = 0; i < iterations; ++i) {
    std::fill(next.begin(), next.end(), 0.15 / n);
    for (NodeId u = 0; u < n; ++u)
      for (std::uint32_t a = out.offsets[u]; a < out.offsets[u + 1]; ++a)
        next[out.neighbors[a]] += 0.85 * now[u] / out.degree(u);
    double step = 0;
    for (NodeId v = 0; v < n; ++v) step += std::abs(next[v] - now[v]);
    now.swap(next);
    if (step < tolerance) break;
  }
  if (scores.size() != n) return "one score a node expected";
  double distance = 0;
  for (NodeId v = 0; v < n; ++v) distance += std::abs(now[v] - scores[v]);
  // An early stop may differ by one iteration when the step is close to the tolerance.
  const double allowed = 1e-4 + tolerance;
  return distance <= allowed ? ""
                             : "L1 distance to the serial reference is " + std::to_string(distance);
}

std::string CheckBfs(const Topology& graph, NodeId source, const traversal::BfsCsrResult& result) {
  const CsrView out = graph.out();
  std::vector<std::uint32_t> depth(graph.node_count, traversal::kUnreached);
  std::vector<NodeId> queue = {source};
  depth[source] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (std::uint32_t a = out.offsets[queue[i]]; a < out.offsets[queue[i] + 1]; ++a)
      if (NodeId v = out.neighbors[a]; depth[v] == traversal::kUnreached) {
        depth[v] = depth[queue[i]] + 1;
        queue.push_back(v);
      }
  for (NodeId v = 0; v < graph.node_count; ++v) {
    const NodeId parent = result.parents[v];
    if ((parent == kNoNode) != (depth[v] == traversal::kUnreached))
      return "node " + std::to_string(v) + " is reached by one search only";
    if (parent == kNoNode) continue;
    if (v == source) {
      if (parent != v) return "the source is not its own parent";
      continue;
    }
    const auto row = out.neighbors.subspan(out.offsets[parent], out.degree(parent));
    if (depth[parent] + 1 != depth[v] || !std::binary_search(row.begin(), row.end(), v))
      return "node " + std::to_string(v) + " has a parent that is not one level up";
  }
  return "";
}

std::string CheckComponents(const Topology& graph, std::span<const NodeId> labels) {
  const CsrView out = graph.out();
  std::vector<NodeId> root(graph.node_count);
  std::iota(root.begin(), root.end(), NodeId{0});
  auto find = [&](NodeId v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  for (NodeId u = 0; u < graph.node_count; ++u)
    for (std::uint32_t a = out.offsets[u]; a < out.offsets[u + 1]; ++a) {
      const NodeId x = find(u), y = find(out.neighbors[a]);
      if (x != y) root[std::max(x, y)] = std::min(x, y);  // the smallest id stays the root
    }
  if (labels.size() != graph.node_count) return "one label a node expected";
  for (NodeId v = 0; v < graph.node_count; ++v)
    if (labels[v] != find(v)) return "node " + std::to_string(v) + " has the wrong component";
  return "";
}

std::string CheckTriangles(const Topology& graph, std::uint64_t count) {
  const CsrView out = graph.out();
  auto row = [&](NodeId v) { return out.neighbors.subspan(out.offsets[v], out.degree(v)); };
  std::vector<NodeId> common;
  std::uint64_t total = 0;
  for (NodeId u = 0; u < graph.node_count; ++u)
    for (NodeId v : row(u)) {
      if (v >= u) break;
      common.clear();
      std::ranges::set_intersection(row(u), row(v), std::back_inserter(common));
      total += common.size();
    }
  return total == 3 * count ? ""
                            : std::to_string(count) + " triangles, the serial check finds " +
                                  std::to_string(total / 3);
}

std::string CheckDistances(const CsrView& out, NodeId source, std::span<const float> distances) {
  std::vector<float> want(out.node_count(), std::numeric_limits<float>::infinity());
  using Entry = std::pair<float, NodeId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  want[source] = 0;
  heap.emplace(0.0f, source);
  while (!heap.empty()) {
    const auto [cost, u] = heap.top();
    heap.pop();
    if (cost != want[u]) continue;
    for (std::uint32_t a = out.offsets[u]; a < out.offsets[u + 1]; ++a)
      if (const float next = cost + out.weight(a); next < want[out.neighbors[a]]) {
        want[out.neighbors[a]] = next;
        heap.emplace(next, out.neighbors[a]);
      }
  }
  for (NodeId v = 0; v < out.node_count(); ++v)
    if (distances[v] != want[v]) return "node " + std::to_string(v) + " has the wrong distance";
  return "";
}

std::string CheckBetweenness(const Topology& graph, std::span<const NodeId> sources,
                             std::span<const double> scores) {
  const CsrView out = graph.out();
  std::vector<double> want(graph.node_count, 0);
  for (NodeId source : sources) {
    std::vector<std::uint32_t> depth(graph.node_count, traversal::kUnreached);
    // A grid has more shortest paths than f64 counts.
    std::vector<long double> paths(graph.node_count, 0), dependency(graph.node_count, 0);
    std::vector<NodeId> queue = {source};
    depth[source] = 0;
    paths[source] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (std::uint32_t a = out.offsets[queue[i]]; a < out.offsets[queue[i] + 1]; ++a) {
        const NodeId v = out.neighbors[a];
        if (depth[v] == traversal::kUnreached) {
          depth[v] = depth[queue[i]] + 1;
          queue.push_back(v);
        }
        if (depth[v] == depth[queue[i]] + 1) paths[v] += paths[queue[i]];
      }
    for (std::size_t i = queue.size(); i-- > 1;) {
      const NodeId u = queue[i];
      for (std::uint32_t a = out.offsets[u]; a < out.offsets[u + 1]; ++a)
        if (const NodeId v = out.neighbors[a]; depth[v] == depth[u] + 1)
          dependency[u] += paths[u] / paths[v] * (1 + dependency[v]);
      want[u] += static_cast<double>(dependency[u]);
    }
  }
  double most = 0;
  for (double x : want) most = std::max(most, x);
  if (scores.size() != graph.node_count) return "one score a node expected";
  for (NodeId v = 0; v < graph.node_count; ++v)
    if (!(std::abs(scores[v] - want[v]) <= 1e-9 * most))
      return "node " + std::to_string(v) + " has the wrong score";
  return "";
}

std::string CheckBuild(std::span<const NodePair> pairs, bool symmetrize, const Topology& graph) {
  auto side = [&](bool reversed) {
    std::vector<std::uint64_t> arcs;
    for (const NodePair& pair : pairs) {
      if (pair.source == pair.target) continue;
      const std::uint64_t there = std::uint64_t{pair.source} << 32 | pair.target;
      const std::uint64_t back = std::uint64_t{pair.target} << 32 | pair.source;
      arcs.push_back(reversed ? back : there);
      if (symmetrize) arcs.push_back(back);
    }
    std::sort(arcs.begin(), arcs.end());
    arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
    return arcs;
  };
  auto same = [&](const CsrView& view, const std::vector<std::uint64_t>& arcs) {
    if (view.arc_count() != arcs.size()) return false;
    std::size_t i = 0;
    for (NodeId v = 0; v < view.node_count(); ++v)
      for (std::uint32_t a = view.offsets[v]; a < view.offsets[v + 1]; ++a, ++i)
        if (arcs[i] != (std::uint64_t{v} << 32 | view.neighbors[a])) return false;
    return i == arcs.size();
  };
  if (!same(graph.out(), side(false))) return "out rows differ from sorting the pairs";
  if (!symmetrize && !same(graph.in(), side(true))) return "in rows differ from sorting the pairs";
  return "";
}

}  // namespace plexus::bench
