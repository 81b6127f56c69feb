// Likeness and rerank by definition: plain loops in f64, everything sorted.
#include <algorithm>
#include <cmath>

#include "tests/reference/oracles.h"

namespace plexus::reference {

double Measure(Likeness likeness, const std::vector<float>& a, const std::vector<float>& b) {
  double dot = 0, aa = 0, bb = 0, squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    dot += x * y;
    aa += x * x;
    bb += y * y;
    squares += (x - y) * (x - y);
  }
  switch (likeness) {
    case Likeness::kInnerProduct:
      return dot;
    case Likeness::kDistance:
      return std::sqrt(squares);
    case Likeness::kCosine:
      break;
  }
  return aa == 0 || bb == 0 ? 0 : dot / std::sqrt(aa * bb);
}

std::vector<Similar> Nearest(const FlatGraph& graph, const std::vector<std::vector<float>>& vectors,
                             Likeness likeness, const std::vector<float>& query) {
  std::vector<Similar> all;
  for (NodeId v = 0; v < graph.node_count(); ++v) {
    if (!graph.selected[v] || vectors[v].empty()) continue;
    const double measure = Measure(likeness, query, vectors[v]);
    all.push_back({v, likeness == Likeness::kDistance ? 1 / (1 + measure) : measure});
  }
  std::sort(all.begin(), all.end(), [](const Similar& a, const Similar& b) {
    return a.similarity != b.similarity ? a.similarity > b.similarity : a.node < b.node;
  });
  return all;
}

std::vector<Reranked> Rerank(const FlatGraph& graph, const std::vector<Similar>& candidates,
                             double boost) {
  std::vector<bool> candidate(graph.node_count());
  for (const Similar& c : candidates) candidate[c.node] = true;
  std::vector<double> degrees(graph.node_count());
  for (const FlatArc& a : graph.arcs) {
    // A symmetric edge counts once, a loop never.
    if (a.mirrored || a.from == a.to || !candidate[a.from] || !candidate[a.to]) continue;
    degrees[a.from] += static_cast<double>(a.weight);
    degrees[a.to] += static_cast<double>(a.weight);
  }
  std::vector<Reranked> all;
  for (const Similar& c : candidates) all.push_back({c.node, 0, c.similarity, degrees[c.node]});
  double largest = 0;
  for (const Reranked& r : all) largest = std::max(largest, r.graph);
  for (Reranked& r : all) {
    r.graph = largest > 0 ? r.graph / largest : 0;
    r.score = (1 - boost) * r.similarity + boost * r.graph;
  }
  std::sort(all.begin(), all.end(), [](const Reranked& a, const Reranked& b) {
    return a.score != b.score ? a.score > b.score : a.node < b.node;
  });
  return all;
}

}  // namespace plexus::reference
