// The slow, obvious answers: marked neighbours, repeated removal, Brandes one source at a
// time, power iteration, Dijkstra with a heap, Yen by Dijkstra, Kosaraju, Kahn.
#include <cmath>
#include <queue>
#include <set>

#include "bench/peers/reference/power_iteration.h"
#include "bench/peers/structure.h"

namespace plexus::peers {
namespace {

using Ids = std::vector<std::uint32_t>;
constexpr double kFar = std::numeric_limits<double>::infinity();

// Rows in both directions from arcs that are there once.
std::vector<Ids> Near(const Arcs& once) {
  std::vector<Ids> near(once.nodes);
  for (std::size_t i = 0; i < once.sources.size(); ++i) {
    near[once.sources[i]].push_back(once.targets[i]);
    near[once.targets[i]].push_back(once.sources[i]);
  }
  return near;
}

// Triangles at each node: every edge points to its busier end, and each triangle is found
// at the one node that two of its edges leave.
std::vector<std::uint64_t> TrianglesAt(const std::vector<Ids>& near) {
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(near[a].size(), a) < std::pair(near[b].size(), b);
  };
  std::vector<Ids> up(near.size());
  for (std::uint32_t v = 0; v < near.size(); ++v)
    for (std::uint32_t w : near[v])
      if (before(v, w)) up[v].push_back(w);
  std::vector<std::uint64_t> count(near.size());
  std::vector<bool> marked(near.size());
  for (std::uint32_t v = 0; v < near.size(); ++v) {
    for (std::uint32_t w : up[v]) marked[w] = true;
    for (std::uint32_t w : up[v])
      for (std::uint32_t x : up[w])
        if (marked[x]) ++count[v], ++count[w], ++count[x];
    for (std::uint32_t w : up[v]) marked[w] = false;
  }
  return count;
}

Answer Triangles(const std::vector<Ids>& near) {
  double sum = 0;
  for (std::uint64_t count : TrianglesAt(near)) sum += static_cast<double>(count);
  return {sum / 3};
}

Answer Clustering(const std::vector<Ids>& near) {
  const auto at = TrianglesAt(near);
  Answer answer(near.size());
  for (std::size_t v = 0; v < near.size(); ++v)
    if (const double d = static_cast<double>(near[v].size()); d >= 2)
      answer[v] = 2 * static_cast<double>(at[v]) / (d * (d - 1));
  return answer;
}

// Nodes with at most k neighbours left go, until none has; then k grows.
Answer Cores(const std::vector<Ids>& near) {
  Answer cores(near.size(), -1);
  std::vector<std::size_t> left(near.size());
  for (std::size_t v = 0; v < near.size(); ++v) left[v] = near[v].size();
  std::size_t gone = 0;
  for (std::size_t k = 0; gone < near.size(); ++k) {
    Ids go;
    for (std::uint32_t v = 0; v < near.size(); ++v)
      if (cores[v] < 0 && left[v] <= k) go.push_back(v);
    while (!go.empty()) {
      const std::uint32_t v = go.back();
      go.pop_back();
      if (cores[v] >= 0) continue;
      cores[v] = static_cast<double>(k);
      ++gone;
      for (std::uint32_t w : near[v])
        if (cores[w] < 0 && --left[w] <= k) go.push_back(w);
    }
  }
  return cores;
}

Answer Betweenness(const std::vector<Ids>& near, const Ids& sources, double share) {
  Answer scores(near.size());
  std::vector<double> paths(near.size()), parts(near.size());
  std::vector<int> depth(near.size());
  for (std::uint32_t s : sources) {
    std::fill(paths.begin(), paths.end(), 0.0);
    std::fill(parts.begin(), parts.end(), 0.0);
    std::fill(depth.begin(), depth.end(), -1);
    Ids queue = {s};
    paths[s] = 1;
    depth[s] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (std::uint32_t w : near[queue[i]]) {
        if (depth[w] < 0) {
          depth[w] = depth[queue[i]] + 1;
          queue.push_back(w);
        }
        if (depth[w] == depth[queue[i]] + 1) paths[w] += paths[queue[i]];
      }
    for (std::size_t i = queue.size(); i-- > 1;) {
      const std::uint32_t v = queue[i];
      for (std::uint32_t w : near[v])
        if (depth[w] == depth[v] + 1) parts[v] += paths[v] / paths[w] * (1 + parts[w]);
      scores[v] += parts[v] * share;
    }
  }
  return scores;
}

// x proportional to (A + 8 I) x: the same vector, and no graph turns it in circles.
Answer Eigenvector(const Arcs& arcs) {
  Answer now(arcs.nodes, 1.0 / arcs.nodes), next;
  for (double step = 1; step > 1e-13;) {
    next = now;
    for (double& x : next) x *= 8;
    for (std::size_t i = 0; i < arcs.sources.size(); ++i)
      next[arcs.targets[i]] += now[arcs.sources[i]];
    DivideBySum(next);
    step = 0;
    for (std::size_t v = 0; v < now.size(); ++v) step += std::abs(next[v] - now[v]);
    now.swap(next);
  }
  return now;
}

struct Tree {
  Answer length;
  Ids parent;
};
// Dijkstra; nodes of `closed` and steps from `from` into `first` are not taken.
Tree Shortest(const Arcs& arcs, const Ids& offsets, std::uint32_t from,
              const std::set<std::uint32_t>& closed = {},
              const std::set<std::uint32_t>& first = {}) {
  Tree tree{Answer(arcs.nodes, kFar), Ids(arcs.nodes, from)};
  using Open = std::pair<double, std::uint32_t>;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  tree.length[from] = 0;
  open.push({0, from});
  while (!open.empty()) {
    const auto [length, v] = open.top();
    open.pop();
    if (length > tree.length[v]) continue;
    for (std::uint32_t a = offsets[v]; a < offsets[v + 1]; ++a) {
      const std::uint32_t w = arcs.targets[a];
      const double there = length + static_cast<double>(arcs.weights[a]);
      if (there >= tree.length[w] || closed.contains(w) || (v == from && first.contains(w)))
        continue;
      tree.length[w] = there;
      tree.parent[w] = v;
      open.push({there, w});
    }
  }
  return tree;
}

Answer KPaths(const Arcs& arcs, const Ids& offsets, std::uint32_t from, std::uint32_t to) {
  std::set<std::pair<double, Ids>> candidates;
  std::vector<Ids> found;
  Answer answer;
  // Ways that begin with nodes 0..spur of `path`, but none of those found so far.
  const auto search = [&](const Ids& path, std::size_t spur, double before) {
    std::set<std::uint32_t> closed(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(spur)),
        first;
    for (const Ids& p : found)
      if (p.size() > spur + 1 &&
          std::equal(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(spur) + 1, p.begin()))
        first.insert(p[spur + 1]);
    const Tree tree = Shortest(arcs, offsets, path[spur], closed, first);
    if (tree.length[to] == kFar) return;
    Ids rest;
    for (std::uint32_t v = to; v != path[spur]; v = tree.parent[v]) rest.push_back(v);
    Ids whole(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(spur) + 1);
    whole.insert(whole.end(), rest.rbegin(), rest.rend());
    candidates.insert({before + tree.length[to], whole});
  };
  search({from}, 0, 0);
  while (!candidates.empty() && answer.size() < kPaths) {
    const auto [length, path] = *candidates.begin();
    candidates.erase(candidates.begin());
    found.push_back(path);
    answer.push_back(length);
    double before = 0;
    for (std::size_t spur = 0; spur + 1 < path.size() && answer.size() < kPaths; ++spur) {
      search(path, spur, before);
      before += static_cast<double>(PairWeight(path[spur], path[spur + 1]));
    }
  }
  answer.insert(answer.begin(), static_cast<double>(answer.size()));
  return answer;
}

// Kosaraju: nodes as a walk leaves them, last first; what each reaches backwards is one.
Answer Strong(const Arcs& arcs, const Ids& offsets) {
  std::vector<Ids> back(arcs.nodes);
  for (std::size_t i = 0; i < arcs.sources.size(); ++i)
    back[arcs.targets[i]].push_back(arcs.sources[i]);
  Ids left, walk, next(offsets.begin(), offsets.end() - 1);
  std::vector<bool> seen(arcs.nodes);
  for (std::uint32_t root = 0; root < arcs.nodes; ++root) {
    if (seen[root]) continue;
    seen[root] = true;
    walk.push_back(root);
    while (!walk.empty()) {
      const std::uint32_t v = walk.back();
      if (next[v] == offsets[v + 1]) {
        left.push_back(v);
        walk.pop_back();
      } else if (const std::uint32_t w = arcs.targets[next[v]++]; !seen[w]) {
        seen[w] = true;
        walk.push_back(w);
      }
    }
  }
  Answer label(arcs.nodes, -1);
  for (auto root = left.rbegin(); root != left.rend(); ++root) {
    if (label[*root] >= 0) continue;
    Ids queue = {*root};
    label[*root] = *root;
    while (!queue.empty()) {
      const std::uint32_t v = queue.back();
      queue.pop_back();
      for (std::uint32_t u : back[v])
        if (label[u] < 0) {
          label[u] = *root;
          queue.push_back(u);
        }
    }
  }
  return label;
}

Answer Order(const Arcs& arcs, const Ids& offsets) {
  Ids waits(arcs.nodes), order;
  for (std::uint32_t v : arcs.targets) ++waits[v];
  for (std::uint32_t v = 0; v < arcs.nodes; ++v)
    if (waits[v] == 0) order.push_back(v);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::uint32_t a = offsets[order[i]]; a < offsets[order[i] + 1]; ++a)
      if (--waits[arcs.targets[a]] == 0) order.push_back(arcs.targets[a]);
  return Places(arcs.nodes, order);
}

}  // namespace

