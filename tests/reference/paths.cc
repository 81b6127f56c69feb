// Depths, components, simple paths and Bellman-Ford, straight from the definitions.
#include <algorithm>
#include <queue>

#include "tests/reference/oracles.h"

namespace plexus::reference {

std::vector<std::uint32_t> Depths(const FlatGraph& graph, const std::vector<NodeId>& sources,
                                  Direction direction) {
  std::vector<std::vector<NodeId>> rows(graph.node_count());
  for (const FlatArc& a : Walkable(graph, direction)) rows[a.from].push_back(a.to);
  std::vector<std::uint32_t> depths(graph.node_count(), 0xFFFFFFFFu);
  std::queue<NodeId> queue;
  for (NodeId v : sources) {
    depths[v] = 0;
    queue.push(v);
  }
  for (; !queue.empty(); queue.pop())
    for (NodeId w : rows[queue.front()])
      if (depths[w] == 0xFFFFFFFFu) {
        depths[w] = depths[queue.front()] + 1;
        queue.push(w);
      }
  return depths;
}

std::vector<NodeId> Components(const FlatGraph& graph) {
  std::vector<std::vector<NodeId>> rows(graph.node_count());
  for (const FlatArc& a : graph.arcs) {
    rows[a.from].push_back(a.to);
    rows[a.to].push_back(a.from);
  }
  std::vector<NodeId> labels(graph.node_count(), kNoNode);
  for (NodeId root = 0; root < graph.node_count(); ++root) {
    if (!graph.selected[root] || labels[root] != kNoNode) continue;
    std::vector<NodeId> stack{root};
    labels[root] = root;
    while (!stack.empty()) {
      const NodeId v = stack.back();
      stack.pop_back();
      for (NodeId w : rows[v])
        if (labels[w] == kNoNode) {
          labels[w] = root;
          stack.push_back(w);
        }
    }
  }
  return labels;
}

namespace {

void Extend(const std::vector<std::vector<std::pair<NodeId, double>>>& rows, NodeId to,
            std::vector<bool>& used, CostedPath& path, std::vector<CostedPath>& found) {
  const NodeId at = path.nodes.back();
  if (at == to) {
    found.push_back(path);
    return;
  }
  for (auto [next, cost] : rows[at]) {
    if (used[next]) continue;
    used[next] = true;
    path.nodes.push_back(next);
    const double before = path.cost;  // taking cost away again would round
    path.cost += cost;
    Extend(rows, to, used, path, found);
    path.cost = before;
    path.nodes.pop_back();
    used[next] = false;
  }
}

}  // namespace

std::vector<CostedPath> AllSimplePaths(const std::vector<FlatArc>& arcs,
                                       const std::vector<double>& costs, NodeId node_count,
                                       NodeId from, NodeId to) {
  std::vector<std::vector<std::pair<NodeId, double>>> rows(node_count);
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (costs[i] < 0) continue;
    auto& row = rows[arcs[i].from];
    auto it = std::find_if(row.begin(), row.end(), [&](auto& p) { return p.first == arcs[i].to; });
    if (it == row.end())
      row.emplace_back(arcs[i].to, costs[i]);
    else
      it->second = std::min(it->second, costs[i]);
  }
  std::vector<CostedPath> found;
  std::vector<bool> used(node_count);
  used[from] = true;
  CostedPath path{0, {from}};
  Extend(rows, to, used, path, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const CostedPath& a, const CostedPath& b) { return a.cost < b.cost; });
  return found;
}

std::optional<double> CheapestCost(const std::vector<FlatArc>& arcs,
                                   const std::vector<double>& costs, NodeId node_count, NodeId from,
                                   NodeId to) {
  std::vector<std::optional<double>> best(node_count);
  best[from] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      if (costs[i] < 0 || !best[arcs[i].from]) continue;
      const double cost = *best[arcs[i].from] + costs[i];
      if (best[arcs[i].to] && *best[arcs[i].to] <= cost) continue;
      best[arcs[i].to] = cost;
      changed = true;
    }
  }
  return best[to];
}

}  // namespace plexus::reference
