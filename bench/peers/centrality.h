// Works about scores: of nodes by weighted arcs, of pairs by their neighbours.
//
// Every program that has some of them defines Scores() for itself and calls it from main.
// All work on the arcs of a kronecker or uniform folder, without loops. Answers:
//   weighted-pagerank   a score a node, sum 1; weights: connectivity.h
//   jaccard             a score a pair of SimilarityPairs, in their order
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/peers/structure.h"

namespace plexus::peers {

// False when the work is another one, or none of this program's.
bool Scores(Peer& peer, const Arcs& arcs);

inline bool IsScoreWork(const std::string& work) {
  return work == "weighted-pagerank" || work == "jaccard";
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
