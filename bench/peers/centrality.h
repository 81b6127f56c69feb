// Works about scores: of nodes by weighted arcs and by walks, of pairs by what they share.
//
// Every program that has some of them defines Scores() for itself and calls it from main.
// All work on the arcs of a kronecker or uniform folder, without loops. Answers:
//   weighted-pagerank   a score a node, sum 1; weights: connectivity.h
//   katz                a score a node, divided by their sum; alpha: KatzAlpha
//   jaccard, overlap, resource, adamic   a score a pair of SimilarityPairs, in their order
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bench/peers/structure.h"

namespace plexus::peers {

// False when the work is another one, or none of this program's.
bool Scores(Peer& peer, const Arcs& arcs);

inline constexpr std::array kScoreWorks = {"weighted-pagerank", "katz",     "jaccard",
                                           "overlap",           "resource", "adamic"};
inline bool IsScoreWork(const std::string& work) {
  return std::ranges::find(kScoreWorks, work) != kScoreWorks.end();
}
inline bool IsPairWork(const std::string& work) {
  return work != "katz" && !work.starts_with("weighted");
}

// 0.85 / b: the spectral radius is at most b, as b * b is the largest row sum of the
// adjacency matrix' square, the degrees of a node's neighbours added up.
inline double KatzAlpha(const Arcs& arcs) {
  const auto offsets = Offsets(arcs);
  double most = 1;
  for (std::uint32_t v = 0; v < arcs.nodes; ++v) {
    double sum = 0;
    for (std::uint32_t a = offsets[v]; a < offsets[v + 1]; ++a)
      sum += offsets[arcs.targets[a] + 1] - offsets[arcs.targets[a]];
    most = std::max(most, sum);
  }
  return 0.85 / std::sqrt(most);
}

// Up to 10,000 pairs of nodes that share a neighbour: two arcs that leave the same node.
inline std::vector<std::pair<std::uint32_t, std::uint32_t>> SimilarityPairs(const Arcs& arcs) {
  const auto offsets = Offsets(arcs);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const std::size_t arc = i * 2654435761u % arcs.targets.size();
    const std::uint32_t middle = arcs.sources[arc], degree = offsets[middle + 1] - offsets[middle];
    const std::uint32_t other = offsets[middle] + static_cast<std::uint32_t>(i * 40503 % degree);
    if (arcs.targets[arc] != arcs.targets[other])
      pairs.emplace_back(arcs.targets[arc], arcs.targets[other]);
  }
  return pairs;
}

}  // namespace plexus::peers
