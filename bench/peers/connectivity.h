// Works about what holds a graph together: forest, cuts, dominators, flow.
//
// Every program with some of them defines Connections() and calls it from main. All work
// on the arcs of a kronecker or uniform folder, with weights that a hash of the pair gives:
//   forest       the minimum spanning forest; answer: trees, weight
//   cuts         answer: count, articulation points ..., count, bridges as (a, b), a < b
//   dominators   from the first start; answer: a dominator a node, -1 = none
//   flow         from the first start to the second, weights as capacities; answer: the flow
// forest and cuts read each edge once, from the smaller node to the larger.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/peers/peer.h"

namespace plexus::peers {

// False when the work is another one.
bool Connections(Peer& peer, const Arcs& arcs);

inline constexpr std::array kConnectionWorks = {"forest", "cuts", "dominators", "flow"};
inline bool IsConnectionWork(const std::string& work) {
  return std::ranges::find(kConnectionWorks, work) != kConnectionWorks.end();
}
inline bool EachEdgeOnce(const std::string& work) { return work == "forest" || work == "cuts"; }

// 1/1024 to 1, the same for (a, b) and (b, a): sums of them are exact in f64.
inline float PairWeight(std::uint32_t a, std::uint32_t b) {
  std::uint64_t h = (std::uint64_t{std::min(a, b)} << 32 | std::max(a, b)) * 0x9E3779B97F4A7C15u;
  h ^= h >> 32;
  h *= 0xD6E8FEB86659FD93u;
  return static_cast<float>(1 + (h >> 54)) / 1024.0f;
}

// The arcs that a work is about, with these weights; no loops. `once`: each edge from its smaller
// node to the larger.
inline Arcs WeightedArcs(const Arcs& from, bool once) {
  Arcs arcs;
  arcs.nodes = from.nodes;
  for (std::size_t i = 0; i < from.sources.size(); ++i) {
    const std::uint32_t u = from.sources[i], v = from.targets[i];
    if (u == v || (once && u > v)) continue;
    arcs.sources.push_back(u);
    arcs.targets.push_back(v);
    arcs.weights.push_back(PairWeight(u, v));
  }
  return arcs;
}

using Bridges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
inline Answer CutsAnswer(std::vector<std::uint32_t> points, Bridges bridges) {
  std::sort(points.begin(), points.end());
  for (auto& [a, b] : bridges)
    if (a > b) std::swap(a, b);
  std::sort(bridges.begin(), bridges.end());
  Answer answer = {static_cast<double>(points.size())};
  answer.insert(answer.end(), points.begin(), points.end());
  answer.push_back(static_cast<double>(bridges.size()));
  for (const auto& [a, b] : bridges)
    answer.insert(answer.end(), {static_cast<double>(a), static_cast<double>(b)});
  return answer;
}

}  // namespace plexus::peers
