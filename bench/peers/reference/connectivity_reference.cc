// The slow, obvious answers: Kruskal, chain decomposition (Schmidt, 2013), dominators by
// iteration over sets of paths (Cooper, Harvey, Kennedy, 2001), shortest augmenting paths.
#include <numeric>

#include "bench/peers/connectivity.h"

namespace plexus::peers {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;

Answer Forest(const Arcs& arcs) {
  std::vector<std::uint32_t> order(arcs.sources.size()), label(arcs.nodes);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return arcs.weights[a] < arcs.weights[b];
  });
  std::iota(label.begin(), label.end(), 0u);
  const auto root = [&](std::uint32_t v) {
    while (label[v] != v) v = label[v] = label[label[v]];
    return v;
  };
  double trees = arcs.nodes, weight = 0;
  for (std::uint32_t i : order) {
    const std::uint32_t a = root(arcs.sources[i]), b = root(arcs.targets[i]);
    if (a == b) continue;
    label[a] = b;
    weight += static_cast<double>(arcs.weights[i]);
    --trees;
  }
  return {trees, weight};
}

// A depth-first forest; every back edge, from its upper end in order of discovery, starts
// a chain that runs up the tree to what was seen before. Edges in no chain are bridges;
// cut points are the beginnings of closed chains but a tree's first, and ends of bridges
// that have other edges.
Answer Cuts(const Arcs& arcs) {
  std::vector<std::vector<std::uint32_t>> near(arcs.nodes);
  for (std::size_t i = 0; i < arcs.sources.size(); ++i) {
    near[arcs.sources[i]].push_back(arcs.targets[i]);
    near[arcs.targets[i]].push_back(arcs.sources[i]);
  }
  std::vector<std::uint32_t> parent(arcs.nodes, kNone), number(arcs.nodes, kNone), order;
  std::vector<std::size_t> next(arcs.nodes, 0);
  for (std::uint32_t r = 0; r < arcs.nodes; ++r) {
    if (number[r] != kNone) continue;
    std::vector<std::uint32_t> walk = {r};
    number[r] = static_cast<std::uint32_t>(order.size());
    order.push_back(r);
    while (!walk.empty()) {
      const std::uint32_t v = walk.back();
      if (next[v] == near[v].size()) {
        walk.pop_back();
        continue;
      }
      const std::uint32_t w = near[v][next[v]++];
      if (number[w] != kNone) continue;
      number[w] = static_cast<std::uint32_t>(order.size());
      order.push_back(w);
      parent[w] = v;
      walk.push_back(w);
    }
  }
  std::vector<bool> seen(arcs.nodes), chained(arcs.nodes), point(arcs.nodes), had_chain(arcs.nodes);
  std::uint32_t root = kNone;
  bool first = true;
  for (std::uint32_t v : order) {
    if (parent[v] == kNone) {
      root = v;
      first = true;
    }
    for (std::uint32_t w : near[v]) {
      if (parent[w] == v || number[w] < number[v]) continue;  // tree edges; back edges start above
      seen[v] = true;
      std::uint32_t at = w;
      while (!seen[at]) {
        seen[at] = true;
        chained[at] = true;  // the edge to its parent
        at = parent[at];
      }
      if (at == v && !first) point[v] = true;  // a circle
      if (at == v && first && v != root) point[v] = true;
      first = false;
    }
  }
  Bridges bridges;
  for (std::uint32_t v : order) {
    if (parent[v] == kNone || chained[v]) continue;
    bridges.emplace_back(v, parent[v]);
    for (std::uint32_t end : {v, parent[v]})
      if (near[end].size() > 1) point[end] = true;
  }
  std::vector<std::uint32_t> points;
  for (std::uint32_t v = 0; v < arcs.nodes; ++v)
    if (point[v]) points.push_back(v);
  return CutsAnswer(std::move(points), std::move(bridges));
}

