// Similarity, closeness, Katz and HITS by definition.
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/reference/oracles.h"

namespace plexus::reference {

std::vector<std::vector<SharedLikeness>> Similarities(const FlatGraph& graph, Direction direction) {
  const NodeId n = graph.node_count();
  const auto near = Near(graph, direction);
  std::vector<double> degree(n, 0);  // how many have it
  for (const auto& set : near)
    for (NodeId w : set) ++degree[w];
  std::vector<std::vector<SharedLikeness>> all(n, std::vector<SharedLikeness>(n));
  for (NodeId a = 0; a < n; ++a)
    for (NodeId b = 0; b < n; ++b) {
      SharedLikeness& x = all[a][b];
      x.neighbors_a = near[a].size();
      x.neighbors_b = near[b].size();
      if (a == b) continue;
      std::set<NodeId> either = near[a];
      either.insert(near[b].begin(), near[b].end());
      for (NodeId w : near[a]) {
        if (!near[b].contains(w)) continue;
        ++x.shared;
        x.adamic_adar += 1 / std::log(degree[w]);
        x.resource_allocation += 1 / degree[w];
      }
      const double shared = static_cast<double>(x.shared);
      if (!either.empty()) x.jaccard = shared / static_cast<double>(either.size());
      if (x.shared > 0)
        x.overlap = shared / static_cast<double>(std::min(x.neighbors_a, x.neighbors_b));
    }
  return all;
}

std::vector<Closeness> Closenesses(const FlatGraph& graph, Direction direction,
                                   std::uint32_t max_hops) {
  std::vector<Closeness> all(graph.node_count());
  for (NodeId v = 0; v < graph.node_count(); ++v) {
    if (!graph.selected[v]) continue;
    const std::vector<std::uint32_t> depths = Depths(graph, {v}, direction);
    for (NodeId u = 0; u < graph.node_count(); ++u) {
      if (u == v || depths[u] == 0xFFFFFFFFu || depths[u] > max_hops) continue;
      ++all[v].reached;
      all[v].distances += depths[u];
      all[v].harmonic += 1.0 / depths[u];
    }
  }
  return all;
}

std::vector<double> Katz(const FlatGraph& graph, double alpha, bool weighted, Direction direction,
                         int steps) {
  const NodeId n = graph.node_count();
  const std::vector<FlatArc> arcs = Walkable(graph, direction);
  std::vector<double> x(n, 0);
  for (int i = 0; i < steps; ++i) {
    std::vector<double> next(n, 0);
    for (NodeId v = 0; v < n; ++v) next[v] = graph.selected[v] ? 1 : 0;
    for (const FlatArc& a : arcs)
      next[a.to] += alpha * (weighted ? static_cast<double>(a.weight) : 1.0) * x[a.from];
    x = next;
  }
  return x;
}

std::vector<double> Eigenvector(const FlatGraph& graph, bool weighted, Direction direction) {
  const NodeId n = graph.node_count();
  const std::vector<FlatArc> arcs = Walkable(graph, direction);
  std::vector<double> x(n, 0), sums(n, 0);
  const auto weight = [&](const FlatArc& a) {
    return weighted ? static_cast<double>(a.weight) : 1.0;
  };
  for (const FlatArc& a : arcs) sums[a.to] += weight(a);
  int steps = 0;
  double shift = 0;  // the largest row sum: no eigenvalue is above it
  for (double sum : sums) shift = std::max(shift, sum);
  for (NodeId v = 0; v < n; ++v) x[v] = graph.selected[v] ? 1 : 0;
  for (double change = 1; change > 1e-15;) {
    std::vector<double> next = x;
    for (double& value : next) value *= shift;
    for (const FlatArc& a : arcs) next[a.to] += weight(a) * x[a.from];
    double squares = 0;
    for (double value : next) squares += value * value;
    change = 0;
    for (NodeId v = 0; v < n; ++v) {
      next[v] = squares > 0 ? next[v] / std::sqrt(squares) : 0;
      change = std::max(change, std::abs(next[v] - x[v]));
    }
    x = next;
    if (++steps == 20'000) break;
  }
  return x;
}

bool HasCycle(const FlatGraph& graph, Direction direction) {
  std::vector<bool> ends(graph.node_count(), true);  // of walks of so many arcs
  for (NodeId length = 0; length < graph.node_count(); ++length) {
    std::vector<bool> next(graph.node_count(), false);
    for (const FlatArc& a : Walkable(graph, direction))
      if (ends[a.from] && a.weight > 0) next[a.to] = true;
    ends = next;
  }
  for (const bool end : ends)
    if (end) return true;
  return false;
}

HubsAndAuthorities Hits(const FlatGraph& graph, bool weighted) {
  const NodeId n = graph.node_count();
  HubsAndAuthorities x{std::vector<double>(n, 0), std::vector<double>(n, 0)};
  for (NodeId v = 0; v < n; ++v) x.hubs[v] = graph.selected[v] ? 1 : 0;
  const auto scale = [](std::vector<double>& values) {
    double sum = 0;
    for (double value : values) sum += value;
    for (double& value : values) value = sum > 0 ? value / sum : 0;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::vector<double> before = x.hubs;
    std::fill(x.authorities.begin(), x.authorities.end(), 0.0);
    for (const FlatArc& a : graph.arcs)
      x.authorities[a.to] += (weighted ? static_cast<double>(a.weight) : 1.0) * x.hubs[a.from];
    scale(x.authorities);
    std::fill(x.hubs.begin(), x.hubs.end(), 0.0);
    for (const FlatArc& a : graph.arcs)
      x.hubs[a.from] += (weighted ? static_cast<double>(a.weight) : 1.0) * x.authorities[a.to];
    scale(x.hubs);
    double change = 0;
    for (NodeId v = 0; v < n; ++v) change = std::max(change, std::abs(x.hubs[v] - before[v]));
    if (i > 0 && change <= 1e-16) break;
  }
  return x;
}

}  // namespace plexus::reference
