// Spanning forests, cuts, dominators and flows, straight from the definitions.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "tests/reference/oracles.h"

namespace plexus::reference {

namespace {

// Components of the nodes of `there`, joined by `edges` but the one at `without`.
std::uint64_t Components(const std::vector<bool>& there, const std::vector<FlatArc>& edges,
                         std::size_t without) {
  std::vector<std::set<NodeId>> near(there.size());
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (e != without && there[edges[e].from] && there[edges[e].to]) {
      near[edges[e].from].insert(edges[e].to);
      near[edges[e].to].insert(edges[e].from);
    }
  std::vector<bool> seen(there.size());
  std::uint64_t count = 0;
  for (NodeId v = 0; v < there.size(); ++v) {
    if (!there[v] || seen[v]) continue;
    ++count;
    std::vector<NodeId> queue = {v};
    seen[v] = true;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const NodeId w : near[queue[i]])
        if (!seen[w]) {
          seen[w] = true;
          queue.push_back(w);
        }
  }
  return count;
}

std::vector<FlatArc> EdgesOnce(const FlatGraph& graph) {
  std::vector<FlatArc> edges;
  for (const FlatArc& a : graph.arcs)
    if (!a.mirrored) edges.push_back(a);
  return edges;
}

// Reached from `root` without ever standing on `banned`.
std::vector<bool> Reached(const std::vector<FlatArc>& arcs, NodeId node_count, NodeId root,
                          NodeId banned) {
  std::vector<std::vector<NodeId>> next(node_count);
  for (const FlatArc& a : arcs) next[a.from].push_back(a.to);
  std::vector<bool> seen(node_count);
  if (root == banned) return seen;
  std::vector<NodeId> queue = {root};
  seen[root] = true;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const NodeId w : next[queue[i]])
      if (w != banned && !seen[w]) {
        seen[w] = true;
        queue.push_back(w);
      }
  return seen;
}

}  // namespace

Forest SpanningForest(const FlatGraph& graph, bool maximum, bool weighted) {
  std::vector<FlatArc> edges = EdgesOnce(graph);
  std::stable_sort(edges.begin(), edges.end(), [&](const FlatArc& a, const FlatArc& b) {
    return weighted && (maximum ? a.weight > b.weight : a.weight < b.weight);
  });
  std::vector<NodeId> label(graph.node_count());
  std::iota(label.begin(), label.end(), NodeId{0});
  Forest forest;
  forest.trees =
      static_cast<std::uint64_t>(std::count(graph.selected.begin(), graph.selected.end(), true));
  const auto tree = [&](NodeId v) {
    while (label[v] != v) v = label[v];
    return v;
  };
  for (const FlatArc& e : edges) {
    const NodeId from = tree(e.from), to = tree(e.to);
    if (from == to) continue;
    label[std::max(from, to)] = std::min(from, to);
    forest.weight += weighted ? static_cast<double>(e.weight) : 1;
    --forest.trees;
  }
  return forest;
}

Cuts CutPoints(const FlatGraph& graph) {
  const std::vector<FlatArc> edges = EdgesOnce(graph);
  const std::uint64_t whole = Components(graph.selected, edges, edges.size());
  Cuts cuts;
  for (NodeId v = 0; v < graph.node_count(); ++v) {
    if (!graph.selected[v]) continue;
    std::vector<bool> there = graph.selected;
    there[v] = false;
    if (Components(there, edges, edges.size()) > whole) cuts.points.push_back(v);
  }
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (Components(graph.selected, edges, e) > whole) cuts.bridges.push_back(edges[e]);
  return cuts;
}

std::vector<NodeId> Dominators(const std::vector<FlatArc>& arcs, NodeId node_count, NodeId root) {
  const std::vector<bool> reached = Reached(arcs, node_count, root, kNoNode);
  std::vector<std::vector<bool>> dominates(node_count);  // [d][v]
  std::vector<std::uint64_t> depth(node_count, 0);       // how many dominators, itself included
  for (NodeId d = 0; d < node_count; ++d) {
    if (!reached[d]) continue;
    const std::vector<bool> without = Reached(arcs, node_count, root, d);
    dominates[d].resize(node_count);
    for (NodeId v = 0; v < node_count; ++v) {
      dominates[d][v] = reached[v] && !without[v];
      depth[v] += dominates[d][v];
    }
  }
  // Dominators of a node form a chain: the immediate one has one less.
  std::vector<NodeId> immediate(node_count, kNoNode);
  for (NodeId d = 0; d < node_count; ++d)
    for (NodeId v = 0; v < node_count; ++v)
      if (reached[d] && dominates[d][v] && depth[d] + 1 == depth[v]) immediate[v] = d;
  return immediate;
}

double MaxFlow(const std::vector<FlatArc>& arcs, NodeId node_count, NodeId source, NodeId sink,
               bool unit) {
  std::vector<std::map<NodeId, double>> left(node_count);
  for (const FlatArc& a : arcs) {
    left[a.from][a.to] += unit ? 1.0 : static_cast<double>(a.weight);
    left[a.to][a.from] += 0;
  }
  for (double flow = 0;;) {
    std::vector<NodeId> parent(node_count, kNoNode), queue = {source};
    parent[source] = source;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const auto& [w, capacity] : left[queue[i]])
        if (capacity > 0 && parent[w] == kNoNode) {
          parent[w] = queue[i];
          queue.push_back(w);
        }
    if (parent[sink] == kNoNode) return flow;
    double more = std::numeric_limits<double>::infinity();
    for (NodeId v = sink; v != source; v = parent[v]) more = std::min(more, left[parent[v]][v]);
    for (NodeId v = sink; v != source; v = parent[v]) {
      left[parent[v]][v] -= more;
      left[v][parent[v]] += more;
    }
    flow += more;
  }
}

}  // namespace plexus::reference