Answer Dominators(const Arcs& arcs, std::uint32_t root) {
  const auto offsets = Offsets(arcs);
  std::vector<std::vector<std::uint32_t>> before(arcs.nodes);
  for (std::size_t i = 0; i < arcs.sources.size(); ++i)
    before[arcs.targets[i]].push_back(arcs.sources[i]);
  std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1), post(arcs.nodes, kNone),
      order, walk = {root};
  std::vector<bool> seen(arcs.nodes);
  seen[root] = true;
  while (!walk.empty()) {
    const std::uint32_t v = walk.back();
    if (next[v] == offsets[v + 1]) {
      post[v] = static_cast<std::uint32_t>(order.size());
      order.push_back(v);
      walk.pop_back();
    } else if (const std::uint32_t w = arcs.targets[next[v]++]; !seen[w]) {
      seen[w] = true;
      walk.push_back(w);
    }
  }
  std::vector<std::uint32_t> dominator(arcs.nodes, kNone);
  dominator[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
      if (*v == root) continue;
      std::uint32_t common = kNone;
      for (std::uint32_t u : before[*v]) {
        if (dominator[u] == kNone) continue;
        if (common == kNone) common = u;
        while (u != common) {
          while (post[u] < post[common]) u = dominator[u];
          while (post[common] < post[u]) common = dominator[common];
        }
      }
      if (dominator[*v] != common) {
        dominator[*v] = common;
        changed = true;
      }
    }
  }
  Answer answer(arcs.nodes, -1);
  for (std::uint32_t v = 0; v < arcs.nodes; ++v)
    if (v != root && dominator[v] != kNone) answer[v] = dominator[v];
  return answer;
}

Answer Flow(const Arcs& arcs, std::uint32_t source, std::uint32_t sink) {
  // Arcs are symmetric and by (source, target): what is left of both ways, and where the other is.
  const auto offsets = Offsets(arcs);
  std::vector<double> left(arcs.weights.begin(), arcs.weights.end());
  const auto back = [&](std::uint32_t u, std::uint32_t arc) {
    const std::uint32_t v = arcs.targets[arc];
    return static_cast<std::uint32_t>(std::lower_bound(arcs.targets.begin() + offsets[v],
                                                       arcs.targets.begin() + offsets[v + 1], u) -
                                      arcs.targets.begin());
  };
  for (double flow = 0;;) {
    std::vector<std::uint32_t> from(arcs.nodes, kNone), by(arcs.nodes), queue = {source};
    from[source] = source;
    for (std::size_t i = 0; i < queue.size() && from[sink] == kNone; ++i)
      for (std::uint32_t a = offsets[queue[i]]; a < offsets[queue[i] + 1]; ++a)
        if (const std::uint32_t v = arcs.targets[a]; left[a] > 0 && from[v] == kNone) {
          from[v] = queue[i];
          by[v] = a;
          queue.push_back(v);
        }
    if (from[sink] == kNone) return {flow};
    double more = 1e300;
    for (std::uint32_t v = sink; v != source; v = from[v]) more = std::min(more, left[by[v]]);
    for (std::uint32_t v = sink; v != source; v = from[v]) {
      left[by[v]] -= more;
      left[back(from[v], by[v])] += more;
    }
    flow += more;
  }
}

}  // namespace

bool Connections(Peer& peer, const Arcs& all) {
  if (!IsConnectionWork(peer.work())) return false;
  const Arcs arcs = WeightedArcs(all, EachEdgeOnce(peer.work()));
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  if (peer.work() == "forest") peer.Trials([&] { return Forest(arcs); });
  if (peer.work() == "cuts") peer.Trials([&] { return Cuts(arcs); });
  if (peer.work() == "dominators") peer.Trials([&] { return Dominators(arcs, starts[0]); });
  if (peer.work() == "flow") peer.Trials([&] { return Flow(arcs, starts[0], starts[1]); });
  return true;
}

}  // namespace plexus::peers
