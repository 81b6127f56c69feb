// Triangles, clustering, cores, betweenness and distances, straight from the definitions.
#include <algorithm>
#include <limits>
#include <set>

#include "tests/reference/oracles.h"

namespace plexus::reference {

namespace {

std::uint64_t Common(const std::set<NodeId>& a, const std::set<NodeId>& b) {
  if (a.size() > b.size()) return Common(b, a);
  return static_cast<std::uint64_t>(
      std::ranges::count_if(a, [&](NodeId v) { return b.contains(v); }));
}

}  // namespace

std::vector<NodeClustering> Clusterings(const FlatGraph& graph) {
  const auto near = Near(graph, Direction::kBoth), out = Near(graph, Direction::kOut);
  std::vector<NodeClustering> result(graph.node_count());
  for (NodeId v = 0; v < graph.node_count(); ++v) {
    NodeClustering& c = result[v];
    c.degree = near[v].size();
    std::uint64_t arcs = 0;
    for (NodeId u : near[v]) {
      c.triangles += Common(near[u], near[v]);
      arcs += Common(out[u], near[v]);
    }
    c.triangles /= 2;  // seen from u and from w
    if (c.degree < 2) continue;
    const double ordered = static_cast<double>(c.degree) * static_cast<double>(c.degree - 1);
    c.undirected = 2.0 * static_cast<double>(c.triangles) / ordered;
    c.directed = static_cast<double>(arcs) / ordered;
  }
  return result;
}

std::vector<std::uint32_t> Cores(const FlatGraph& graph) {
  auto near = Near(graph, Direction::kBoth);
  std::vector<bool> there = graph.selected;
  std::vector<std::uint32_t> cores(graph.node_count(), 0);
  for (std::uint32_t k = 0;; ++k) {
    for (bool changed = true; changed;) {
      changed = false;
      for (NodeId v = 0; v < graph.node_count(); ++v) {
        if (!there[v] || near[v].size() >= k) continue;
        there[v] = false;
        for (NodeId w : near[v]) near[w].erase(v);
        near[v].clear();
        changed = true;
      }
    }
    if (std::ranges::none_of(there, [](bool x) { return x; })) return cores;
    for (NodeId v = 0; v < graph.node_count(); ++v)
      if (there[v]) cores[v] = k;
  }
}

std::vector<double> Betweenness(const FlatGraph& graph, bool undirected, std::uint32_t max_hops) {
  const NodeId n = graph.node_count();
  const auto next = Near(graph, undirected ? Direction::kBoth : Direction::kOut);
  constexpr std::uint32_t kFar = 0xFFFFFFFFu;
  std::vector<std::vector<std::uint32_t>> depth(n, std::vector<std::uint32_t>(n, kFar));
  std::vector<std::vector<double>> paths(n, std::vector<double>(n, 0));
  for (NodeId s = 0; s < n; ++s) {
    std::vector<NodeId> queue{s};
    depth[s][s] = 0;
    paths[s][s] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (NodeId w : next[queue[i]]) {
        if (depth[s][w] == kFar) {
          depth[s][w] = depth[s][queue[i]] + 1;
          queue.push_back(w);
        }
        if (depth[s][w] == depth[s][queue[i]] + 1) paths[s][w] += paths[s][queue[i]];
      }
  }
  std::vector<double> scores(n, 0);
  for (NodeId s = 0; s < n; ++s)
    for (NodeId t = 0; t < n; ++t) {
      if (s == t || depth[s][t] == kFar || depth[s][t] > max_hops) continue;
      for (NodeId v = 0; v < n; ++v)
        if (v != s && v != t && depth[s][v] != kFar && depth[v][t] != kFar &&
            depth[s][v] + depth[v][t] == depth[s][t])
          scores[v] += paths[s][v] * paths[v][t] / paths[s][t] * (undirected ? 0.5 : 1.0);
    }
  return scores;
}

std::vector<double> CheapestCosts(const std::vector<FlatArc>& arcs,
                                  const std::vector<double>& costs, NodeId node_count,
                                  NodeId from) {
  std::vector<double> best(node_count, std::numeric_limits<double>::infinity());
  best[from] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      if (costs[i] < 0 || !(best[arcs[i].from] + costs[i] < best[arcs[i].to])) continue;
      best[arcs[i].to] = best[arcs[i].from] + costs[i];
      changed = true;
    }
  }
  return best;
}

}  // namespace plexus::reference
