// The slow, obvious answers: every hop looks at every arc.
#include "bench/peers/traversal.h"

namespace plexus::peers {
namespace {

using Marks = std::vector<bool>;

Marks Step(const Arcs& arcs, const Marks& from) {
  Marks to(arcs.nodes);
  for (std::size_t i = 0; i < arcs.sources.size(); ++i)
    if (from[arcs.sources[i]]) to[arcs.targets[i]] = true;
  return to;
}

void Reach(const Arcs& arcs, std::uint32_t start, Answer& answer) {
  std::vector<std::pair<int, std::uint32_t>> reached;
  Marks now(arcs.nodes), seen(arcs.nodes);
  now[start] = seen[start] = true;
  for (int hop = 1; hop <= kReachHops; ++hop) {
    now = Step(arcs, now);
    for (std::uint32_t v = 0; v < arcs.nodes; ++v) {
      if (now[v] && !seen[v]) reached.emplace_back(hop, v);
      if (now[v]) seen[v] = true;
    }
  }
  AppendNearest(std::move(reached), answer);
}

// Sets of nodes that walks of exactly so many arcs of the first kind lead to.
void Pattern(const Arcs& many, const Arcs& last, std::uint32_t start, Answer& answer) {
  std::vector<std::pair<int, std::uint32_t>> reached;
  Marks now(many.nodes), seen(many.nodes);
  now[start] = true;
  for (int hop = 2; hop <= kPatternHops; ++hop) {
    now = Step(many, now);
    const Marks end = Step(last, now);
    for (std::uint32_t v = 0; v < many.nodes; ++v) {
      if (end[v] && !seen[v]) reached.emplace_back(hop, v);
      if (end[v]) seen[v] = true;
    }
  }
  AppendNearest(std::move(reached), answer);
}

void Aggregated(const std::string& work, const Arcs& arcs, std::uint32_t start, Answer& answer) {
  const auto join = [&](double a, double b) {
    return work == "sum" ? a + b : work == "min" ? std::min(a, b) : 1 - (1 - a) * (1 - b);
  };
  constexpr double kNone = -1;  // no walk
  const auto add = [&](double& to, double value) { to = to == kNone ? value : join(to, value); };
  std::vector<double> layer(arcs.nodes, kNone), next, score(arcs.nodes, kNone);
  layer[start] = 1;
  for (int hop = 0; hop < kHops; ++hop) {
    next.assign(arcs.nodes, kNone);
    for (std::size_t i = 0; i < arcs.sources.size(); ++i)
      if (layer[arcs.sources[i]] != kNone)
        add(next[arcs.targets[i]], layer[arcs.sources[i]] * static_cast<double>(arcs.weights[i]));
    for (std::uint32_t v = 0; v < arcs.nodes; ++v)
      if (next[v] != kNone) add(score[v], next[v]);
    layer.swap(next);
  }
  std::vector<Entry> entries;
  for (std::uint32_t v = 0; v < arcs.nodes; ++v)
    if (score[v] != kNone && v != start) entries.push_back({score[v], v});
  AppendBest(std::move(entries), kTraverseTop, false, answer);
}

}  // namespace

bool WalkWorks(Peer& peer) {
  const std::string& work = peer.work();
  if (!IsWalkWork(work)) return false;
  const auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  if (work == "pattern") {
    const Arcs many = ArcsOfKind(peer.folder(), kManyKind),
               last = ArcsOfKind(peer.folder(), kLastKind);
    peer.Queries(starts.size(),
                 [&](std::size_t i, Answer& answer) { Pattern(many, last, starts[i], answer); });
    return true;
  }
  Arcs arcs = ReadArcs(peer.folder());
  if (work == "ancestors") std::swap(arcs.sources, arcs.targets);
  peer.Queries(starts.size(), [&](std::size_t i, Answer& answer) {
    if (work == "descendants" || work == "ancestors")
      Reach(arcs, starts[i], answer);
    else
      Aggregated(work, arcs, starts[i], answer);
  });
  return true;
}

}  // namespace plexus::peers