bool Measures(Peer& peer, const Arcs& all) {
  const std::string& work = peer.work();
  if (!IsMeasure(work)) return false;
  const Arcs arcs = WeightedArcs(all, MeasureOnce(work));
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  if (work == "triangles") peer.Trials([&] { return Triangles(Near(arcs)); });
  if (work == "clustering") peer.Trials([&] { return Clustering(Near(arcs)); });
  if (work == "kcore") peer.Trials([&] { return Cores(Near(arcs)); });
  if (work == "betweenness") {
    Ids every(arcs.nodes);
    for (std::uint32_t v = 0; v < arcs.nodes; ++v) every[v] = v;
    peer.Trials([&] { return Betweenness(Near(arcs), every, 0.5); });
  }
  if (work == "betweenness-16")
    peer.Trials([&] { return Betweenness(Near(arcs), DistinctStarts(peer), 1); });
  if (work == "eigenvector") peer.Trials([&] { return Eigenvector(arcs); });
  if (work == "personal") peer.Trials([&] { return PowerIteration(arcs, false, starts[0]); });
  const auto offsets = Offsets(arcs);
  if (work == "distances")
    peer.Trials([&] {
      Answer answer;
      for (std::uint32_t start : FirstStarts(peer))
        for (double length : Shortest(arcs, offsets, start).length)
          answer.push_back(Length(length));
      return answer;
    });
  if (work == "point")
    peer.Trials([&] {
      Answer answer;
      for (std::size_t i = 0; i < starts.size(); ++i)
        answer.push_back(
            Length(Shortest(arcs, offsets, starts[i]).length[starts[(i + 1) % starts.size()]]));
      return answer;
    });
  if (work == "kpaths") peer.Trials([&] { return KPaths(arcs, offsets, starts[0], starts[1]); });
  if (work == "strong") peer.Trials([&] { return Strong(arcs, offsets); });
  if (work == "order") peer.Trials([&] { return Order(arcs, offsets); });
  return true;
}

}  // namespace plexus::peers
