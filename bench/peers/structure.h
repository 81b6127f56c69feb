// Works about nodes and the ways between them: triangles, clustering, kcore, betweenness,
// eigenvector, personal; distances, point, kpaths, strong, order.
//
// Every program with some of them defines Measures() and calls it from main. All work on
// the arcs of a kronecker, uniform or directed folder, with weights (connectivity.h) where
// lengths are asked for. Answers:
//   triangles     how many
//   clustering    a local coefficient a node, 0 below degree 2
//   kcore         a core number a node
//   betweenness   a score a node, pairs counted once; betweenness-16: sums over the
//                 distinct starts alone, a start with any other node each
//   eigenvector   a score a node, sum 1
//   personal      PageRank with the teleport to the first start, a score a node
//   distances     per start of the first kDistanceStarts, a length a node, -1 unreached
//   point         the length of the way from every start to the next one, -1 where none exists
//   kpaths        lengths of the kPaths shortest simple ways from the first start to the second
//   strong        a label a node, any labels
//   order         a place a node in a topological order, -1 where it takes no part; the
//                 arcs are those from the smaller id to the larger
//   lanes         bfs by one search from all starts (ours alone)
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "bench/peers/connectivity.h"

namespace plexus::peers {

// False when the work is another one, or none of this program's.
bool Measures(Peer& peer, const Arcs& arcs);

inline constexpr std::size_t kDistanceStarts = 4;
inline constexpr int kPaths = 5;

inline constexpr std::array kMeasureWorks = {
    "triangles", "clustering", "kcore",  "betweenness", "betweenness-16", "eigenvector", "personal",
    "distances", "point",      "kpaths", "strong",      "order",          "lanes"};
// Bare rows answer the same work.
inline std::string WithoutCsr(const std::string& work) {
  return work.ends_with("-csr") ? work.substr(0, work.size() - 4) : work;
}
inline bool IsMeasure(const std::string& work) {
  return std::ranges::find(kMeasureWorks, WithoutCsr(work)) != kMeasureWorks.end();
}
// The arcs from the smaller id to the larger are all that the work is about: an undirected
// graph, or for order an acyclic one.
inline bool MeasureOnce(const std::string& work) {
  return work == "triangles" || work == "clustering" || work == "kcore" ||
         work.starts_with("betweenness") || work == "order";
}
inline std::vector<std::uint32_t> FirstStarts(const Peer& peer) {
  auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  starts.resize(std::min(starts.size(), kDistanceStarts));
  return starts;
}
// Sources of betweenness-16: the starts, each once, ascending.
inline std::vector<std::uint32_t> DistinctStarts(const Peer& peer) {
  auto starts = ReadArray<std::uint32_t>(peer / "starts.u32");
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}
inline double Length(double length) {
  return length < std::numeric_limits<double>::max() ? length : -1;
}

// Places of an order that names nodes first to last.
template <class Nodes>
Answer Places(std::uint32_t nodes, const Nodes& order) {
  Answer places(nodes, -1);
  double place = 0;
  for (const auto& v : order) places[v] = place++;
  return places;
}
inline void DivideBySum(Answer& scores) {
  double sum = 0;
  for (double score : scores) sum += score;
  for (double& score : scores) score /= sum;
}

}  // namespace plexus::peers
