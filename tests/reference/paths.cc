// Depths, components, simple paths and Bellman-Ford, straight from the definitions.
#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <set>
#include <tuple>

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

namespace {

// The cheapest way from the path's last node on, then the one of fewest hops: Dijkstra by
// looking at all nodes for the nearest. `barred` nodes and `taken` first steps are closed.
std::optional<CostedPath> CheapestFrom(
    const std::vector<std::vector<std::pair<NodeId, double>>>& rows, CostedPath path, NodeId to,
    const std::vector<bool>& barred, const std::set<NodeId>& taken) {
  struct Label {
    std::pair<double, int> length{HUGE_VAL, 0};
    NodeId parent = kNoNode;
    bool done = false;
  };
  std::vector<Label> labels(rows.size());
  const NodeId start = path.nodes.back();
  labels[start].length = {path.cost, 0};
  while (true) {
    NodeId near = kNoNode;
    for (NodeId v = 0; v < rows.size(); ++v)
      if (!labels[v].done && labels[v].length.first < HUGE_VAL &&
          (near == kNoNode || labels[v].length < labels[near].length))
        near = v;
    if (near == kNoNode) return std::nullopt;
    if (near == to) break;
    labels[near].done = true;
    for (auto [next, cost] : rows[near]) {
      if (barred[next] || (near == start && taken.contains(next))) continue;
      const std::pair whole(labels[near].length.first + cost, labels[near].length.second + 1);
      if (labels[next].done || whole >= labels[next].length) continue;
      labels[next].length = whole;
      labels[next].parent = near;
    }
  }
  std::vector<NodeId> tail;
  for (NodeId v = to; v != start; v = labels[v].parent) tail.push_back(v);
  path.nodes.insert(path.nodes.end(), tail.rbegin(), tail.rend());
  path.cost = labels[to].length.first;
  return path;
}

}  // namespace

std::vector<CostedPath> PlainYen(const std::vector<FlatArc>& arcs, const std::vector<double>& costs,
                                 NodeId node_count, NodeId from, NodeId to, std::size_t count) {
  std::vector<std::map<NodeId, double>> best(node_count);
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (costs[i] < 0) continue;
    auto [at, fresh] = best[arcs[i].from].emplace(arcs[i].to, costs[i]);
    if (!fresh) at->second = std::min(at->second, costs[i]);
  }
  std::vector<std::vector<std::pair<NodeId, double>>> rows;
  for (const auto& row : best) rows.emplace_back(row.begin(), row.end());
  std::vector<CostedPath> found;
  std::set<std::tuple<double, std::size_t, std::vector<NodeId>>> candidates;
  auto search = [&](const CostedPath& begin, const std::vector<bool>& barred,
                    const std::set<NodeId>& taken) {
    if (auto path = CheapestFrom(rows, begin, to, barred, taken))
      candidates.emplace(path->cost, path->nodes.size(), path->nodes);
  };
  search({0, {from}}, std::vector<bool>(node_count), {});
  while (found.size() < count && !candidates.empty()) {
    const CostedPath path{std::get<0>(*candidates.begin()), std::get<2>(*candidates.begin())};
    candidates.erase(candidates.begin());
    found.push_back(path);
    std::vector<bool> barred(node_count);
    CostedPath begin{0, {from}};
    for (std::size_t i = 0; i + 1 < path.nodes.size(); ++i) {
      std::set<NodeId> taken;
      for (const CostedPath& p : found)
        if (p.nodes.size() > i + 1 &&
            std::equal(begin.nodes.begin(), begin.nodes.end(), p.nodes.begin()))
          taken.insert(p.nodes[i + 1]);
      search(begin, barred, taken);
      barred[path.nodes[i]] = true;
      begin.cost += best[path.nodes[i]].at(path.nodes[i + 1]);
      begin.nodes.push_back(path.nodes[i + 1]);
    }
  }
  return found;
}

std::optional<double> CheapestCost(const std::vector<FlatArc>& arcs,
                                   const std::vector<double>& costs, NodeId node_count, NodeId from,
                                   NodeId to) {
  const double cost = CheapestCosts(arcs, costs, node_count, from)[to];
  return std::isfinite(cost) ? std::optional(cost) : std::nullopt;
}

}  // namespace plexus::reference
